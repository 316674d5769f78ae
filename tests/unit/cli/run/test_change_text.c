#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/change.h"

static enum ls_status find(const char *name, struct ls_change *change, bool *is_found,
                           struct ls_error *err) {
  *change = (struct ls_change){0};
  return ls_change_text_find((struct ls_change_text){name, strlen(name)}, change, is_found, err);
}

static void expect(const char *name, const char *value, const char *expected) {
  struct ls_change change;
  struct ls_bytes out = {0};
  struct ls_error err = {0};
  bool is_found = false;
  if (find(name, &change, &is_found, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(is_found);
  assert_int_equal(ls_change_apply(&change, value, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_change_close(&change);
  ls_bytes_close(&out);
}

static void parts_are_counted_in_characters(void **state) {
  (void)state;
  expect(":2", "abcdef", "cdef");
  expect(":2:3", "abcdef", "cde");
  expect(":0:1", "abc", "a");
  expect(":9", "abc", "");
  expect(":1:9", "abc", "bc");
  expect(":1", "\xC3\xA9z", "z");
  expect(":0:1", "\xC3\xA9z", "\xC3\xA9");
  expect(":0:1", "\xFFz", "\xFF");
}

static void an_empty_value_gets_another_text(void **state) {
  (void)state;
  expect(":-none", "", "none");
  expect(":-none", "0", "0");
}

static void ends_go_as_short_or_as_long_as_they_match(void **state) {
  (void)state;
  expect("%_demo", "x_demo", "x");
  expect("%_demo", "_demo_x", "_demo_x");
  expect("#x.*b", "xaxbb", "b");
  expect("##x.*b", "xaxbb", "");
  expect("%b.*", "abxbx", "abx");
  expect("%%b.*", "abxbx", "a");
  expect("#a|b", "bc", "c");
  expect("%[.](gz|xz)", "a.gz", "a");
}

static void matches_are_replaced_or_change_their_case(void **state) {
  (void)state;
  expect("/demo_/x", "demo_demo_a", "xdemo_a");
  expect("//demo_/x", "demo_demo_a", "xxa");
  expect("/demo_/", "demo_a", "a");
  expect("/(.)(.)/$2$1", "abc", "bac");
  expect("/a\\/b/x", "a/b", "x");
  expect("^a", "abca", "Abca");
  expect("^^a", "abca", "AbcA");
  expect(",A", "ABCA", "aBCA");
  expect(",,A", "ABCA", "aBCa");
  expect("^^.", "\xC3\xA9z", "\xC3\x89Z");
}

static void other_texts_are_none(void **state) {
  (void)state;
  static const char *const names[] = {"",  "x", ":", ":x", ":1x", ":1:", "#",
                                      "%", "^", "/", "/a", "//a", "//"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct ls_change change;
    bool is_found = true;
    assert_int_equal(find(names[i], &change, &is_found, NULL), LS_OK);
    assert_false(is_found);
  }
}

static void a_wrong_expression_is_refused_by_name(void **state) {
  (void)state;
  struct ls_change change;
  struct ls_error err;
  bool is_found = false;
  assert_int_equal(find("%(a", &change, &is_found, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "{%(a}"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_counted_in_characters),
      cmocka_unit_test(an_empty_value_gets_another_text),
      cmocka_unit_test(ends_go_as_short_or_as_long_as_they_match),
      cmocka_unit_test(matches_are_replaced_or_change_their_case),
      cmocka_unit_test(other_texts_are_none),
      cmocka_unit_test(a_wrong_expression_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
