#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/substitution.h"

static void expect(const char *code, const char *value, const char *expected) {
  struct ls_substitution *made = NULL;
  struct ls_bytes out = {0};
  struct ls_error err = {0};
  if (ls_substitution_compile("--rpl", code, &made, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(
      ls_substitution_apply(made, (struct ls_subject){value, strlen(value)}, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_substitution_close(made);
  ls_bytes_close(&out);
}

static void substitutions_are_those_of_perl(void **state) {
  (void)state;
  expect("s/a/b/", "aaa", "baa");
  expect(" s/a/b/g; ", "aaa", "bbb");
  expect("s/A/b/gi", "aAa", "bbb");
  expect("s:.*/::; s:[.][^/.]+$::", "d/a.b", "a");
  expect("s{a{2}}{<$&>}", "aaa", "<aa>a");
  expect("s(a) (b)", "a", "b");
  expect("s/x*/-/g", "axb", "-a--b-");
  expect("s/(a)(b)/$2\\1${1}/", "ab", "baa");
  expect("s,a\\,b,c,", "a,b", "c");
  expect("s/$/!/", "a", "a!");
  expect("", "a", "a");
  expect("s/\\s+/ /g;s/^ //;s/ $//", "  a   b ", "a b");
}

static void an_alternative_is_for_what_was_not_found(void **state) {
  (void)state;
  expect("s:/[^/]*$:: || s:.*$::", "a/b", "a");
  expect("s:/[^/]*$:: || s:.*$::", "b", "");
}

static void other_code_is_refused(void **state) {
  (void)state;
  static const char *const codes[] = {
      "$_++",          "uc($_)",    "s/a/b/e", "s/a/b",    "s/a",       "s",  "y/a/b/",
      "s/a/b/ s/c/d/", "s/a/b/ ||", "s/$x/y/", "1 s/a/b/", "s/a/b/;;x", "sab"};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    struct ls_substitution *made = NULL;
    struct ls_error err = {0};
    assert_int_equal(ls_substitution_compile("--rpl", codes[i], &made, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "is other code than substitutions"));
  }
}

static void wrong_expressions_are_refused(void **state) {
  (void)state;
  struct ls_substitution *made = NULL;
  struct ls_error err = {0};
  assert_int_equal(ls_substitution_compile("--rpl", "s/(a/b/", &made, &err), LS_EINVAL);
  assert_int_equal(ls_substitution_compile("--rpl", "s/a/$1/", &made, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "names group 1"));
  assert_int_equal(ls_substitution_compile("--rpl", "s/a/$x/", &made, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "names a variable of Perl"));
}

static void parts_make_one_too(void **state) {
  (void)state;
  struct ls_substitution *made = NULL;
  struct ls_bytes out = {0};
  const struct ls_substitution_parts parts = {.expression = "a", .text = "/", .is_every = true};
  assert_int_equal(ls_substitution_make("--rrs", &parts, &made, NULL), LS_OK);
  assert_int_equal(ls_substitution_apply(made, (struct ls_subject){"a\0a", 3}, &out, NULL), LS_OK);
  assert_int_equal(out.length, 3);
  assert_memory_equal(out.data, "/\0/", 3);
  ls_substitution_close(made);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(substitutions_are_those_of_perl),
      cmocka_unit_test(an_alternative_is_for_what_was_not_found),
      cmocka_unit_test(other_code_is_refused),
      cmocka_unit_test(wrong_expressions_are_refused),
      cmocka_unit_test(parts_make_one_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
