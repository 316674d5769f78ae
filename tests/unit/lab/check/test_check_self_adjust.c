#include "check_fixture.h"

static void a_step_is_clamped_to_the_tasks(void **state) {
  (void)state;
  struct evaluation evaluation =
      evaluate(&ls_check_kind_self_adjust, "self", 5, 5,
               "{'wanted': 5, 'current': 5, 'task_seconds': [5, 3, 3, 2, 1], "
               "'iteration_seconds': 6.2, 'efficiency': 0.7}");
  expect_field(&evaluation, "wanted", "5");
  json_decref(evaluation.got);
}

static void the_first_iteration_is_coarse_unless_literal(void **state) {
  (void)state;
  struct evaluation corrected =
      evaluate(&ls_check_kind_self_adjust, "self", 5, 5,
               "{'wanted': 5, 'current': 5, 'task_seconds': [5, 1, 1, 1, 1], 'first': true, "
               "'iteration_seconds': 5, 'efficiency': 0.5}");
  expect_field(&corrected, "wanted", "3");
  json_decref(corrected.got);
  struct evaluation literal =
      evaluate(&ls_check_kind_self_adjust, "self", 5, 5,
               "{'wanted': 5, 'current': 5, 'task_seconds': [5, 1, 1, 1, 1], 'first': true, "
               "'literal': true, 'iteration_seconds': 5, 'efficiency': 0.5}");
  expect_field(&literal, "wanted", "4");
  json_decref(literal.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {2, "self", "{'task_seconds': []}", "task_seconds"},
      {2, "self", "{'task_seconds': [1], 'efficiency': 1}", "iteration_seconds"},
      {2, "self", "{'task_seconds': [1], 'iteration_seconds': 1, 'efficiency': -1}", "efficiency"},
  };
  expect_refusals(&ls_check_kind_self_adjust, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_is_clamped_to_the_tasks),
      cmocka_unit_test(the_first_iteration_is_coarse_unless_literal),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
