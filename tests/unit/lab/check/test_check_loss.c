#include "check_fixture.h"

static void a_cycle_may_lose_a_machine_or_none(void **state) {
  (void)state;
  struct evaluation calm =
      evaluate(&ls_check_kind_loss, "lptf", 2, 2, "{'task_work': [4, 4], 'lost_worker': null}");
  expect_field(&calm, "makespan", "4.0");
  json_decref(calm.got);
  struct evaluation lost = evaluate(&ls_check_kind_loss, "lptf", 2, 2,
                                    "{'task_work': [4, 4], 'lost_worker': 0, 'lost_at': 3}");
  expect_field(&lost, "makespan", "8.0");
  json_decref(lost.got);
}

static void a_number_of_workers_asks_for_the_expectation(void **state) {
  (void)state;
  struct evaluation evaluation =
      evaluate(&ls_check_kind_loss, "lptf", 2, 2,
               "{'task_work': [4, 4], 'workers': 2, 'extra': 0, 'midpoints': 2}");
  expect_field(&evaluation, "time_worsening_percent", "100.0");
  json_decref(evaluation.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {2, "lptf", "{'task_work': [4], 'lost_worker': 3, 'lost_at': 1}", "worker is 3"},
      {2, "lptf", "{'task_work': [4], 'lost_worker': 0}", "lost_at"},
      {1, "lptf", "{'task_work': [4], 'lost_worker': 0, 'lost_at': 1}", "never ends"},
      {0, "lptf", "{'task_work': [4]}", "no platform"},
  };
  expect_refusals(&ls_check_kind_loss, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cycle_may_lose_a_machine_or_none),
      cmocka_unit_test(a_number_of_workers_asks_for_the_expectation),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
