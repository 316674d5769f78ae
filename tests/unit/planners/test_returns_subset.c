#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/returns_program.h"
#include "planners/returns/returns_subset.h"
#include "returns_fixture.h"

static double solve_rows(const struct ls_returns *returns, const struct ls_scenario *orders,
                         bool is_enrolled) {
  struct ls_scenario scenario;
  struct ls_returns_verdict verdict = {.is_proven = true};
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  ls_scenario_copy(&scenario, orders, returns->count);
  if (is_enrolled)
    assert_int_equal(ls_returns_enrolled(returns, &scenario, &verdict, NULL), LS_OK);
  else
    assert_int_equal(ls_returns_program(returns, &scenario, NULL), LS_OK);
  assert_int_equal(verdict.is_proven, returns->count <= 12 || !is_enrolled);
  double throughput = scenario.throughput;
  ls_scenario_close(&scenario);
  return throughput;
}

static void unused_workers_do_not_hold_up_others(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario orders;
  returns_take(&returns, returns_trap, 3);
  assert_int_equal(ls_scenario_open(&orders, 3, NULL), LS_OK);
  ls_scenario_list(&orders, (const uint32_t[]){0, 1, 2}, 3);
  memcpy(orders.returns, (const uint32_t[]){2, 0, 1}, 3 * sizeof *orders.returns);
  expect_near(solve_rows(&returns, &orders, false), 0.5, 1e-12);
  expect_near(solve_rows(&returns, &orders, true), 0.625, 1e-12);
  ls_scenario_close(&orders);
  ls_returns_close(&returns);
}

static void fewer_rows_are_never_worse(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 31, "subset");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_scenario orders;
    uint64_t order[5] = {0, 1, 2, 3, 4};
    returns_make(&returns, &random, 5, kind, kind % 4 == 1);
    assert_int_equal(ls_scenario_open(&orders, 5, NULL), LS_OK);
    orders.count = 5;
    ls_random_shuffle(&random, order, 5);
    for (size_t k = 0; k < 5; k++) orders.sends[k] = (uint32_t)order[k];
    /* FIFO and LIFO: equal. */
    memcpy(orders.returns, orders.sends, 5 * sizeof *orders.sends);
    if (!returns.is_one_port)
      expect_near(solve_rows(&returns, &orders, true), solve_rows(&returns, &orders, false), 1e-11);
    for (size_t k = 0; k < 5; k++) orders.returns[4 - k] = orders.sends[k];
    expect_near(solve_rows(&returns, &orders, true), solve_rows(&returns, &orders, false), 1e-11);
    ls_random_shuffle(&random, order, 5);
    for (size_t k = 0; k < 5; k++) orders.returns[k] = (uint32_t)order[k];
    assert_true(solve_rows(&returns, &orders, true) >=
                solve_rows(&returns, &orders, false) * (1 - 1e-11));
    ls_scenario_close(&orders);
    ls_returns_close(&returns);
  }
}

/* Beyond 12 workers not all subsets are tried, and nothing is proven. */
static void many_workers_are_dropped_one_by_one(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  struct ls_scenario orders;
  ls_random_init(&random, 32, "subset");
  returns_make(&returns, &random, 14, 5, false);
  assert_int_equal(ls_scenario_open(&orders, 14, NULL), LS_OK);
  orders.count = 14;
  for (uint32_t k = 0; k < 14; k++) {
    orders.sends[k] = k;
    orders.returns[(k * 5) % 14] = k;
  }
  assert_true(solve_rows(&returns, &orders, true) >= solve_rows(&returns, &orders, false));
  ls_scenario_close(&orders);
  ls_returns_close(&returns);
}

