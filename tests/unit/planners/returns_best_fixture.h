/* returns_best_fixture.h: what holds of `fifo` and `lifo` alike: the best plan of its kind. */
#ifndef LS_TESTS_UNIT_PLANNERS_RETURNS_BEST_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_RETURNS_BEST_FIXTURE_H

#include <stdlib.h>

#include "planners/returns/returns.h"
#include "returns_fixture.h"

/* What a planner reaches on the platforms of Figures 3 and 4. */
struct returns_recovered {
  double figure_3, figure_4; /* throughputs */
  size_t used;               /* workers that the best plan of Figure 3 uses */
};

static inline void returns_expect_recovered(const char *planner,
                                            const struct returns_recovered *wanted) {
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure3, 3);
  returns_plan(&returns, planner, 1, false, &plan);
  expect_near(ls_plan_get(&plan, "throughput", (double)NAN), wanted->figure_3, 1e-12);
  assert_int_equal(plan.chunks_count, wanted->used);
  expect_near(ls_plan_get(&plan, "proven", (double)NAN), 1, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
  returns_take(&returns, returns_figure4, 3);
  expect_near(returns_throughput(&returns, planner), wanted->figure_4, 1e-12);
  ls_returns_close(&returns);
}

/* On random platforms the replay ends when the throughput says so; results return in the order of
 * the sends, or from the last one to the first. */
static inline void returns_expect_end(const char *planner, bool is_reversed) {
  struct ls_random random;
  ls_random_init(&random, 141, planner);
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 1 + kind % 9, kind, kind % 2 == 1);
    returns_plan(&returns, planner, 123, false, &plan);
    expect_near(plan.makespan_s, 123 / ls_plan_get(&plan, "throughput", (double)NAN), 1e-9);
    for (size_t i = 0; i < plan.returns_count; i++)
      assert_int_equal(plan.returns[i], is_reversed ? plan.returns_count - 1 - i : i);
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

/* A worker without any cost could do all of the load in no time. */
static inline void returns_expect_refusal(const char *planner) {
  struct ls_returns returns;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err;
  returns_take(&returns, (const double[][3]){{1, 1, 1}, {0, 0, 0}}, 2);
  returns_platform(&returns, &platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  assert_int_equal(ls_planner_run(ls_planner_find(planner), &setup, NULL, &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  ls_returns_close(&returns);
}

static inline void returns_expect_latencies_cost(const char *planner) {
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure4, 3);
  double linear_s = 100 / returns_throughput(&returns, planner);
  for (size_t i = 0; i < 3; i++) returns.workers[i].compute_latency_s = 2;
  returns_plan(&returns, planner, 100, false, &plan);
  assert_true(plan.makespan_s >= linear_s);
  assert_true(plan.makespan_s <= linear_s + 2 + 1e-9);
  expect_near(ls_plan_get(&plan, "linear_makespan", (double)NAN), linear_s, 1e-9);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

#endif
