/* Headers of all forms; where the samples begin; what is refused, in whose words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "netpbm_header.h"

static enum ls_status read_text(const char *text, struct netpbm_header *header,
                                struct ls_error *err) {
  struct ls_text given = {text, strlen(text), "strip.ppm"};
  struct netpbm_reader reader = {.application = "raytrace", .text = &given};
  return netpbm_read_header(&reader, header, err);
}

static void forms_are_told_by_the_digit(void **state) {
  (void)state;
  static const char *const none[] = {"", "P", "P0", "P7", "Q6", "\0P6", "6P"};
  for (const char *form = "123456"; *form != '\0'; form++) {
    const char text[] = {'P', *form};
    assert_int_equal(netpbm_form(&(struct ls_text){text, 2, ""}), *form);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    assert_int_equal(netpbm_form(&(struct ls_text){none[i], strlen(none[i]), ""}), '\0');
  }
}

static void samples_begin_behind_the_header(void **state) {
  (void)state;
  static const struct {
    const char *text;
    struct netpbm_header expected;
  } cases[] = {
      {"P1 3 2 010111", {3, 2, 1, 1, 6}}, /* plain: digits may follow at once */
      {"P4\n3 2\nab", {3, 2, 1, 1, 7}},
      {"P2 3 2 9 1 2", {3, 2, 9, 1, 8}},
      {"P5\n3 2\n65535\nab", {3, 2, 65535, 2, 13}},
      {"P3 3 2 256 1", {3, 2, 256, 2, 10}},
      /* As povray writes it, with the date in a comment. */
      {"P6\n# Software: POV-Ray\n# Render Date: 2026-01-01\n640 480\n255\n\n",
       {640, 480, 255, 1, 61}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct netpbm_header header;
    assert_int_equal(read_text(cases[i].text, &header, NULL), LS_OK);
    assert_int_equal(header.width, cases[i].expected.width);
    assert_int_equal(header.height, cases[i].expected.height);
    assert_int_equal(header.maxval, cases[i].expected.maxval);
    assert_int_equal(header.sample_bytes, cases[i].expected.sample_bytes);
    assert_int_equal(header.header_bytes, cases[i].expected.header_bytes);
  }
}

static void refusals_name_application_file_and_field(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"P6", "raytrace: strip.ppm: no width at byte 2"},
      {"P6 1", "no height at byte 4"},
      {"P6 1 1", "no maxval at byte 6"},
      {"P6 0 1 1\n", "width is 0, expected 1 to 2147483647"},
      {"P6 1 1 65536\n", "maxval is at least 65536, expected 1 to 65535"},
      {"P6 65536 32768 1\n", "65536 x 32768 pixels, expected less than 2^31"},
      {"P6 1 1 255", "nothing white follows the header"},
      {"P4 1 1#", "nothing white follows the header"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct netpbm_header header = {.width = 77};
    struct ls_error err = {0};
    assert_int_equal(read_text(bad[i][0], &header, &err), LS_EINVAL);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("'%s': %s", bad[i][0], err.text);
    assert_int_equal(header.width, 77);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_are_told_by_the_digit),
      cmocka_unit_test(samples_begin_behind_the_header),
      cmocka_unit_test(refusals_name_application_file_and_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