static void small_loads_enrol_few_workers(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario scenario;
  struct ls_returns_verdict verdict;
  returns_take(&returns, (const double[][3]){{1, 4, 1}, {2, 2, 1}, {3, 1, 2}}, 3);
  for (size_t i = 0; i < 3; i++) returns.workers[i].send_latency_s = 1;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  const double loads[] = {0.1, 1000};
  size_t enrolled[2];
  for (size_t k = 0; k < 2; k++) {
    returns.load = loads[k];
    ls_scenario_list(&scenario, (const uint32_t[]){0, 1, 2}, 3);
    assert_int_equal(ls_returns_affine_enrolled(&returns, &scenario, &verdict, NULL), LS_OK);
    enrolled[k] = scenario.count;
    expect_near(ls_returns_makespan(&returns, &scenario, scenario.units) / verdict.makespan_s, 1,
                1e-9);
  }
  assert_int_equal(enrolled[0], 1);
  assert_int_equal(enrolled[1], 3);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

struct patience {
  int asked, most;
};

static bool lose_patience(void *context) {
  struct patience *patience = context;
  return ++patience->asked > patience->most;
}

/* Of 10 and of 14 workers, so both by all subsets and by single changes. With the large latencies
 * all workers together are no schedule at all, and still there is one, however soon it is stopped.
 */
static void a_stopped_choice_is_a_schedule_and_says_so(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 33, "subset");
  for (int kind = 0; kind < 8; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    struct patience patience = {.most = (kind / 4) * 5};
    const size_t count = kind % 2 == 0 ? 10 : 14;
    bool is_affine = kind % 4 < 2;
    returns_make(&returns, &random, count, (size_t)kind, false);
    returns.load = 3;
    struct ls_budget budget = {.stop = lose_patience, .stop_context = &patience};
    returns.budget = &budget;
    for (size_t i = 0; i < count; i++) returns.workers[i].send_latency_s = is_affine ? 5 : 0;
    assert_int_equal(ls_scenario_open(&scenario, count, NULL), LS_OK);
    scenario.count = count;
    for (uint32_t k = 0; k < count; k++) {
      scenario.sends[k] = k;
      scenario.returns[(k * 3) % count] = k;
    }
    struct ls_returns_verdict verdict = {.is_proven = true};
    assert_int_equal(is_affine ? ls_returns_affine_enrolled(&returns, &scenario, &verdict, NULL)
                               : ls_returns_enrolled(&returns, &scenario, &verdict, NULL),
                     LS_OK);
    assert_true(budget.is_stopped);
    assert_false(verdict.is_proven);
    assert_int_equal(patience.asked, patience.most + 1);
    double scale = is_affine ? 1 : returns.load / scenario.throughput, given = 0;
    for (size_t i = 0; i < count; i++) given += scenario.units[i] *= scale;
    expect_near(given, returns.load, 1e-9);
    expect_near(ls_returns_makespan(&returns, &scenario, scenario.units), verdict.makespan_s, 1e-9);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

/* The planners that only choose the workers of given orders say it, too. */
static void a_stopped_plan_says_so(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 34, "subset");
  static const char *const names[] = {"returns-lp", "fifo", "lifo"};
  for (size_t i = 0; i < 3; i++) {
    struct ls_returns returns;
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_error err;
    struct patience patience = {.most = 3};
    returns_make(&returns, &random, 8, 9, false);
    for (size_t k = 0; k < 8; k++) returns.workers[k].send_latency_s = 0.1;
    returns_platform(&returns, &platform);
    struct ls_planner_setup setup = {.platform = &platform, .load = 50};
    for (int is_stopped = 0; is_stopped < 2; is_stopped++) {
      setup.budget.stop = is_stopped == 1 ? lose_patience : NULL;
      setup.budget.stop_context = &patience;
      assert_int_equal(ls_planner_run(ls_planner_find(names[i]), &setup, NULL, &plan, &err), LS_OK);
      assert_int_equal(ls_plan_get(&plan, "stopped", 0) > 0, is_stopped);
      if (is_stopped == 1) assert_false(ls_plan_get(&plan, "proven", 1) > 0);
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
    ls_returns_close(&returns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unused_workers_do_not_hold_up_others),
      cmocka_unit_test(fewer_rows_are_never_worse),
      cmocka_unit_test(many_workers_are_dropped_one_by_one),
      cmocka_unit_test(small_loads_enrol_few_workers),
      cmocka_unit_test(a_stopped_choice_is_a_schedule_and_says_so),
      cmocka_unit_test(a_stopped_plan_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
