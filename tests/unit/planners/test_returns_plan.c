#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/load.h"
#include "model/validate.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_plan.h"
#include "returns_fixture.h"

static double sum_units(const struct ls_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) sum += plan->chunks[i].units;
  return sum;
}

/* Section 7: never later than N/rho + sum (c + d) + max w, and never sooner than N/rho. */
static void whole_units_keep_the_sum_and_the_bound(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "whole");
  for (size_t kind = 0; kind < 60; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 1 + kind % 7, kind, kind % 3 == 0);
    double load = (double)(1 + ls_random_below(&random, 40));
    returns_plan(&returns, kind % 2 == 0 ? "fifo" : "lifo", load, true, &plan);
    assert_true(ls_plan_is_whole(&plan));
    expect_near(sum_units(&plan), load, 0);
    /* Of one port the order is proven best for like costs only, and others may be better. */
    assert_true(returns.is_one_port || ls_plan_has(&plan, "makespan_at_least"));
    assert_true(plan.makespan_s >= ls_plan_get(&plan, "makespan_at_least", 0) * (1 - 1e-9));
    assert_true(plan.makespan_s <=
                ls_plan_get(&plan, "makespan_at_most", (double)NAN) * (1 + 1e-9));
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static void fewer_units_than_workers_leave_some_idle(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_random random;
  struct ls_plan plan;
  ls_random_init(&random, 2, "whole");
  returns_make(&returns, &random, 8, 3, false);
  returns_plan(&returns, "lifo", 3, true, &plan);
  assert_true(plan.chunks_count <= 3);
  expect_near(sum_units(&plan), 3, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

/* All seven left to one worker would be far later: the greedy rule and the largest remainder are
 * compared, and the better one is taken. */
static void rounding_is_no_worse_than_by_remainder(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "whole");
  bool has_differed = false;
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    double units[6], sum = 0;
    bool is_proven;
    returns_make(&returns, &random, 6, kind, false);
    assert_int_equal(ls_scenario_open(&scenario, 6, NULL), LS_OK);
    assert_int_equal(ls_returns_fifo(&returns, &scenario, &is_proven, NULL), LS_OK);
    for (size_t i = 0; i < 6; i++) scenario.units[i] *= 17 / scenario.throughput;
    assert_int_equal(ls_returns_round(&returns, &scenario, 17, units, NULL), LS_OK);
    uint64_t by_remainder[6];
    double other[6];
    assert_int_equal(ls_load_round(scenario.units, 6, 17, by_remainder, NULL), LS_OK);
    for (size_t i = 0; i < 6; i++) {
      other[i] = (double)by_remainder[i];
      sum += units[i];
      assert_true(units[i] >= floor(scenario.units[i]));
      if (fabs(units[i] - other[i]) > 0) has_differed = true;
    }
    expect_near(sum, 17, 0);
    assert_true(ls_returns_makespan(&returns, &scenario, units) <=
                ls_returns_makespan(&returns, &scenario, other));
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
  assert_true(has_differed);
}

static const char *const planners[] = {"fifo",       "lifo",          "fifo-inc-c",    "fifo-inc-w",
                                       "returns-lp", "returns-exact", "returns-search"};
enum { PLANNERS = sizeof planners / sizeof *planners };

/* The one worker without latencies is slow and takes all: what the others' latencies cost is part
 * of the bound although they are not enrolled. */
static void makespans_with_latencies_lie_within_their_bounds(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "bounds");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    if (kind == 0)
      returns_take(&returns, (const double[][3]){{1, 1, 1}, {.1, .1, .1}, {.1, .1, .1}}, 3);
    else
      returns_make(&returns, &random, 3, kind, kind % 3 == 0);
    returns.has_latency = true;
    for (size_t i = 1; i < 3; i++)
      returns.workers[i].send_latency_s = kind == 0 ? 1000 : returns_draw(&random, 0, 20);
    for (size_t k = 0; k < PLANNERS; k++) {
      struct ls_plan plan;
      returns_plan(&returns, planners[k], 10, false, &plan);
      double least_s = ls_plan_get(&plan, "linear_makespan", (double)NAN);
      double most_s = ls_plan_get(&plan, "linear_makespan_and_latencies", (double)NAN);
      if (!(plan.makespan_s >= least_s * (1 - 1e-9) && plan.makespan_s <= most_s * (1 + 1e-9)))
        fail_msg("%s: %g is not in [%g, %g]", planners[k], plan.makespan_s, least_s, most_s);
      ls_plan_close(&plan);
    }
    ls_returns_close(&returns);
  }
}

