#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/letter_case.h"

static void expect(const char *text, enum ls_letter_case wanted, const char *expected) {
  struct ls_bytes out = {0};
  ls_letter_case_append(text, strlen(text), wanted, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void letters_change_in_every_locale(void **state) {
  (void)state;
  expect("aB1_", LS_CASE_UPPER, "AB1_");
  expect("aB1_", LS_CASE_LOWER, "ab1_");
  expect("aB1_", LS_CASE_KEPT, "aB1_");
  expect("\xC3\xA9", LS_CASE_UPPER, "\xC3\x89");
  expect("\xCE\xA3", LS_CASE_LOWER, "\xCF\x83");
  expect("", LS_CASE_UPPER, "");
}

static void bytes_that_are_no_text_stay(void **state) {
  (void)state;
  expect("\xFFz\xC3", LS_CASE_UPPER, "\xFFZ\xC3");
}

static void the_first_character_has_its_bytes(void **state) {
  (void)state;
  assert_int_equal(ls_letter_case_first("\xC3\xA9z", 3), 2);
  assert_int_equal(ls_letter_case_first("z", 1), 1);
  assert_int_equal(ls_letter_case_first("\xA9\xA9", 2), 1);
  assert_int_equal(ls_letter_case_first("\xC3", 1), 1);
  assert_int_equal(ls_letter_case_first("", 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_change_in_every_locale),
      cmocka_unit_test(bytes_that_are_no_text_stay),
      cmocka_unit_test(the_first_character_has_its_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
