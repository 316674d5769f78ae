#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/input_options.h"
#include "option_key.h"

static enum ls_status read(struct ls_input_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_input_options_has(key));
  return ls_input_options_read(options, key, text, err);
}

static void options_are_kept(void **state) {
  (void)state;
  struct ls_input_options options = {0};
  assert_int_equal(read(&options, "colsep", ",", NULL), LS_OK);
  assert_int_equal(read(&options, "header", ":", NULL), LS_OK);
  assert_int_equal(read(&options, "trim", "rl", NULL), LS_OK);
  assert_int_equal(read(&options, "slotreplace", "S", NULL), LS_OK);
  assert_int_equal(read(&options, "replace-string", "%", NULL), LS_OK);
  assert_int_equal(read(&options, "rpl", "{_} s/ /_/", NULL), LS_OK);
  assert_int_equal(read(&options, "arg-sep", ",,", NULL), LS_OK);
  assert_true(options.has_trim && options.trims_left && options.trims_right);
  assert_string_equal(options.spellings[LS_SPELLING_SLOT], "S");
  assert_string_equal(options.spellings[LS_SPELLING_VALUE], "%");
  assert_int_equal(options.rules_count, 1);
  assert_int_equal(ls_input_options_check(&options, NULL), LS_OK);
  assert_false(ls_input_options_has('a') || ls_input_options_has(256) || ls_input_options_has(0));
}

static void wrong_values_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } wrong[] = {{"trim", "x"},     {"parens", "{=="},      {"parens", ""},
               {"delimiter", ""}, {"replace-string", ""}, {"arg-sep", ""}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_input_options options = {0};
    struct ls_error err = {0};
    assert_int_equal(read(&options, wrong[i].name, wrong[i].text, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "expected"));
  }
}

/* Of data in blocks it may be more: who reads these takes it away before. */
static void header_of_inputs_is_one_line(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_input_options options = {0};
  assert_int_equal(read(&options, "header", "2", NULL), LS_OK);
  assert_int_equal(ls_input_options_check(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--header is '2', expected :"));
}

static void csv_has_one_separator_and_lines(void **state) {
  (void)state;
  struct ls_input_options options = {.form = {.is_csv = true}, .colsep = "\\t"};
  assert_int_equal(ls_input_options_check(&options, NULL), LS_OK);
  assert_int_equal(options.form.csv_separator, '\t');
  options.colsep = "ab";
  assert_int_equal(ls_input_options_check(&options, NULL), LS_EINVAL);
  options = (struct ls_input_options){.form = {.is_csv = true, .stop_length = 1}};
  assert_int_equal(ls_input_options_check(&options, NULL), LS_EINVAL);
  options = (struct ls_input_options){.marks = {.values = "::::"}};
  assert_int_equal(ls_input_options_check(&options, NULL), LS_EINVAL);
}

static void some_strings_need_all_inputs(void **state) {
  (void)state;
  const struct ls_input_options plus = {.has_plus = true}, none = {0}, header = {.header = ":"};
  assert_true(ls_input_options_need_all(&plus, "a{##}", 5));
  assert_true(ls_input_options_need_all(&plus, "--x\0{uniq}", 10));
  assert_true(ls_input_options_need_all(&plus, "{2choose_k}", 11));
  assert_false(ls_input_options_need_all(&plus, "{#}", 3));
  assert_false(ls_input_options_need_all(&none, "{##}", 4));
  assert_true(ls_input_options_need_all(&header, "", 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_kept),
      cmocka_unit_test(wrong_values_are_refused_by_name),
      cmocka_unit_test(header_of_inputs_is_one_line),
      cmocka_unit_test(csv_has_one_separator_and_lines),
      cmocka_unit_test(some_strings_need_all_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
