#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/row.h"

/* Columns in <>, those of each input behind a |. */
static void expect(const struct ls_row_form *form, const char *const *inputs, size_t count,
                   const char *expected) {
  struct ls_row row = {0};
  struct ls_bytes told = {0};
  struct ls_error err = {0};
  /* Twice, since the storage is used again. */
  for (int again = 0; again < 2; again++)
    if (ls_row_make(form, inputs, count, &row, &err) != LS_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ls_bytes_append_char(&told, '|');
    for (size_t k = row.begins[i]; k < row.begins[i + 1]; k++)
      ls_bytes_printf(&told, "<%s>", row.values[k]);
  }
  assert_int_equal(row.begins[count], row.count);
  assert_string_equal(ls_bytes_text(&told), expected);
  ls_bytes_close(&told);
  ls_row_close(&row);
}

static void split(const char *columns, const char *input, const char *expected) {
  struct ls_row_form form = {.trims_left = true, .trims_right = true};
  assert_int_equal(
      ls_pattern_compile("--colsep", columns, (struct ls_pattern_traits){0}, &form.columns, NULL),
      LS_OK);
  expect(&form, &input, 1, expected);
  ls_pattern_close(form.columns);
}

static void columns_are_those_of_perls_split(void **state) {
  (void)state;
  split("-", "a-b-c", "<a><b><c>");
  split("-", "a - b", "<a><b>");
  split("-", "-a--b-", "<><a><><b><>");
  split("-", "", "<>");
  split("\\t", "a\tb", "<a><b>");
  split(" +", "a  b", "<a><b>");
  split("", "abc", "<a><b><c>");
  split("x*", "axxb", "<a><b>");
  split("[,;]", "a,b;c", "<a><b><c>");
}

static void several_inputs_count_on(void **state) {
  (void)state;
  struct ls_row_form form = {0};
  static const char *const inputs[] = {"a,b", "c", "d,e,f"};
  assert_int_equal(
      ls_pattern_compile("--colsep", ",", (struct ls_pattern_traits){0}, &form.columns, NULL),
      LS_OK);
  expect(&form, inputs, 3, "<a><b>|<c>|<d><e><f>");
  ls_pattern_close(form.columns);
}

static void white_space_goes_from_the_ends_that_are_named(void **state) {
  (void)state;
  static const char *const input[] = {" \ta b\n "};
  expect(&(struct ls_row_form){.trims_left = true}, input, 1, "<a b\n >");
  expect(&(struct ls_row_form){.trims_right = true}, input, 1, "< \ta b>");
  expect(&(struct ls_row_form){.trims_left = true, .trims_right = true}, input, 1, "<a b>");
  expect(&(struct ls_row_form){0}, input, 1, "< \ta b\n >");
  assert_true(ls_row_form_is_plain(&(struct ls_row_form){0}));
  assert_false(ls_row_form_is_plain(&(struct ls_row_form){.trims_left = true}));
}

static void rows_of_csv_are_those_of_the_rfc(void **state) {
  (void)state;
  static const struct {
    const char *input, *expected;
  } cases[] = {
      {"a,b", "<a><b>"},
      {"\"1 big, 2 small\",\"2\"\"x4\"\" plank\",12.34", "<1 big, 2 small><2\"x4\" plank><12.34>"},
      {"\"a\nb\",c", "<a\nb><c>"},
      {"", "<>"},
      {",", "<><>"},
      {"\"\",\"\"", "<><>"},
      {"a,b\r", "<a><b>"},
      {"\"a\"\r", "<a>"},
      {"a\"b", "<a\"b>"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(&(struct ls_row_form){.is_csv = true}, &cases[i].input, 1, cases[i].expected);
  static const char *const other[] = {"a;\"b;c\""};
  expect(&(struct ls_row_form){.is_csv = true, .separator = ';'}, other, 1, "<a><b;c>");
}

static void what_is_no_csv_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"\"a", "\"a\"b", "a,\"b\" "};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_row row = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_row_make(&(struct ls_row_form){.is_csv = true}, &wrong[i], 1, &row, &err),
                     LS_EINVAL);
    assert_non_null(strstr(err.text, "is no row of CSV"));
    ls_row_close(&row);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_those_of_perls_split),
      cmocka_unit_test(several_inputs_count_on),
      cmocka_unit_test(white_space_goes_from_the_ends_that_are_named),
      cmocka_unit_test(rows_of_csv_are_those_of_the_rfc),
      cmocka_unit_test(what_is_no_csv_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
