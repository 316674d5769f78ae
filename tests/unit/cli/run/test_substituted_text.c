#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/substituted_text.h"

static void expect(const char *expression, const char *value, const char *text,
                   const char *expected) {
  struct ls_pattern *pattern = NULL;
  struct ls_substituted_text made = {0};
  struct ls_bytes out = {0};
  struct ls_match match;
  const struct ls_subject subject = {value, strlen(value)};
  assert_int_equal(
      ls_pattern_compile("--rpl", expression, (struct ls_pattern_traits){0}, &pattern, NULL),
      LS_OK);
  assert_int_equal(
      ls_substituted_text_compile("--rpl", text, ls_pattern_groups(pattern), &made, NULL), LS_OK);
  assert_int_equal(ls_pattern_find(pattern, subject, 0, &match, NULL), LS_OK);
  ls_substituted_text_append(&made, pattern, subject, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_substituted_text_close(&made);
  ls_pattern_close(pattern);
  ls_bytes_close(&out);
}

static void groups_and_escapes_are_perls(void **state) {
  (void)state;
  expect("(a)(b)?", "xa", "<$1|$2|$&>", "<a||a>");
  expect("(a)", "a", "\\1${1}1", "aa1");
  expect("a", "a", "\\t\\n\\x41\\/\\$\\\\", "\t\nA/$\\");
  expect("a", "a", "$ 5$", "$ 5$");
}

static void case_changes_until_its_end(void **state) {
  (void)state;
  expect("(.*)", "ab cd", "\\U$1\\Ex$1", "AB CDxab cd");
  expect("(.*)", "AB", "\\L$1", "ab");
  expect("(.*)", "ab", "\\u$1", "Ab");
  expect("(.*)", "AB", "\\l$1", "aB");
  expect("(.*)", "aB", "\\u\\L$1", "Ab");
  expect("(x?)(.*)", "ab", "\\u$1$2", "Ab");
}

static void variables_and_groups_that_are_not_there_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"$2", "\\2", "$x", "$$1", "${x}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_substituted_text made = {0};
    assert_int_equal(ls_substituted_text_compile("--rpl", texts[i], 1, &made, NULL), LS_EINVAL);
    ls_substituted_text_close(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_and_escapes_are_perls),
      cmocka_unit_test(case_changes_until_its_end),
      cmocka_unit_test(variables_and_groups_that_are_not_there_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
