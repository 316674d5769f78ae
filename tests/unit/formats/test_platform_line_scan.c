#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_line_private.h"

static struct ls_line open_line(const char *text) {
  return (struct ls_line){.text = {text, strlen(text), "-p"}};
}

static void numbers_are_decimal_and_end_where_they_end(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
    size_t length;
  } numbers[] = {{"12", 12, 2},     {"0.5x", 0.5, 3},  {".5", 0.5, 2}, {"1.", 1, 2},
                 {"1e-3", 1e-3, 4}, {"2E+2;", 200, 4}, {"1e", 1, 1},   {"3e+", 3, 1},
                 {"1.5.5", 1.5, 3}, {"0x1", 0, 1},     {"7inf", 7, 1}, {"9 ", 9, 1}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct ls_line line = open_line(numbers[i].text);
    double number = -1;
    assert_int_equal(ls_line_measure_number(&line), numbers[i].length);
    assert_int_equal(ls_line_read_number(&line, "a number", &number, NULL), LS_OK);
    assert_true(number == numbers[i].value);
    assert_int_equal(line.at, numbers[i].length);
  }
}

static void what_is_no_number_stays_where_it_is_and_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "  ",
                                      "-1",
                                      "+1",
                                      "inf",
                                      "nan",
                                      ".",
                                      "e5",
                                      "x",
                                      "1e999",
                                      ("1000000000000000000000000000000000000000000000000000000000"
                                       "00000000000000000000000000000000000000000")};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_line line = open_line(texts[i]);
    struct ls_error err = {0};
    double number = 42;
    assert_int_equal(ls_line_read_number(&line, "a number", &number, &err), LS_EINVAL);
    assert_true(number == 42);
    assert_non_null(strstr(err.text, "-p: column "));
  }
}

static void words_are_names_of_at_most_63_bytes(void **state) {
  (void)state;
  char word[LS_LINE_WORD_BYTES], text[80];
  struct ls_line line = open_line("  node-1.lab:/dev@[0]#a_b, more");
  assert_int_equal(ls_line_read_word(&line, "a name", word, NULL), LS_OK);
  assert_string_equal(word, "node-1.lab:/dev@[0]#a_b");
  assert_int_equal(ls_line_peek(&line), ',');
  for (size_t length = 63; length < 65; length++) {
    memset(text, 'a', length);
    text[length] = '\0';
    line = open_line(text);
    assert_int_equal(ls_line_read_word(&line, "a name", word, NULL),
                     length == 63 ? LS_OK : LS_EINVAL);
  }
  line = open_line("=");
  assert_int_equal(ls_line_read_word(&line, "a name", word, NULL), LS_EINVAL);
}

static void a_sign_is_taken_behind_blanks_and_only_when_it_is_there(void **state) {
  (void)state;
  struct ls_line line = open_line(" \t\n; +");
  assert_false(ls_line_take(&line, '+'));
  assert_true(ls_line_take(&line, ';'));
  assert_true(ls_line_take(&line, '+'));
  assert_false(ls_line_take(&line, '+'));
  assert_int_equal(ls_line_peek(&line), '\0');
}

/* A zero byte and control characters do not get into the message. */
static void a_refusal_shows_what_stands_there_on_one_line(void **state) {
  (void)state;
  static const char text[] = "ab\ncdefghijklmnopqrstuvwxyz\0";
  struct ls_line line = {.text = {text, sizeof text - 1, "-p"}};
  struct ls_error err = {0};
  assert_int_equal(ls_line_refuse(&line, 1, "a colon", &err), LS_EINVAL);
  assert_string_equal(err.text, "-p: column 2: found 'b?cdefghijklmnopqrst...', expected a colon");
  assert_int_equal(ls_line_refuse(&line, line.text.length, "a colon", &err), LS_EINVAL);
  assert_string_equal(err.text, "-p: column 29: the text ends, expected a colon");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_decimal_and_end_where_they_end),
      cmocka_unit_test(what_is_no_number_stays_where_it_is_and_is_refused),
      cmocka_unit_test(words_are_names_of_at_most_63_bytes),
      cmocka_unit_test(a_sign_is_taken_behind_blanks_and_only_when_it_is_there),
      cmocka_unit_test(a_refusal_shows_what_stands_there_on_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
