/* returns_sorted_fixture.h: what holds of `fifo-inc-c` and `fifo-inc-w` alike: all workers, in the
 * order of one of their costs. */
#ifndef LS_TESTS_UNIT_PLANNERS_RETURNS_SORTED_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_RETURNS_SORTED_FIXTURE_H

#include <stdlib.h>

#include "planners/returns/returns.h"
#include "returns_fixture.h"

typedef double (*returns_cost_fn)(const struct ls_returns_worker *worker);

/* On random platforms every worker works, in the order of the cost, and never better than the best
 * order of all. */
static inline void returns_expect_sorted(const char *planner, returns_cost_fn cost) {
  struct ls_random random;
  ls_random_init(&random, 151, "sorted");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 1 + kind % 9, kind, false);
    returns_plan(&returns, planner, 10, false, &plan);
    assert_int_equal(plan.chunks_count, returns.count);
    for (size_t k = 1; k < plan.chunks_count; k++) {
      const struct ls_returns_worker *before = &returns.workers[plan.chunks[k - 1].worker];
      const struct ls_returns_worker *here = &returns.workers[plan.chunks[k].worker];
      assert_true(cost(before) <= cost(here));
    }
    expect_near(plan.makespan_s, 10 / ls_plan_get(&plan, "throughput", (double)NAN), 1e-9);
    assert_true(ls_plan_get(&plan, "throughput", (double)NAN) <=
                returns_throughput(&returns, "fifo") * (1 + 1e-12));
    expect_near(ls_plan_get(&plan, "proven", (double)NAN), 0, 0);
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static inline void returns_expect_one_port_no_faster(const char *planner) {
  struct ls_random random;
  ls_random_init(&random, 152, "sorted");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 5, kind, false);
    double two = returns_throughput(&returns, planner);
    returns.is_one_port = true;
    double one = returns_throughput(&returns, planner);
    assert_true(one >= two / 2 &&
                one <= 1.0000001 * fmax(two, returns_throughput(&returns, "fifo")));
    ls_returns_close(&returns);
  }
}

#endif
