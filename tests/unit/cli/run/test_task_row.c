#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/task_row.h"

static void facts_are_those_of_the_task(void **state) {
  (void)state;
  char *hosts[] = {(char *)"h"}, *values[] = {(char *)"a-b", (char *)"c"};
  struct ls_task_source source = {0};
  assert_int_equal(ls_task_source_add_words(&source, hosts, 1, false, NULL), LS_OK);
  source.has_hosts = true;
  assert_int_equal(ls_task_source_add_words(&source, values, 2, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  struct ls_task_row row = {0};
  struct ls_template_task facts;
  assert_int_equal(ls_task_row_read(&row, &source, 1, &facts, NULL), LS_OK);
  assert_string_equal(row.inputs[0], "h");
  assert_string_equal(facts.values[0], "c");
  assert_int_equal(facts.values_count, 1);
  assert_true(facts.sequence == 2 && facts.tasks == 2 && facts.slot == 1);
  struct ls_row_form form = {0};
  assert_int_equal(
      ls_pattern_compile("--colsep", "-", (struct ls_pattern_traits){0}, &form.columns, NULL),
      LS_OK);
  source.rows = &form;
  assert_int_equal(ls_task_row_read(&row, &source, 0, &facts, NULL), LS_OK);
  assert_int_equal(facts.values_count, 2);
  assert_string_equal(facts.values[1], "b");
  ls_task_row_close(&row);
  ls_task_source_close(&source);
  ls_pattern_close(form.columns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_those_of_the_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
