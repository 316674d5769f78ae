/* Regular expressions are Perl's; no text and no expression leads them astray. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "cli/run/pattern.h"

static const struct ls_pattern_traits text_traits = {0};
static const struct ls_pattern_traits binary = {.is_binary = true};

static struct ls_pattern *compile(const char *text, struct ls_pattern_traits traits) {
  struct ls_pattern *pattern = NULL;
  struct ls_error err = {0};
  enum ls_status status = ls_pattern_compile("--recend", text, traits, &pattern, &err);
  if (status != LS_OK) print_message("%s\n", err.text);
  assert_int_equal(status, LS_OK);
  return pattern;
}

static struct ls_subject of(const char *text) {
  return (struct ls_subject){text, strlen(text)};
}

/* All matches, such as "0-1 1-1 2-3". */
static void expect(const char *text, struct ls_pattern_traits traits, struct ls_subject subject,
                   const char *expected) {
  struct ls_pattern *pattern = compile(text, traits);
  struct ls_bytes found = {0};
  struct ls_match match;
  assert_int_equal(ls_pattern_find(pattern, subject, 0, &match, NULL), LS_OK);
  while (match.is_found) {
    ls_bytes_printf(&found, "%s%zu-%zu", found.length > 0 ? " " : "", match.begin, match.end);
    assert_int_equal(ls_pattern_find_next(pattern, subject, &match, NULL), LS_OK);
  }
  assert_string_equal(ls_bytes_text(&found), expected);
  ls_bytes_close(&found);
  ls_pattern_close(pattern);
}

static void all_matches_are_found_in_order(void **state) {
  (void)state;
  expect("a", text_traits, of("banana"), "1-2 3-4 5-6");
  expect("an", text_traits, of("banana"), "1-3 3-5");
  expect("x", text_traits, of("banana"), "");
  expect("(?<=b)a", text_traits, of("banana"), "1-2");
  expect("[.]bak$", text_traits, of("a.bak"), "1-5");
}

static void empty_matches_are_found_once_as_in_perl(void **state) {
  (void)state;
  expect("x*", text_traits, of("axb"), "0-0 1-2 2-2 3-3");
  expect("", text_traits, of("ab"), "0-0 1-1 2-2");
  expect("$", text_traits, of("a"), "1-1");
  expect("", text_traits, of(""), "0-0");
  expect("x*", text_traits, (struct ls_subject){NULL, 0}, "0-0");
}

static void characters_are_those_of_utf8_unless_data_is_binary(void **state) {
  (void)state;
  expect(".", text_traits, of("\xC3\xA9z"), "0-2 2-3");
  expect("", text_traits, of("\xC3\xA9z"), "0-0 2-2 3-3");
  expect(".", binary, of("\xC3\xA9z"), "0-1 1-2 2-3");
  expect("\xC3\x89", (struct ls_pattern_traits){.ignores_case = true}, of("\xC3\xA9"), "0-2");
}

static void texts_and_expressions_that_are_no_utf8_match_as_bytes(void **state) {
  (void)state;
  expect("z", text_traits, of("\xC3z\xFF"), "1-2");
  expect("\xFF", text_traits, of("a\xFF"), "1-2");
}

static void zero_bytes_are_data(void **state) {
  (void)state;
  expect("\\0", binary, (struct ls_subject){"a\0b\0", 4}, "1-2 3-4");
  expect("b", text_traits, (struct ls_subject){"a\0b", 3}, "2-3");
}

static void what_repeats_takes_much_or_little(void **state) {
  (void)state;
  expect("a.*b", text_traits, of("xabab"), "1-5");
  expect("a.*b", (struct ls_pattern_traits){.is_reluctant = true}, of("xabab"), "1-3 3-5");
}

static void groups_tell_their_places(void **state) {
  (void)state;
  struct ls_pattern *pattern = compile("(a)|(b)", text_traits);
  struct ls_match match;
  assert_int_equal(ls_pattern_groups(pattern), 2);
  assert_int_equal(ls_pattern_find(pattern, of("xb"), 0, &match, NULL), LS_OK);
  assert_true(match.is_found);
  assert_false(ls_pattern_group(pattern, 1).is_found);
  assert_true(ls_pattern_group(pattern, 2).is_found);
  assert_int_equal(ls_pattern_group(pattern, 2).begin, 1);
  assert_int_equal(ls_pattern_group(pattern, 0).end, 2);
  assert_false(ls_pattern_group(pattern, 3).is_found);
  ls_pattern_close(pattern);
}

static void a_search_can_begin_within_a_text(void **state) {
  (void)state;
  struct ls_pattern *pattern = compile("\\ba", text_traits);
  struct ls_match match;
  assert_int_equal(ls_pattern_find(pattern, of("aa a"), 1, &match, NULL), LS_OK);
  assert_int_equal(match.begin, 3);
  assert_int_equal(ls_pattern_find(pattern, of("aa a"), 5, &match, NULL), LS_OK);
  assert_false(match.is_found);
  ls_pattern_close(pattern);
}

static void wrong_expressions_are_refused_with_their_place(void **state) {
  (void)state;
  struct ls_pattern *pattern = NULL;
  struct ls_error err;
  assert_int_equal(ls_pattern_compile("--recend", "a(b", text_traits, &pattern, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "--recend is 'a(b', expected a regular expression: missing closing "
                      "parenthesis at character 4");
  assert_int_equal(ls_pattern_compile("--recend", "a**+[", text_traits, &pattern, &err), LS_EINVAL);
  assert_null(pattern);
  ls_pattern_close(NULL);
}

/* Nothing is taken for "no match" that is not known to be none. */
static void what_takes_too_long_is_a_failure(void **state) {
  (void)state;
  struct ls_error err;
  struct ls_match match;
  struct ls_bytes text = {0};
  for (int i = 0; i < 60; i++) ls_bytes_append_char(&text, 'a');
  ls_bytes_append_char(&text, 'b');
  struct ls_subject subject = {text.data, text.length};
  struct ls_pattern *pattern = compile("^(a+)+(a+)+\\1c?$", text_traits);
  assert_int_equal(ls_pattern_find(pattern, subject, 0, &match, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--recend is '^(a+)+(a+)+\\1c?$', which takes too long"));
  assert_false(match.is_found);
  ls_pattern_close(pattern);
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_matches_are_found_in_order),
      cmocka_unit_test(empty_matches_are_found_once_as_in_perl),
      cmocka_unit_test(characters_are_those_of_utf8_unless_data_is_binary),
      cmocka_unit_test(texts_and_expressions_that_are_no_utf8_match_as_bytes),
      cmocka_unit_test(zero_bytes_are_data),
      cmocka_unit_test(what_repeats_takes_much_or_little),
      cmocka_unit_test(groups_tell_their_places),
      cmocka_unit_test(a_search_can_begin_within_a_text),
      cmocka_unit_test(wrong_expressions_are_refused_with_their_place),
      cmocka_unit_test(what_takes_too_long_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
