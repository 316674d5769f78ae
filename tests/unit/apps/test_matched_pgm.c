/* Headers that a PGM file may have, and those that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "pgm.h"

static enum ls_status read_text(const char *text, size_t length, struct netpbm_header *pgm,
                                struct ls_error *err) {
  return pgm_read_header(&(struct ls_text){text, length, "slice.pgm"}, pgm, err);
}

static void assert_header(const char *text, struct netpbm_header expected) {
  struct netpbm_header pgm = {0};
  struct ls_error err = {0};
  assert_int_equal(read_text(text, strlen(text), &pgm, &err), LS_OK);
  assert_int_equal(pgm.width, expected.width);
  assert_int_equal(pgm.height, expected.height);
  assert_int_equal(pgm.maxval, expected.maxval);
  assert_int_equal(pgm.sample_bytes, expected.sample_bytes);
  assert_int_equal(pgm.header_bytes, expected.header_bytes);
}

static void headers_are_read(void **state) {
  (void)state;
  assert_header("P5\n128 128\n4095\nab", (struct netpbm_header){128, 128, 4095, 2, 16});
  assert_header("P5 1 2 255 ", (struct netpbm_header){1, 2, 255, 1, 11});
  assert_header("P5\t1\r\n2\v\f1 ", (struct netpbm_header){1, 2, 1, 1, 11});
  assert_header("P5 2147483647 1 65535\n", (struct netpbm_header){2147483647, 1, 65535, 2, 22});
  assert_header("P5 00000000000000000000003 2 256\n", (struct netpbm_header){3, 2, 256, 2, 33});
}

static void comments_count_for_nothing(void **state) {
  (void)state;
  assert_header("P5\n# a slice\n12 # wide\n#\n34\n255\n",
                (struct netpbm_header){12, 34, 255, 1, 32});
  assert_header("P5#9 9\r12 34#\n7\n", (struct netpbm_header){12, 34, 7, 1, 16});
}

/* What follows the maxval is white, and one byte: the next one may be a sample of any value. */
static void samples_follow_the_white_behind_the_maxval(void **state) {
  (void)state;
  assert_header("P5 1 1 255\n\n", (struct netpbm_header){1, 1, 255, 1, 11});
  assert_header("P5 1 1 255\n#", (struct netpbm_header){1, 1, 255, 1, 11});
}

static void bad_headers_are_refused_in_words(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "not a binary grey picture"},
      {"P", "not a binary grey picture"},
      {"P2 1 1 255 1", "not a binary grey picture"},
      {"P6 1 1 255 ", "not a binary grey picture"},
      {"P5", "no width"},
      {"P51 1 255 ", "no width"},
      {"P5 # 1 1 255", "no width"},
      {"P5 -1 1 255 ", "no width"},
      {"P5 x", "no width"},
      {"P5 0 1 255 ", "width is 0, expected 1 to 2147483647"},
      {"P5 1 0 255 ", "height is 0"},
      {"P5 1", "no height"},
      {"P5 1,2 255 ", "no height"},
      {"P5 1 1", "no maxval"},
      {"P5 1 1 0 ", "maxval is 0, expected 1 to 65535"},
      {"P5 1 1 65536 ", "maxval is at least 65536"},
      {"P5 1 1 99999999999999999999999 ", "maxval is at least"},
      {"P5 2147483648 1 255 ", "width is at least 2147483648"},
      {"P5 65536 32768 255 ", "65536 x 32768 pixels, expected less than 2^31"},
      {"P5 1 1 255", "nothing white"},
      {"P5 1 1 255x", "nothing white"},
      {"P5 1 1 255#\n", "nothing white"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct netpbm_header pgm = {.width = 77};
    struct ls_error err = {0};
    assert_int_equal(read_text(bad[i][0], strlen(bad[i][0]), &pgm, &err), LS_EINVAL);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("'%s': %s", bad[i][0], err.text);
    assert_non_null(strstr(err.text, "slice.pgm"));
    assert_int_equal(pgm.width, 77);
  }
}

static void zero_in_a_header_is_no_white(void **state) {
  (void)state;
  struct netpbm_header pgm;
  assert_int_equal(read_text("P5\0 1 1 255 ", 12, &pgm, NULL), LS_EINVAL);
  assert_int_equal(read_text("P5 1 1 255\0", 11, &pgm, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_are_read),
      cmocka_unit_test(comments_count_for_nothing),
      cmocka_unit_test(samples_follow_the_white_behind_the_maxval),
      cmocka_unit_test(bad_headers_are_refused_in_words),
      cmocka_unit_test(zero_in_a_header_is_no_white),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
