#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "planners/returns/returns_chain.h"
#include "planners/returns/returns_program.h"
#include "returns_fixture.h"

enum { WORKERS_MAX = 9 };

static void open_affine(struct ls_returns *returns, struct ls_random *random, size_t count,
                        size_t kind) {
  returns_make(returns, random, count, kind, false);
  returns->has_latency = true;
  for (size_t i = 0; i < count; i++) {
    struct ls_returns_worker *worker = &returns->workers[i];
    worker->send_latency_s = returns_draw(random, 0, 0.1);
    worker->compute_latency_s = returns_draw(random, 0, 0.1);
    worker->reply_latency_s = returns_draw(random, 0, 0.1);
  }
}

static void list_orders(struct ls_scenario *scenario, size_t count, bool is_fifo) {
  scenario->count = count;
  for (uint32_t i = 0; i < count; i++) {
    scenario->sends[i] = i;
    scenario->returns[i] = is_fifo ? i : (uint32_t)count - 1 - i;
  }
}

static double sum_units(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  double sum = 0;
  for (size_t i = 0; i < returns->count; i++) sum += scenario->units[i];
  return sum;
}

/* The program of those that have units is never later than the chain; where it is as early for
 * all of them, no row is loose. */
static void a_chain_is_near_the_program_of_its_workers(void **state) {
  struct ls_random random;
  size_t equal = 0;
  (void)state;
  ls_random_init(&random, 1, "chain");
  for (size_t turn = 0; turn < 400; turn++) {
    struct ls_returns returns;
    struct ls_scenario chain, program;
    size_t count = 1 + ls_random_below(&random, WORKERS_MAX);
    double program_s;
    open_affine(&returns, &random, count, turn);
    returns.load = returns_draw(&random, 0.1, 50);
    assert_int_equal(ls_scenario_open(&chain, count, NULL), LS_OK);
    assert_int_equal(ls_scenario_open(&program, count, NULL), LS_OK);
    list_orders(&chain, count, turn % 2);
    double chain_s = ls_returns_chain(&returns, &chain);
    assert_true(isfinite(chain_s));
    assert_true(fabs(sum_units(&returns, &chain) / returns.load - 1) < 1e-9);
    assert_true(fabs(ls_returns_makespan(&returns, &chain, chain.units) / chain_s - 1) < 1e-12);
    ls_scenario_copy(&program, &chain, count);
    ls_scenario_compact(&program);
    assert_int_equal(ls_returns_affine(&returns, &program, &program_s, NULL), LS_OK);
    if (isfinite(program_s)) assert_true(chain_s >= program_s * (1 - 1e-9));
    equal += isfinite(program_s) && chain_s <= program_s * (1 + 1e-9);
    ls_scenario_close(&chain);
    ls_scenario_close(&program);
    free(returns.workers);
  }
  assert_true(equal > 200);
}

static void other_orders_have_no_chain(void **state) {
  struct ls_random random;
  struct ls_returns returns;
  struct ls_scenario scenario;
  (void)state;
  ls_random_init(&random, 2, "chain");
  open_affine(&returns, &random, 3, 0);
  returns.load = 10;
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  list_orders(&scenario, 3, true);
  scenario.returns[0] = 1;
  scenario.returns[1] = 0;
  scenario.units[0] = 7;
  assert_true(isinf(ls_returns_chain(&returns, &scenario)));
  assert_true(scenario.units[0] >= 7 && scenario.units[0] <= 7);
  ls_scenario_close(&scenario);
  free(returns.workers);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_is_near_the_program_of_its_workers),
      cmocka_unit_test(other_orders_have_no_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
