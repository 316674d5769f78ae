/* Several iterations: the next one begins when all replies of the last are back. */
#include "support.h"

static void iterations_follow_each_other(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[3];
  const uint64_t units[] = {4, 6, 2};
  double work[12];
  open_platform(&platform, 2);
  for (size_t i = 0; i < 12; i++) work[i] = i < 4 ? 1 : 2;
  struct ls_simulation setup = make_simulation(&platform, "ss", 0);
  setup.iterations = 3;
  setup.iteration_units = units;
  setup.task_work = work;
  setup.iterations_out = iterations;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_near(result.makespan_s, 2 + 6 + 2, 1e-12);
  assert_near(iterations[0].end_s, 2, 1e-12);
  assert_near(iterations[1].begin_s, 2, 1e-12);
  assert_near(iterations[1].end_s, 8, 1e-12);
  assert_near(iterations[1].useful_s, 12, 1e-12);
  assert_near(iterations[1].up_s, 12, 1e-12);
  assert_near(iterations[2].end_s, 10, 1e-12);
  assert_int_equal(result.units_done, 12);
  ls_platform_close(&platform);
}

static void the_next_iteration_waits_for_replies(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[2];
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.5;
  struct ls_simulation setup = make_simulation(&platform, "sc", 2);
  setup.iterations = 2;
  setup.iterations_out = iterations;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_near(iterations[0].end_s, 2, 1e-12);
  assert_near(iterations[1].begin_s, 2, 1e-12);
  assert_near(result.makespan_s, 4, 1e-12);
  ls_platform_close(&platform);
}

/* awf learns the speeds in the first iteration, and takes them as weights afterwards. */
static void a_policy_knows_the_iterations_before(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[3];
  open_platform(&platform, 3);
  for (size_t i = 0; i < 3; i++)
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 << i;
  struct ls_simulation setup = make_simulation(&platform, "awf", 200);
  setup.iterations = 3;
  setup.iterations_out = iterations;
  run_simulation(&setup, NULL);
  double first_s = iterations[0].end_s, third_s = iterations[2].end_s - iterations[2].begin_s;
  setup.iterations = 1;
  setup.config.chunking = ls_chunking_find("wf2");
  const double weights[] = {1, 0.5, 0.25};
  setup.config.weights = weights;
  run_simulation(&setup, NULL);
  assert_true(fabs(first_s - iterations[0].end_s) > 0.5);
  assert_near(third_s, iterations[0].end_s, 1e-9);
  ls_platform_close(&platform);
}

static void an_empty_iteration_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  const uint64_t units[] = {4, 0};
  open_platform(&platform, 1);
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  setup.iterations = 2;
  setup.iteration_units = units;
  assert_refused(&setup, "iteration 1 has no units");
  ls_platform_close(&platform);
}

/* Of eight units of 1 s two, six, then all have nothing to do: the sizings see six and two. */
static void units_that_are_idle_take_no_time(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_range ranges[] = {{1, 2}, {0, 5}, {7, 1}, {0, 8}};
  const struct ls_ranges idle[] = {{.items = ranges, .count = 1},
                                   {.items = ranges + 1, .count = 2},
                                   {.items = ranges + 3, .count = 1}};
  struct ls_simulated_iteration iterations[3];
  struct ls_timeline timeline;
  double work[24];
  open_platform(&platform, 2);
  for (size_t i = 0; i < 24; i++) work[i] = 1;
  work[2] = work[8] = 1000; /* idle */
  struct ls_simulation setup = make_simulation(&platform, "ss", 8);
  setup.iterations = 3;
  setup.task_work = work;
  setup.idle = idle;
  setup.iterations_out = iterations;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 6 + 2);
  assert_int_equal(timeline.decisions_count, 6 + 2);
  assert_near(iterations[0].end_s, 3, 1e-12);
  assert_near(iterations[1].end_s, 4, 1e-12);
  assert_near(result.makespan_s, 4, 1e-12);
  assert_near(result.efficiency, 1, 1e-12);
  ls_timeline_close(&timeline);
  /* A loss comes within the longest task that runs. */
  setup.reclaim.probability = 1;
  result = run_simulation(&setup, NULL);
  assert_true(result.makespan_s > 4.01 && result.makespan_s < 12);
  /* Where nothing has anything to do, nothing is done. */
  setup.idle = idle + 2;
  setup.iterations = 1;
  assert_near(run_simulation(&setup, NULL).makespan_s, 0, 0);
  ls_platform_close(&platform);
}

static void idle_units_that_there_are_not_are_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_range behind[] = {{0, 2}, {3, 2}}, twice[] = {{1, 2}, {2, 1}};
  open_platform(&platform, 1);
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  setup.idle = &(struct ls_ranges){.items = behind, .count = 2};
  assert_refused(&setup, "idle[0][1] is 3+2");
  setup.idle = &(struct ls_ranges){.items = twice, .count = 2};
  assert_refused(&setup, "idle[0][1] is 2+1");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterations_follow_each_other),
      cmocka_unit_test(the_next_iteration_waits_for_replies),
      cmocka_unit_test(a_policy_knows_the_iterations_before),
      cmocka_unit_test(an_empty_iteration_is_refused),
      cmocka_unit_test(units_that_are_idle_take_no_time),
      cmocka_unit_test(idle_units_that_there_are_not_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
