#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/replacement_rule.h"

static void expect(const char *definition, const char *text, const char *value,
                   const char *expected) {
  struct ls_rule rule;
  struct ls_change change = {0};
  struct ls_bytes out = {0};
  size_t end = 0;
  assert_int_equal(ls_rule_compile(definition, &rule, NULL), LS_OK);
  assert_int_equal(
      ls_rule_find(&rule,
                   (struct ls_subject){text + rule.takes_source, strlen(text) - rule.takes_source},
                   &end, &change, NULL),
      LS_OK);
  assert_int_equal(end, expected == NULL ? 0 : strlen(text) - rule.takes_source);
  if (expected != NULL) {
    assert_int_equal(ls_change_apply(&change, value, &out, NULL), LS_OK);
    assert_string_equal(ls_bytes_text(&out), expected);
  }
  ls_change_close(&change);
  ls_bytes_close(&out);
  ls_rule_close(&rule);
}

static void tags_stand_for_their_substitutions(void **state) {
  (void)state;
  expect("{_} s/ /_/g", "{_}", "a b c", "a_b_c");
  expect("{:} s:([.][^/]+)*$::", "{:}", "a.tar.gz", "a");
  expect(".ext s/.*[.]//", ".ext", "a.b", "b");
  expect("{same} ", "{same}", "v", "v");
  expect("{_} s/a/b/", "{x}", "", NULL);
  expect("{a.b} s/a/b/", "{axb}", "", NULL);
}

static void groups_of_the_tag_are_texts_of_the_code(void **state) {
  (void)state;
  expect("{/(.+?)/(.*?)} s/$$1/$$2/;", "{/b/C}", "a_b", "a_C");
  expect("{%(.*?)} s/$$1//", "{%.tar.gz}", "my.tar.gz", "my");
}

static void what_is_no_definition_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",         " s/a/b/",   "{ s/a/b/",
                                      "{x} $_++", "{(} s/a/b", "{x} s/(/b/"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_rule rule = {0};
    assert_int_equal(ls_rule_compile(wrong[i], &rule, NULL), LS_EINVAL);
    ls_rule_close(&rule);
  }
  /* One whose groups make it is refused where it is used. */
  struct ls_rule rule;
  struct ls_change change = {0};
  size_t end = 0;
  assert_int_equal(ls_rule_compile("{(.)} $$1", &rule, NULL), LS_OK);
  assert_int_equal(ls_rule_find(&rule, (struct ls_subject){"x}", 2}, &end, &change, NULL),
                   LS_EINVAL);
  ls_rule_close(&rule);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tags_stand_for_their_substitutions),
      cmocka_unit_test(groups_of_the_tag_are_texts_of_the_code),
      cmocka_unit_test(what_is_no_definition_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