/* More workers than programs of subsets look at: latencies that are next to nothing leave out
 * nobody who is of use without them. */
static void of_many_workers_small_latencies_leave_out_nobody(void **state) {
  (void)state;
  enum { MANY = 215 };
  struct ls_random random;
  struct ls_returns returns;
  struct ls_plan plan;
  ls_random_init(&random, 6, "many");
  returns_make(&returns, &random, MANY, 3, false);
  for (size_t i = 0; i < MANY; i++) returns.workers[i].compute_s *= 1000; /* LIFO loads all */
  returns_plan(&returns, "lifo", 1000, false, &plan);
  double linear_s = plan.makespan_s;
  assert_int_equal(plan.chunks_count, MANY);
  ls_plan_close(&plan);
  returns.has_latency = true;
  for (size_t i = 0; i < MANY; i++) returns.workers[i].send_latency_s = 1e-9;
  returns_plan(&returns, "lifo", 1000, false, &plan);
  assert_int_equal(plan.chunks_count, MANY);
  assert_true(plan.makespan_s >= linear_s && plan.makespan_s <= linear_s * (1 + 1e-6));
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

/* The far worker only delays: rounding leaves it out, and ends before the plan of parts of units
 * for all. */
static void whole_units_of_poor_orders_lie_within_their_bounds(void **state) {
  (void)state;
  static const char *const poor[] = {"fifo-inc-c", "fifo-inc-w"};
  struct ls_returns returns;
  returns_take(&returns, (const double[][3]){{1, 1, 1}, {100, 1, 100}}, 2);
  for (size_t k = 0; k < 2; k++) {
    struct ls_plan plan;
    returns_plan(&returns, poor[k], 1, true, &plan);
    assert_true(plan.makespan_s < ls_plan_get(&plan, "predicted_makespan", (double)NAN));
    double least_s = ls_plan_get(&plan, "makespan_at_least", (double)NAN);
    double most_s = ls_plan_get(&plan, "makespan_at_most", (double)NAN);
    if (!(plan.makespan_s >= least_s * (1 - 1e-9) && plan.makespan_s <= most_s * (1 + 1e-9)))
      fail_msg("%s: %g is not in [%g, %g]", poor[k], plan.makespan_s, least_s, most_s);
    ls_plan_close(&plan);
  }
  ls_returns_close(&returns);
}

/* What is rounding noise is told by the units that the planner found, which are for one second. */
static void the_size_of_the_load_changes_nobodys_share(void **state) {
  (void)state;
  static const double loads[] = {1e-12, 1e15};
  struct ls_returns returns;
  returns_take(&returns, returns_figure4, 3);
  for (size_t k = 0; k < PLANNERS; k++) {
    struct ls_plan plan;
    returns_plan(&returns, planners[k], 1, false, &plan);
    double makespan_s = plan.makespan_s;
    size_t chunks_count = plan.chunks_count;
    ls_plan_close(&plan);
    for (size_t i = 0; i < 2; i++) {
      returns_plan(&returns, planners[k], loads[i], false, &plan);
      assert_int_equal(plan.chunks_count, chunks_count);
      expect_near(plan.makespan_s / (loads[i] * makespan_s), 1, 1e-9);
      ls_plan_close(&plan);
    }
  }
  ls_returns_close(&returns);
}

static void a_load_that_is_not_whole_is_refused(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err;
  returns_take(&returns, returns_figure4, 3);
  returns_platform(&returns, &platform);
  struct ls_planner_setup setup = {.platform = &platform, .load = 2.5, .is_whole = true};
  assert_int_equal(ls_planner_run(ls_planner_find("fifo"), &setup, NULL, &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "2.5"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  ls_returns_close(&returns);
}

static void plans_tell_orders_and_what_is_proven(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure4, 3);
  returns_plan(&returns, "returns-exact", 10, false, &plan);
  expect_near(ls_plan_get(&plan, "throughput", (double)NAN), 38.0 / 499, 1e-12);
  expect_near(ls_plan_get(&plan, "predicted_makespan", (double)NAN), 10 * 499 / 38.0, 1e-12);
  expect_near(ls_plan_get(&plan, "proven", (double)NAN), 1, 0);
  expect_near(ls_plan_get(&plan, "search_gap", (double)NAN), 0, 0);
  expect_near(plan.makespan_s, 10 * 499 / 38.0, 1e-9);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

/* The best makespan of all ways to give the load to three workers in whole units. */
static double divide_best(const struct ls_returns *returns, struct ls_scenario *scenario,
                          int load) {
  double best_s = HUGE_VAL;
  for (int first = 0; first <= load; first++) {
    for (int second = 0; first + second <= load; second++) {
      const double units[3] = {first, second, load - first - second};
      best_s = fmin(best_s, ls_returns_makespan(returns, scenario, units));
    }
  }
  return best_s;
}

/* ... in all pairs of their orders. */
static double divide_in_all_orders(const struct ls_returns *returns, int load) {
  static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  struct ls_scenario scenario;
  double best_s = HUGE_VAL;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  scenario.count = 3;
  for (size_t i = 0; i < 36; i++) {
    memcpy(scenario.sends, orders[i / 6], sizeof orders[0]);
    memcpy(scenario.returns, orders[i % 6], sizeof orders[0]);
    best_s = fmin(best_s, divide_best(returns, &scenario, load));
  }
  ls_scenario_close(&scenario);
  return best_s;
}

/* The theory proves parts of units. Of whole ones a plan may claim only what all divisions of the
 * load in all orders bear out. */
static void whole_units_are_proven_only_when_nothing_is_better(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "proven");
  size_t unproven = 0;
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 3, kind, kind % 3 == 0);
    returns.has_latency = kind % 5 == 0;
    if (returns.has_latency) returns.workers[0].send_latency_s = 1;
    int load = 1 + (int)(kind % 7);
    returns_plan(&returns, "returns-exact", load, true, &plan);
    double best_s = divide_in_all_orders(&returns, load);
    bool is_proven = ls_plan_get(&plan, "proven", (double)NAN) > 0;
    double gap = ls_plan_get(&plan, "search_gap", (double)NAN);
    if (is_proven) expect_near(plan.makespan_s / best_s, 1, 1e-9);
    assert_true(gap >= 0 && plan.makespan_s <= best_s * (1 + gap) * (1 + 1e-9));
    if (!is_proven) unproven++;
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
  assert_true(unproven > 0);
  /* Two alike on a bus share an even load in whole units. */
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, (const double[][3]){{0, 1, 0}, {0, 1, 0}}, 2);
  returns_plan(&returns, "returns-exact", 10, true, &plan);
  expect_near(ls_plan_get(&plan, "proven", (double)NAN), 1, 0);
  expect_near(ls_plan_get(&plan, "search_gap", (double)NAN), 0, 1e-12);
  ls_plan_close(&plan);
  returns_plan(&returns, "fifo", 11, true, &plan);
  expect_near(ls_plan_get(&plan, "proven", (double)NAN), 0, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_units_keep_the_sum_and_the_bound),
      cmocka_unit_test(fewer_units_than_workers_leave_some_idle),
      cmocka_unit_test(rounding_is_no_worse_than_by_remainder),
      cmocka_unit_test(makespans_with_latencies_lie_within_their_bounds),
      cmocka_unit_test(of_many_workers_small_latencies_leave_out_nobody),
      cmocka_unit_test(whole_units_of_poor_orders_lie_within_their_bounds),
      cmocka_unit_test(the_size_of_the_load_changes_nobodys_share),
      cmocka_unit_test(a_load_that_is_not_whole_is_refused),
      cmocka_unit_test(plans_tell_orders_and_what_is_proven),
      cmocka_unit_test(whole_units_are_proven_only_when_nothing_is_better),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
