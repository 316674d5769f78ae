#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_program.h"
#include "returns_fixture.h"
#include "solve/linear.h"

static double solve_pair(const struct ls_returns *returns, const uint32_t *sends,
                         const uint32_t *back) {
  struct ls_scenario scenario;
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  scenario.count = returns->count;
  memcpy(scenario.sends, sends, returns->count * sizeof *sends);
  memcpy(scenario.returns, back, returns->count * sizeof *back);
  assert_int_equal(ls_returns_program(returns, &scenario, NULL), LS_OK);
  double throughput = scenario.throughput;
  ls_scenario_close(&scenario);
  return throughput;
}

static void published_pairs_have_their_throughput(void **state) {
  (void)state;
  struct ls_returns returns;
  returns_take(&returns, returns_figure3, 3);
  const uint32_t up[] = {0, 1, 2}, down[] = {2, 1, 0}, mixed[] = {1, 0, 2}, last[] = {2, 0, 1};
  expect_near(solve_pair(&returns, up, down), 61.0 / 135, 1e-12);
  expect_near(solve_pair(&returns, up, (const uint32_t[]){0, 2, 1}), 0.5, 1e-12);
  ls_returns_close(&returns);
  returns_take(&returns, returns_figure4, 3);
  expect_near(solve_pair(&returns, up, mixed), 38.0 / 499, 1e-12);
  expect_near(solve_pair(&returns, last, down), 38.0 / 499, 1e-12);
  ls_returns_close(&returns);
  returns_take(&returns, returns_trap, 3);
  expect_near(solve_pair(&returns, up, last), 0.5, 1e-12);
  ls_returns_close(&returns);
}

/* rho(c,w,d; s1,s2) = rho(d,w,c; reverse s2, reverse s1). */
static void reversed_time_gives_the_same_throughput(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 21, "program");
  for (size_t kind = 0; kind < 60; kind++) {
    struct ls_returns returns;
    uint64_t order[2][5] = {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}};
    uint32_t sends[5], back[5], reversed_sends[5], reversed_back[5];
    returns_make(&returns, &random, 5, kind, kind % 2 == 0);
    for (size_t side = 0; side < 2; side++) ls_random_shuffle(&random, order[side], 5);
    for (size_t k = 0; k < 5; k++) {
      sends[k] = (uint32_t)order[0][k];
      back[k] = (uint32_t)order[1][k];
      reversed_sends[k] = (uint32_t)order[1][4 - k];
      reversed_back[k] = (uint32_t)order[0][4 - k];
    }
    double forwards = solve_pair(&returns, sends, back);
    for (size_t i = 0; i < 5; i++) {
      struct ls_returns_worker *worker = &returns.workers[i];
      double kept = worker->send_s;
      worker->send_s = worker->reply_s;
      worker->reply_s = kept;
    }
    expect_near(solve_pair(&returns, reversed_sends, reversed_back), forwards, 1e-11);
    ls_returns_close(&returns);
  }
}

/* The dual program is built by hand: multipliers that cover every column, of least sum. */
static double solve_dual(const struct ls_returns *returns) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  ls_linear_init(&program, false);
  for (size_t i = 0; i < returns->count; i++) (void)ls_linear_column(&program, 1);
  for (size_t j = 0; j < returns->count; j++) {
    const struct ls_returns_worker *worker = &returns->workers[j];
    (void)ls_linear_row(&program, LS_AT_LEAST, 1);
    for (size_t i = 0; i < returns->count; i++) { /* FIFO as listed */
      double cost = i >= j ? worker->send_s : 0;
      if (i == j) cost += worker->compute_s;
      if (j >= i) cost += worker->reply_s;
      if (cost > 0) ls_linear_entry(&program, i, cost);
    }
  }
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  double sum = solution.objective;
  for (size_t i = 0; i < returns->count; i++) assert_true(solution.values[i] >= -1e-9);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return sum;
}

static void multipliers_certify_the_optimum(void **state) {
  (void)state;
  struct ls_random random;
  const uint32_t up[] = {0, 1, 2, 3, 4, 5};
  ls_random_init(&random, 22, "program");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 6, kind, false);
    expect_near(solve_pair(&returns, up, up), solve_dual(&returns), 1e-9);
    ls_returns_close(&returns);
  }
}

static void costs_may_span_eight_decades(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, (const double[][3]){{1e-6, 1e-4, 1e-6}, {1, 1e2, 1}, {1e2, 1e-2, 1}}, 3);
  double best = returns_enumerate(&returns, RETURNS_ANY);
  expect_near(returns_throughput(&returns, "returns-exact") / best, 1, 1e-9);
  returns_plan(&returns, "returns-lp", 1000, false, &plan);
  for (size_t i = 0; i < plan.chunks_count; i++) assert_true(plan.chunks[i].units > 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

/* Vector returns/latency-lp-a, with the subset that it finds. */
static void latencies_delay_the_end(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_scenario scenario;
  double makespan_s;
  returns_take(&returns, (const double[][3]){{1, 4, 1}, {2, 2, 1}}, 2);
  for (size_t i = 0; i < 2; i++) {
    returns.workers[i].send_latency_s = 1;
    returns.workers[i].reply_latency_s = 1;
  }
  assert_int_equal(ls_scenario_open(&scenario, 2, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1}, 2);
  scenario.returns[0] = 1;
  scenario.returns[1] = 0;
  returns.load = 5;
  assert_int_equal(ls_returns_affine(&returns, &scenario, &makespan_s, NULL), LS_OK);
  expect_near(makespan_s, 20, 1e-9);
  expect_near(scenario.units[0], 3, 1e-9);
  expect_near(ls_returns_makespan(&returns, &scenario, scenario.units), 20, 1e-9);
  /* A load so small that one of the two gets nothing is no schedule of both. */
  returns.load = 1e-3;
  assert_int_equal(ls_returns_affine(&returns, &scenario, &makespan_s, NULL), LS_OK);
  assert_true(isinf(makespan_s));
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_pairs_have_their_throughput),
      cmocka_unit_test(reversed_time_gives_the_same_throughput),
      cmocka_unit_test(multipliers_certify_the_optimum),
      cmocka_unit_test(costs_may_span_eight_decades),
      cmocka_unit_test(latencies_delay_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
