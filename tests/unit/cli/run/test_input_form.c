#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/input_form.h"

/* All inputs in <>; those that arrive byte by byte are the same. */
static void expect(const struct ls_input_form *form, const char *text, const char *expected) {
  char told[256] = "";
  size_t length = strlen(text);
  for (int slowly = 0; slowly < 2; slowly++) {
    size_t at = 0, shown = slowly ? 0 : length;
    struct ls_input_search search = {0};
    told[0] = '\0';
    for (;;) {
      size_t input_length = 0;
      if (ls_input_form_cut(form, text + at, shown - at, &search, &input_length)) {
        snprintf(told + strlen(told), sizeof told - strlen(told), "<%.*s>", (int)input_length,
                 text + at);
        at += input_length + ls_input_form_stop_bytes(form);
        search = (struct ls_input_search){0};
      } else if (shown++ >= length) {
        break;
      }
    }
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s", text + at);
    assert_string_equal(told, expected);
  }
}

static void inputs_end_in_what_is_asked_for(void **state) {
  (void)state;
  expect(&(struct ls_input_form){0}, "a\nb c\n\nd", "<a><b c><>d");
  expect(&(struct ls_input_form){.stop = ",", .stop_length = 1}, "a,b\n", "<a>b\n");
  expect(&(struct ls_input_form){.stop = "--", .stop_length = 2}, "a-b---c--", "<a-b><-c>");
  expect(&(struct ls_input_form){.stop = "aab", .stop_length = 3}, "aaab", "<a>");
}

static void line_ends_between_quotes_end_no_row(void **state) {
  (void)state;
  const struct ls_input_form form = {.is_csv = true};
  expect(&form, "a,\"b\nc\"\nd\n", "<a,\"b\nc\"><d>");
  expect(&form, "\"a\"\"\n\"\n\"\"\nb", "<\"a\"\"\n\"><\"\">b");
  expect(&form, "a\"\"b\"\nc\n", "<a\"\"b\"><c>");
  const struct ls_input_form other = {.is_csv = true, .csv_separator = ';'};
  expect(&other, "a;\"b\n\"\na,\"\n", "<a;\"b\n\"><a,\">");
}

static void delimiters_know_escapes(void **state) {
  (void)state;
  static const struct {
    const char *text, *bytes;
    size_t length;
  } cases[] = {{",", ",", 1},        {"\\n", "\n", 1},  {"\\t", "\t", 1},  {"\\0", "\0", 1},
               {"\\x1f", "\x1f", 1}, {"\\101", "A", 1}, {"\\\\", "\\", 1}, {"a\\nb", "a\nb", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_input_form form = {0};
    assert_int_equal(ls_input_form_read_stop(&form, cases[i].text, NULL), LS_OK);
    assert_int_equal(form.stop_length, cases[i].length);
    assert_memory_equal(form.stop, cases[i].bytes, cases[i].length);
  }
  static const char *const wrong[] = {"", "\\", "\\q", "\\x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_input_form form = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_input_form_read_stop(&form, wrong[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--delimiter is "));
  }
  char longest[80];
  memset(longest, 'x', sizeof longest);
  longest[79] = '\0';
  struct ls_input_form form = {0};
  assert_int_equal(ls_input_form_read_stop(&form, longest, NULL), LS_EINVAL);
}

static void inputs_are_taken_skipped_or_the_last(void **state) {
  (void)state;
  const struct ls_input_form form = {.last = "END", .skips_blank = true};
  assert_int_equal(ls_input_form_judge(&form, "a", 1), LS_INPUT_TAKEN);
  assert_int_equal(ls_input_form_judge(&form, "END", 3), LS_INPUT_LAST);
  assert_int_equal(ls_input_form_judge(&form, "ENDS", 4), LS_INPUT_TAKEN);
  assert_int_equal(ls_input_form_judge(&form, " \t\r", 3), LS_INPUT_SKIPPED);
  assert_int_equal(ls_input_form_judge(&form, "", 0), LS_INPUT_SKIPPED);
  assert_int_equal(ls_input_form_judge(&(struct ls_input_form){0}, "", 0), LS_INPUT_TAKEN);
}

static void a_zero_byte_is_refused_with_its_place(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_input_check(&(struct ls_input){"a\0b", 3, "list", 7}, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "list: line 7 holds a zero byte"));
  assert_int_equal(ls_input_check(&(struct ls_input){NULL, 0, "list", 1}, NULL), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_end_in_what_is_asked_for),
      cmocka_unit_test(line_ends_between_quotes_end_no_row),
      cmocka_unit_test(delimiters_know_escapes),
      cmocka_unit_test(inputs_are_taken_skipped_or_the_last),
      cmocka_unit_test(a_zero_byte_is_refused_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
