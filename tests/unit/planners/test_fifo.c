#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "returns_fixture.h"

static void the_recovered_platforms_have_their_throughput(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure3, 3);
  returns_plan(&returns, "fifo", 1, false, &plan);
  expect_near(ls_plan_get(&plan, "throughput", (double)NAN), 0.5, 1e-12);
  assert_int_equal(plan.chunks_count, 2);
  expect_near(ls_plan_get(&plan, "proven", (double)NAN), 1, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
  returns_take(&returns, returns_figure4, 3);
  expect_near(returns_throughput(&returns, "fifo"), 47.0 / 632, 1e-12);
  ls_returns_close(&returns);
}

static void the_plan_ends_at_the_load_over_the_throughput(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 141, "fifo");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 1 + kind % 9, kind, kind % 2 == 1);
    returns_plan(&returns, "fifo", 123, false, &plan);
    expect_near(plan.makespan_s, 123 / ls_plan_get(&plan, "throughput", (double)NAN), 1e-9);
    for (size_t i = 0; i < plan.returns_count; i++) assert_int_equal(plan.returns[i], i);
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static void a_worker_that_costs_nothing_is_refused(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err;
  returns_take(&returns, (const double[][3]){{1, 1, 1}, {0, 0, 0}}, 2);
  returns_platform(&returns, &platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  assert_int_equal(ls_planner_run(ls_planner_find("fifo"), &setup, NULL, &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  ls_returns_close(&returns);
}

static void latencies_end_no_sooner(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure4, 3);
  double linear_s = 100 / returns_throughput(&returns, "fifo");
  for (size_t i = 0; i < 3; i++) returns.workers[i].compute_latency_s = 2;
  returns_plan(&returns, "fifo", 100, false, &plan);
  assert_true(plan.makespan_s >= linear_s);
  assert_true(plan.makespan_s <= linear_s + 2 + 1e-9);
  expect_near(ls_plan_get(&plan, "linear_makespan", (double)NAN), linear_s, 1e-9);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_recovered_platforms_have_their_throughput),
      cmocka_unit_test(the_plan_ends_at_the_load_over_the_throughput),
      cmocka_unit_test(a_worker_that_costs_nothing_is_refused),
      cmocka_unit_test(latencies_end_no_sooner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
