/* All forms of a picture, and texts that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "picture.h"

static enum ls_status parse(const char *text, size_t length, double threshold,
                            struct picture *picture, struct ls_error *err) {
  return picture_parse(&(struct ls_text){text, length, "page.pbm"}, threshold, picture, err);
}

/* Two rows of three pixels: black white black, white white black. */
static void assert_picture(const char *text, size_t length, double threshold) {
  struct picture picture = {0};
  struct ls_error err = {0};
  assert_int_equal(parse(text, length, threshold, &picture, &err), LS_OK);
  assert_int_equal(picture.width, 3);
  assert_int_equal(picture.height, 2);
  assert_int_equal(picture.row_bytes, 1);
  assert_memory_equal(picture.rows, "\240\040", 2);
  picture_close(&picture);
}

static void all_forms_are_one(void **state) {
  (void)state;
  static const char raw[] = "P4 3 2\n\240\040", filled[] = "P4\n# a page\n3 2\n\277\077 and more";
  static const char plain[] = "P1 3 2 101 001", comments[] = "P1 3 2# a\n1 0 #b\n1\n0\t0 1 rest";
  static const char grey[] = "P5 3 2 255\n\0\377\1\200\177\0",
                    wide[] = "P5 3 2 300\n\0\0\1\54\0\1\0\377\0\226\0\225";
  static const char plain_grey[] = "P2 3 2 9 0 9 4 5 8 0";
  assert_picture(raw, sizeof raw - 1, THRESHOLD_NONE);
  assert_picture(filled, sizeof filled - 1, THRESHOLD_NONE);
  assert_picture(plain, sizeof plain - 1, THRESHOLD_NONE);
  assert_picture(comments, sizeof comments - 1, THRESHOLD_NONE);
  assert_picture(grey, sizeof grey - 1, 0.25);
  assert_picture(wide, sizeof wide - 1, THRESHOLD_NONE);
  assert_picture(plain_grey, sizeof plain_grey - 1, THRESHOLD_NONE);
  assert_picture(plain_grey, sizeof plain_grey - 1, 0.5);
}

/* A sample is black below the threshold, not at it: nothing is below 0, and white is not below 1.
 */
static void thresholds_may_be_at_the_ends(void **state) {
  (void)state;
  static const struct {
    double threshold;
    unsigned char row;
  } cases[] = {{0, 0x00}, {0.5, 0x80}, {1, 0xc0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct picture picture = {0};
    assert_int_equal(parse("P2 3 1 4 0 2 4", 14, cases[i].threshold, &picture, NULL), LS_OK);
    assert_int_equal(picture.rows[0], cases[i].row);
    picture_close(&picture);
  }
}

static void bad_texts_are_refused_in_words(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "not a picture"},
      {"P", "not a picture"},
      {"P6 1 1 255 abc", "not a picture"},
      {"Q4 1 1 a", "not a picture"},
      {"P4", "no width at byte 2"},
      {"P43 2 ab", "no width at byte 2"},
      {"P4 3", "no height at byte 4"},
      {"P4 0 2 ab", "width is 0, expected 1 to 2147483647"},
      {"P4 3 0 ab", "height is 0"},
      {"P4 99999999999 1 a", "width is at least "},
      {"P4 65536 65536 a", "65536 x 65536 pixels, expected less than 2^31"},
      {"P4 3 2", "nothing white follows the header"},
      {"P4 3 2#", "nothing white follows the header"},
      {"P4 3 2 a", "1 bytes follow the header, expected at least 2 for 3 x 2 pixels"},
      {"P1 3 2 10", "3 bytes follow the header, expected at least 6"},
      {"P1 3 2 10101 ", "neither 0 nor 1 at byte 13"},
      {"P1 3 2 10 2 0 0 0", "neither 0 nor 1 at byte 10"},
      {"P5 3 2 abcdef", "no maxval at byte 7"},
      {"P5 3 2 0 abcdef", "maxval is 0, expected 1 to 65535"},
      {"P5 3 2 65536 abcdefabcdef", "maxval is at least 65536"},
      {"P5 3 2 300 abcdef", "6 bytes follow the header, expected at least 12"},
      {"P5 3 2 98 aaaabc", "the sample before byte 16 is 99, expected at most the maxval 98"},
      {"P2 3 2 9 1 2 3 4 5 ", "no sample at byte 19"},
      {"P2 3 2 9 1 2 3 4 5 10", "sample is at least 10, expected 0 to 9"},
      {"P2 3 2 9 1 2 3 4 5 -1", "no sample at byte 19"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct picture picture = {.width = 7};
    struct ls_error err = {0};
    assert_int_equal(parse(bad[i][0], strlen(bad[i][0]), THRESHOLD_NONE, &picture, &err),
                     LS_EINVAL);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("%s: %s", bad[i][0], err.text);
    assert_non_null(strstr(err.text, "page.pbm"));
    assert_int_equal(picture.width, 7);
  }
}

static void threshold_is_for_grey_pictures(void **state) {
  (void)state;
  struct picture picture;
  struct ls_error err = {0};
  assert_int_equal(parse("P1 1 1 1", 8, 0.5, &picture, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--threshold is for grey pictures"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_forms_are_one),
      cmocka_unit_test(thresholds_may_be_at_the_ends),
      cmocka_unit_test(bad_texts_are_refused_in_words),
      cmocka_unit_test(threshold_is_for_grey_pictures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
