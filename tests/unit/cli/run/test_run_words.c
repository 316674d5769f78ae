#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_words.h"

static enum ls_status name(struct ls_run_words *made, const struct ls_input_options *options,
                           struct ls_task_source *source, const char *header,
                           struct ls_error *err) {
  static char copy[64];
  static char value[] = "v";
  strcpy(copy, header);
  char *list[] = {copy, value};
  *made = (struct ls_run_words){0};
  *source = (struct ls_task_source){.has_header = true};
  assert_int_equal(ls_task_source_add_words(source, list, 2, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(source, NULL), LS_OK);
  assert_int_equal(ls_run_words_open(made, options, err), LS_OK);
  return ls_run_words_read(made, options, source, err);
}

static void columns_are_named_by_the_header(void **state) {
  (void)state;
  const struct ls_input_options options = {.header = ":", .colsep = ","};
  struct ls_run_words made;
  struct ls_task_source source;
  assert_int_equal(name(&made, &options, &source, "x , y", NULL), LS_OK);
  assert_int_equal(made.grammar.names_count, 2);
  assert_string_equal(made.grammar.names[0].text, "x");
  assert_int_equal(made.grammar.names[1].place.column, 2);
  assert_true(made.grammar.has_columns && source.rows == &made.rows);
  ls_run_words_close(&made);
  ls_task_source_close(&source);
}

static void a_header_with_tabs_has_columns_without_colsep(void **state) {
  (void)state;
  const struct ls_input_options options = {.header = ":"};
  struct ls_run_words made;
  struct ls_task_source source;
  assert_int_equal(name(&made, &options, &source, "x\ty", NULL), LS_OK);
  assert_true(made.grammar.has_columns && source.rows != NULL);
  ls_run_words_close(&made);
  ls_task_source_close(&source);
  assert_int_equal(name(&made, &options, &source, "x", NULL), LS_OK);
  assert_true(!made.grammar.has_columns && source.rows == NULL);
  assert_int_equal(made.grammar.sources_count, 1);
  ls_run_words_close(&made);
  ls_task_source_close(&source);
}

static void names_that_occur_twice_are_refused(void **state) {
  (void)state;
  const struct ls_input_options options = {.header = ":", .colsep = ","};
  struct ls_run_words made;
  struct ls_task_source source;
  struct ls_error err = {0};
  assert_int_equal(name(&made, &options, &source, "x,x", &err), LS_EINVAL);
  assert_string_equal(err.text, "--header: two columns are named 'x', expected names that differ");
  ls_run_words_close(&made);
  ls_task_source_close(&source);
}

static void wrong_expressions_are_refused(void **state) {
  (void)state;
  struct ls_run_words made = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_run_words_open(&made, &(struct ls_input_options){.colsep = "("}, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "--colsep is '('"));
  ls_run_words_close(&made);
  assert_int_equal(ls_run_words_open(
                       &made, &(struct ls_input_options){.rules = {"x y"}, .rules_count = 1}, &err),
                   LS_EINVAL);
  ls_run_words_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_named_by_the_header),
      cmocka_unit_test(a_header_with_tabs_has_columns_without_colsep),
      cmocka_unit_test(names_that_occur_twice_are_refused),
      cmocka_unit_test(wrong_expressions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
