/* What a worker tells: one result for each range, or one for each unit where times are learnt. */
#include "support.h"

static void results_by_unit_change_no_schedule(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    double work[80];
    ls_random_init(&random, seed, "results");
    open_platform(&platform, 1 + ls_random_below(&random, 5));
    struct ls_simulation setup = make_simulation(&platform, seed % 2 ? "gss" : "ss", 80);
    for (size_t i = 0; i < 80; i++) work[i] = draw(&random, 0.1, 2);
    setup.task_work = work;
    setup.config.ordering = ls_ordering_find(seed % 3 ? "random" : "fifo");
    struct ls_simulated ranges = run_simulation(&setup, NULL);
    setup.wants_unit_results = true;
    struct ls_simulated units = run_simulation(&setup, NULL);
    assert_near(units.makespan_s, ranges.makespan_s, 0);
    assert_near(units.efficiency, ranges.efficiency, 1e-12);
    assert_int_equal(units.units_done, 80);
    ls_platform_close(&platform);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_by_unit_change_no_schedule),
      cmocka_unit_test(an_order_learns_the_times_of_single_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
