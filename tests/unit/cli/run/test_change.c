#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/change.h"

static void expect(const struct ls_change *change, const char *value, const char *expected) {
  struct ls_bytes out = {0};
  ls_bytes_append_text(&out, "<");
  assert_int_equal(ls_change_apply(change, value, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out) + 1, expected);
  ls_bytes_close(&out);
}

static void no_change_leaves_the_value(void **state) {
  (void)state;
  expect(&(struct ls_change){0}, "v w", "v w");
  expect(&(struct ls_change){0}, "", "");
}

static void each_kind_is_done(void **state) {
  (void)state;
  char text[] = "none";
  expect(&(struct ls_change){.if_empty = text}, "", "none");
  expect(&(struct ls_change){.if_empty = text}, "v", "v");
  expect(&(struct ls_change){.is_part = true, .from = 1, .count = 1}, "abc", "b");
  struct ls_change change = {0};
  assert_int_equal(ls_substitution_compile("--rpl", "s/a/b/", &change.substitution, NULL), LS_OK);
  expect(&change, "aa", "ba");
  ls_change_close(&change);
  assert_null(change.substitution);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_change_leaves_the_value),
      cmocka_unit_test(each_kind_is_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
