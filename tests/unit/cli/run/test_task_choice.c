#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/task_choice.h"
#include "cli/run/task_source.h"

static void words(struct ls_task_source *source, const char *text) {
  static char copies[8][64];
  static int next;
  char *list[16], *copy = copies[next++ % 8];
  size_t count = 0;
  strcpy(copy, text);
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) list[count++] = word;
  assert_int_equal(ls_task_source_add_words(source, list, count, false, NULL), LS_OK);
}

static void all_are_kept_without_a_rule(void **state) {
  (void)state;
  struct ls_task_choice choice = {0};
  struct ls_task_source source = {0};
  uint64_t tasks = 7;
  assert_int_equal(ls_task_choice_make(&choice, &source, &tasks, NULL), LS_OK);
  assert_int_equal(tasks, 7);
  assert_int_equal(ls_task_choice_find(&choice, 3), 3);
}

static void combinations_that_ascend_are_found_in_order(void **state) {
  (void)state;
  struct ls_task_source source = {0};
  words(&source, "a b c");
  words(&source, "a b c");
  struct ls_task_choice choice = {.rule = LS_CHOICE_ASCENDING};
  uint64_t tasks = 9;
  assert_int_equal(ls_task_choice_make(&choice, &source, &tasks, NULL), LS_OK);
  assert_int_equal(tasks, 3);
  static const uint64_t expected[] = {1, 2, 5};
  for (uint64_t i = 0; i < 3; i++) assert_int_equal(ls_task_choice_find(&choice, i), expected[i]);
  ls_task_choice_close(&choice);
  ls_task_source_close(&source);
}

/* 8 out of 40 are more combinations than there is time for, but few beginnings fit. */
static void beginnings_that_do_not_fit_are_left(void **state) {
  (void)state;
  struct ls_task_source source = {0};
  for (int i = 0; i < 40; i++) words(&source, "a b");
  struct ls_task_choice choice = {.rule = LS_CHOICE_UNLIKE};
  uint64_t tasks = (uint64_t)1 << 40;
  assert_int_equal(ls_task_choice_make(&choice, &source, &tasks, NULL), LS_OK);
  assert_int_equal(tasks, 0);
  ls_task_choice_close(&choice);
  ls_task_source_close(&source);
}

static void columns_are_compared_where_there_are_some(void **state) {
  (void)state;
  struct ls_row_form form = {0};
  assert_int_equal(
      ls_pattern_compile("--colsep", "-", (struct ls_pattern_traits){0}, &form.columns, NULL),
      LS_OK);
  struct ls_task_source source = {.rows = &form, .choice = {.rule = LS_CHOICE_UNLIKE}};
  words(&source, "a-a a-b b-a c-c");
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_int_equal(source.tasks, 2);
  ls_task_source_close(&source);
  ls_pattern_close(form.columns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_are_kept_without_a_rule),
      cmocka_unit_test(combinations_that_ascend_are_found_in_order),
      cmocka_unit_test(beginnings_that_do_not_fit_are_left),
      cmocka_unit_test(columns_are_compared_where_there_are_some),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
