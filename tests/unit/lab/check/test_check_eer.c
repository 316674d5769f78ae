#include "check_fixture.h"

static void the_perfect_number_comes_with_its_sets(void **state) {
  (void)state;
  struct evaluation one = evaluate(&ls_check_kind_eer, "lptf", 4, 1, "{'task_work': [1, 1, 2]}");
  expect_field(&one, "perfect_number", "2");
  expect_field(&one, "ideal_interval", "[2]");
  expect_field(&one, "asp", "2.0");
  json_decref(one.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {1, "lptf", "{'task_work': []}", "empty"},
      {1, "lptf", "{'workload': {'tasks': 0}}", "tasks"},
      {1, "lptf", "{'task_work': [1], 'workload': {}}", "expected one of"},
  };
  expect_refusals(&ls_check_kind_eer, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_perfect_number_comes_with_its_sets),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
