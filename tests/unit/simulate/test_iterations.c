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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterations_follow_each_other),
      cmocka_unit_test(the_next_iteration_waits_for_replies),
      cmocka_unit_test(a_policy_knows_the_iterations_before),
      cmocka_unit_test(an_empty_iteration_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
