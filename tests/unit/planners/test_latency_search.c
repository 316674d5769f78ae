#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/latency_search.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "returns_fixture.h"

static void take_latencies(struct ls_returns *returns) {
  returns_take(returns, (const double[][3]){{1, 4, 1}, {2, 2, 1}, {3, 1, 2}}, 3);
  returns->has_latency = true;
  for (size_t i = 0; i < 3; i++) {
    returns->workers[i].send_latency_s = 1;
    returns->workers[i].reply_latency_s = 1;
  }
}

/* The records returns/latency-a3, -a6 and -a50. */
static void known_loads_end_in_time(void **state) {
  (void)state;
  static const double loads[] = {0.2, 27.0 / 29, 1336.0 / 81}, ends[] = {3, 6, 50};
  struct ls_returns returns;
  take_latencies(&returns);
  for (size_t k = 0; k < 3; k++) {
    struct ls_plan plan;
    returns_plan(&returns, "returns-exact", loads[k], false, &plan);
    expect_near(plan.makespan_s, ends[k], 1e-9);
    expect_near(ls_plan_get(&plan, "proven", (double)NAN), 1, 0);
    ls_plan_close(&plan);
  }
  ls_returns_close(&returns);
}

/* W/rho <= T <= W/rho + sum (C + D) + max W for the optimum. */
static void the_end_lies_in_the_bracket(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 111, "detour");
  for (size_t kind = 0; kind < 4; kind++) {
    struct ls_returns returns;
    struct ls_plan exact, search, fifo;
    returns_make(&returns, &random, 3 + kind % 3, kind, kind % 2 == 1);
    double delays_s = 0, computing_s = 0, rho = returns_throughput(&returns, "returns-exact");
    for (size_t i = 0; i < returns.count; i++) {
      struct ls_returns_worker *worker = &returns.workers[i];
      worker->send_latency_s = returns_draw(&random, 0, 1);
      worker->compute_latency_s = returns_draw(&random, 0, 1);
      worker->reply_latency_s = returns_draw(&random, 0, 1);
      delays_s += worker->send_latency_s + worker->reply_latency_s;
      computing_s = fmax(computing_s, worker->compute_latency_s);
    }
    const double load = 10;
    returns_plan(&returns, "returns-exact", load, false, &exact);
    returns_plan(&returns, "returns-search", load, false, &search);
    returns_plan(&returns, "fifo", load, false, &fifo);
    assert_true(exact.makespan_s >= load / rho * (1 - 1e-9));
    assert_true(exact.makespan_s <= load / rho + delays_s + computing_s + 1e-9);
    expect_near(exact.makespan_s, ls_plan_get(&exact, "predicted_makespan", (double)NAN), 1e-8);
    if (returns.count <= LS_LATENCY_SEARCH_ALL_MAX) {
      assert_true(exact.makespan_s <= search.makespan_s * (1 + 1e-9));
      assert_true(exact.makespan_s <= fifo.makespan_s * (1 + 1e-9));
    } else {
      expect_near(ls_plan_get(&exact, "proven", (double)NAN), 0, 0);
      assert_true(ls_plan_get(&exact, "search_gap", (double)NAN) >= 0);
    }
    ls_plan_close(&exact);
    ls_plan_close(&search);
    ls_plan_close(&fifo);
    ls_returns_close(&returns);
  }
}

static bool stop_at_once(void *context) {
  (void)context;
  return true;
}

static void a_stopped_search_still_has_a_schedule(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario scenario;
  struct ls_budget budget = {.stop = stop_at_once};
  struct ls_returns_verdict verdict = {0};
  take_latencies(&returns);
  returns.load = 5;
  returns.budget = &budget;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  assert_int_equal(ls_returns_lifo(&returns, &scenario, NULL), LS_OK);
  assert_int_equal(ls_latency_search_run(&returns, &scenario, &verdict, NULL), LS_OK);
  assert_true(budget.is_stopped);
  expect_near(ls_returns_makespan(&returns, &scenario, scenario.units), verdict.makespan_s, 1e-9);
  assert_false(verdict.is_proven);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_loads_end_in_time),
      cmocka_unit_test(the_end_lies_in_the_bracket),
      cmocka_unit_test(a_stopped_search_still_has_a_schedule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
