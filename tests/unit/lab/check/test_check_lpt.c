#include "check_fixture.h"

static void orders_decide_the_schedule(void **state) {
  (void)state;
  struct evaluation fifo = evaluate(&ls_check_kind_lpt, "fifo", 3, 2, "{'task_work': [1, 2, 6]}");
  expect_field(&fifo, "worker_of_task", "[0, 1, 0]");
  expect_field(&fifo, "makespan", "7.0");
  json_decref(fifo.got);
  struct evaluation lptf = evaluate(&ls_check_kind_lpt, "lptf", 3, 2, "{'task_work': [1, 2, 6]}");
  expect_field(&lptf, "worker_of_task", "[1, 1, 0]");
  expect_field(&lptf, "makespan", "6.0");
  json_decref(lptf.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {2, "lifo", "{'task_work': [1]}", "expected an order"},
      {2, "fifo", "{}", "task_work"},
      {2, "fifo", "{'task_work': [-1]}", "task_work"},
      {0, "fifo", "{'task_work': [1]}", "workers"},
      {2, "fifo", "{'task_work': [1], 'deadline': 3}", "deadline"},
  };
  expect_refusals(&ls_check_kind_lpt, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_decide_the_schedule),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
