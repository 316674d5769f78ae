/* What workers and master say to each other. */
#include "support.h"

/* A result takes the worker's delay, so the master knows of the last one later than it ended. */
static void a_result_takes_the_delay_of_its_worker(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[2];
  open_platform(&platform, 2);
  platform.workers[1].delay_s = 0.5;
  struct ls_simulation setup = make_simulation(&platform, "sc", 4);
  setup.iterations = 2;
  setup.prefetch = 0;
  setup.iterations_out = iterations;
  struct ls_simulated result = run_simulation(&setup, NULL);
  /* Asked, sent, computed, told. */
  assert_near(iterations[1].begin_s, 0.5 + 0.5 + 2 + 0.5, 1e-12);
  assert_near(result.makespan_s, 3.5 + 0.5 + 2, 1e-12);
  ls_platform_close(&platform);
}

/* Worker 0 has computed its only unit when it departs, and its word is still on the way: worker 1
 * need not compute the unit again. */
static void what_was_said_before_a_departure_counts(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  platform.workers[0].delay_s = 3;
  struct ls_simulation setup = make_simulation(&platform, "ss", 10);
  setup.prefetch = 0;
  struct ls_simulated_change leave = {.worker = 0, .time_s = 7.5};
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 10);
  assert_near(result.makespan_s, 9, 1e-12);
  ls_platform_close(&platform);
}

/* ... and what it has computed of a chunk, and had no reason yet to tell. */
static void what_was_finished_before_a_departure_counts(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "sc", 20);
  setup.prefetch = 0;
  struct ls_simulated_change leave = {.worker = 0, .time_s = 7.5};
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 20);
  assert_near(result.makespan_s, 13, 1e-12);
  ls_platform_close(&platform);
}

/* Random & Average learns each task's time from its own result, so with times that stay the same it
 * is largest-first from the second iteration on. */
static void an_order_learns_the_times_of_single_tasks(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration learnt[4], known[4];
  double work[4 * 30];
  open_platform(&platform, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 30);
  for (size_t i = 0; i < 120; i++) work[i] = 1 + (double)(i % 30 * 7 % 30);
  setup.task_work = work;
  setup.iterations = 4;
  setup.prefetch = 0;
  setup.config.ordering = ls_ordering_find("average");
  assert_non_null(setup.config.ordering);
  setup.iterations_out = learnt;
  run_simulation(&setup, NULL);
  setup.config.ordering = ls_ordering_find("lptf");
  setup.iterations_out = known;
  run_simulation(&setup, NULL);
  for (size_t k = 1; k < 4; k++)
    assert_near(learnt[k].end_s - learnt[k].begin_s, known[k].end_s - known[k].begin_s, 1e-12);
  ls_platform_close(&platform);
}

/* The master is busy with a send of a second when reports of units arrive behind a request of their
 * own worker: they cost the delay only, so the division of Monitor for the next request knows them
 * (18 s where it does not). */
static void a_report_waits_behind_no_request(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 4);
  for (size_t i = 0; i < 4; i++) {
    platform.workers[i].costs[LS_OPERATION_SEND].latency_s = 1;
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = i < 2 ? 1 : 2;
    platform.workers[i].delay_s = i < 2 ? 0.1 : 0;
  }
  struct ls_simulation setup = make_simulation(&platform, "monitor", 20);
  setup.asking = LS_ASKING_ROOM;
  setup.config.recalls = true;
  setup.report_every = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 17.4, 1e-9);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_waits_behind_no_request),
      cmocka_unit_test(a_result_takes_the_delay_of_its_worker),
      cmocka_unit_test(what_was_said_before_a_departure_counts),
      cmocka_unit_test(what_was_finished_before_a_departure_counts),
      cmocka_unit_test(an_order_learns_the_times_of_single_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
