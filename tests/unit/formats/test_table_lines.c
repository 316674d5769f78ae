#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/table_lines.h"

static void fields_and_lines_are_counted(void **state) {
  (void)state;
  static const char text[] = "a;b\n\nc\r\n;;\n\"x;\"\"y\";\"\";z";
  struct ls_table table = {
      .text = {text, sizeof text - 1, "file"}, .separator = ';', .has_quotes = true};
  const size_t lines[] = {1, 3, 4, 5}, counts[] = {2, 1, 3, 3};
  bool is_there;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(ls_table_next(&table, &is_there, NULL), LS_OK);
    assert_true(is_there);
    assert_int_equal(table.line, lines[i]);
    assert_int_equal(table.count, counts[i]);
  }
  assert_true(ls_table_field_is(&table.fields[0], "x;\"y"));
  assert_true(ls_table_field_is(&table.fields[1], ""));
  assert_true(ls_table_field_is(&table.fields[2], "z"));
  assert_int_equal(ls_table_next(&table, &is_there, NULL), LS_OK);
  assert_false(is_there);
  ls_table_close(&table);
}

static void the_last_field_takes_the_rest(void **state) {
  (void)state;
  static const char text[] = "a b c d";
  struct ls_table table = {
      .text = {text, sizeof text - 1, "file"}, .separator = ' ', .fields_most = 2};
  bool is_there;
  assert_int_equal(ls_table_next(&table, &is_there, NULL), LS_OK);
  assert_int_equal(table.count, 2);
  assert_true(ls_table_field_is(&table.fields[1], "b c d"));
  ls_table_close(&table);
}

/* A job log has them for the line ends of a command. */
static void the_last_of_all_fields_may_hold_zeros(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool has_zeros, is_read;
  } cases[] = {{"a b c\0d", true, true},
               {"a b c\0d", false, false},
               {"a b\0d e", true, false},
               {"a\0 b  ", true, false},
               {"a b\0   ", true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_table table = {.text = {cases[i].text, 7, "file"},
                             .separator = ' ',
                             .fields_most = 3,
                             .has_zeros = cases[i].has_zeros};
    struct ls_error err = {0};
    bool is_there;
    enum ls_status status = ls_table_next(&table, &is_there, &err);
    assert_int_equal(status, cases[i].is_read ? LS_OK : LS_EINVAL);
    if (status == LS_OK)
      assert_memory_equal(table.fields[2].data, "c\0d", 3);
    else
      assert_non_null(strstr(err.text, "line 1: it holds a zero byte"));
    ls_table_close(&table);
  }
}

static void what_is_no_table_is_refused(void **state) {
  (void)state;
  char many[600], zero[] = "a\0b";
  memset(many, ',', sizeof many);
  const struct ls_text texts[] = {{many, sizeof many, "file"}, {zero, 3, "file"}};
  const char *const words[] = {"more than 256 fields", "zero byte"};
  for (size_t i = 0; i < 2; i++) {
    struct ls_table table = {.text = texts[i], .separator = ','};
    struct ls_error err = {0};
    bool is_there;
    assert_int_equal(ls_table_next(&table, &is_there, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, words[i]));
    ls_table_close(&table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_and_lines_are_counted),
      cmocka_unit_test(the_last_field_takes_the_rest),
      cmocka_unit_test(the_last_of_all_fields_may_hold_zeros),
      cmocka_unit_test(what_is_no_table_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
