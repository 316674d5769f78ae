#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "planners/returns/returns_many.h"
#include "returns_fixture.h"

/* A thousand workers that compute slowly are all of use: 200 of them take four times as long. */
static void many_workers_with_latencies_are_used(void **state) {
  static const char *const names[] = {"fifo", "lifo", "fifo-inc-c", "fifo-inc-w"};
  struct ls_returns returns = {.count = 1000};
  (void)state;
  returns.workers = calloc(returns.count, sizeof *returns.workers);
  assert_non_null(returns.workers);
  for (size_t i = 0; i < returns.count; i++)
    returns.workers[i] = (struct ls_returns_worker){0.05, 100, 0.001, 0.01, 0.1, 0.001};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    struct ls_plan plan;
    returns_plan(&returns, names[k], 1e5, false, &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    /* returns-lp of all in the order of a FIFO ends after 12757.758 s; the best LIFO later. */
    if (!(plan.makespan_s <= 12757.758 * (k == 1 ? 1.002 : 1 + 1e-7)))
      fail_msg("%s ends after %.9g s", names[k], plan.makespan_s);
    assert_true(ls_plan_has(&plan, "why"));
    assert_true(plan.makespan_s >= ls_plan_get(&plan, "linear_makespan", HUGE_VAL));
    assert_true(plan.makespan_s <= ls_plan_get(&plan, "linear_makespan_and_latencies", 0));
    ls_plan_close(&plan);
  }
  free(returns.workers);
}

static void draw_latencies(struct ls_returns *returns, struct ls_random *random) {
  for (size_t i = 0; i < returns->count; i++) {
    struct ls_returns_worker *worker = &returns->workers[i];
    worker->compute_s *= 100;
    worker->send_latency_s = returns_draw(random, 0, 0.1);
    worker->compute_latency_s = returns_draw(random, 0, 0.1);
    worker->reply_latency_s = returns_draw(random, 0, 0.1);
  }
}

/* Whatever the orders are, all units are given, and the loads without latencies are not better. */
static void the_loads_are_no_worse_than_those_without_latencies(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "many");
  for (size_t turn = 0; turn < 6; turn++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    struct ls_returns_verdict verdict = {0};
    double sum = 0;
    returns_make(&returns, &random, 230, turn, false);
    draw_latencies(&returns, &random);
    returns.load = 3000;
    returns.has_latency = true;
    returns.is_whole = turn % 2;
    assert_int_equal(ls_scenario_open(&scenario, returns.count, NULL), LS_OK);
    scenario.count = returns.count;
    for (uint32_t i = 0; i < returns.count; i++) {
      scenario.sends[i] = i;
      scenario.returns[i] = turn % 3 == 0 ? i : (i + (uint32_t)turn) % (uint32_t)returns.count;
      scenario.units[i] = 3000 / (double)returns.count;
    }
    scenario.throughput = 3000 / ls_returns_makespan(&returns, &scenario, scenario.units);
    double before_s = 3000 / scenario.throughput;
    assert_int_equal(ls_returns_load_many(&returns, &scenario, &verdict, NULL), LS_OK);
    for (size_t i = 0; i < returns.count; i++) sum += scenario.units[i];
    assert_true(fabs(sum / 3000 - 1) < 1e-9);
    if (!returns.is_whole) assert_true(verdict.makespan_s <= before_s * (1 + 1e-12));
    assert_non_null(verdict.why);
    assert_false(verdict.is_proven);
    ls_scenario_close(&scenario);
    free(returns.workers);
  }
}

/* Those that are kept have more units than those that are not, in the same orders. */
static void the_most_loaded_are_kept(void **state) {
  enum { MANY = 215, KEPT = 200 };
  struct ls_random random;
  struct ls_scenario scenario;
  double units[MANY], least = HUGE_VAL, most = 0;
  (void)state;
  ls_random_init(&random, 6, "many");
  assert_int_equal(ls_scenario_open(&scenario, MANY, NULL), LS_OK);
  scenario.count = MANY;
  for (uint32_t i = 0; i < MANY; i++) {
    scenario.sends[i] = i;
    scenario.returns[i] = MANY - 1 - i;
    scenario.units[i] = units[i] = returns_draw(&random, 1, 2);
  }
  assert_int_equal(ls_returns_keep_largest(&scenario, KEPT, NULL), LS_OK);
  assert_int_equal(scenario.count, KEPT);
  for (size_t i = 0; i < MANY; i++) {
    if (scenario.units[i] > 0)
      least = fmin(least, units[i]);
    else
      most = fmax(most, units[i]);
  }
  assert_true(least > most);
  for (size_t k = 0; k < KEPT; k++) {
    assert_true(scenario.units[scenario.sends[k]] > 0);
    assert_int_equal(scenario.returns[k], scenario.sends[KEPT - 1 - k]);
  }
  ls_scenario_close(&scenario);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_most_loaded_are_kept),
      cmocka_unit_test(many_workers_with_latencies_are_used),
      cmocka_unit_test(the_loads_are_no_worse_than_those_without_latencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
