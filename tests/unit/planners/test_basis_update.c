#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/basis_update.h"
#include "planners/returns/returns_orders.h"
#include "returns_fixture.h"

static void open_chain(struct ls_basis *basis, struct ls_returns *returns, struct ls_random *random,
                       size_t count) {
  struct ls_scenario scenario;
  returns_make(returns, random, count, 3 + 4 * ls_random_below(random, 5), false);
  assert_int_equal(ls_scenario_open(&scenario, count, NULL), LS_OK);
  assert_int_equal(ls_returns_lifo(returns, &scenario, NULL), LS_OK);
  assert_int_equal(ls_basis_open(basis, count, NULL), LS_OK);
  assert_true(ls_basis_load(basis, returns, &scenario));
  expect_near(basis->throughput, scenario.throughput, 1e-11);
  ls_scenario_close(&scenario);
}

/* What the orders give when the matrix is inverted anew. */
static void expect_fresh(const struct ls_basis *basis, const struct ls_returns *returns) {
  struct ls_basis fresh;
  struct ls_scenario scenario;
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_basis_open(&fresh, returns->count, NULL), LS_OK);
  ls_basis_store(basis, returns, &scenario);
  assert_true(ls_basis_load(&fresh, returns, &scenario));
  expect_near(fresh.throughput, basis->throughput, 1e-10);
  for (size_t k = 0; k < fresh.count; k++) {
    size_t number = 0;
    while (basis->workers[number] != fresh.workers[k]) number++;
    expect_near(fresh.loads[k], basis->loads[number], 1e-9);
    expect_near(fresh.duals[k], basis->duals[number], 1e-9);
  }
  ls_basis_close(&fresh);
  ls_scenario_close(&scenario);
}

static void swaps_are_judged_and_made_exactly(void **state) {
  (void)state;
  struct ls_random random;
  size_t made = 0;
  ls_random_init(&random, 121, "basis");
  for (size_t turn = 0; turn < 20; turn++) {
    struct ls_basis basis;
    struct ls_returns returns;
    open_chain(&basis, &returns, &random, 7);
    for (int side = 0; side < 2; side++) {
      for (size_t place = 0; place < 6; place++) {
        double before = basis.throughput;
        if (!ls_basis_swap(&basis, side, place, 0)) {
          expect_near(basis.throughput, before, 0);
          continue;
        }
        made++;
        assert_true(basis.throughput > before);
        expect_fresh(&basis, &returns);
      }
    }
    ls_basis_close(&basis);
    ls_returns_close(&returns);
  }
  assert_true(made > 10);
}

/* Figure 3: the FIFO of all three is worth 11/25, without the slow one 1/2. */
static void a_worker_leaves_when_that_helps(void **state) {
  (void)state;
  struct ls_basis basis;
  struct ls_returns returns;
  struct ls_scenario scenario;
  returns_take(&returns, returns_figure3, 3);
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  assert_int_equal(ls_basis_open(&basis, 3, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1, 2}, 3);
  assert_true(ls_basis_load(&basis, &returns, &scenario));
  expect_near(basis.throughput, 11.0 / 25, 1e-12);
  assert_false(ls_basis_drop(&basis, 0));
  assert_true(ls_basis_drop(&basis, 2));
  expect_near(basis.throughput, 0.5, 1e-12);
  assert_int_equal(basis.count, 2);
  expect_fresh(&basis, &returns);
  ls_basis_store(&basis, &returns, &scenario);
  expect_near(scenario.units[2], 0, 0);
  ls_basis_close(&basis);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

static void orders_that_need_idle_workers_are_no_chain(void **state) {
  (void)state;
  struct ls_basis basis;
  struct ls_returns returns;
  struct ls_scenario scenario;
  returns_take(&returns, returns_trap, 3);
  assert_int_equal(ls_scenario_open(&scenario, 3, NULL), LS_OK);
  assert_int_equal(ls_basis_open(&basis, 3, NULL), LS_OK);
  ls_scenario_list(&scenario, (const uint32_t[]){0, 1, 2}, 3);
  memcpy(scenario.returns, (const uint32_t[]){2, 0, 1}, 3 * sizeof *scenario.returns);
  assert_false(ls_basis_load(&basis, &returns, &scenario));
  ls_basis_close(&basis);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(swaps_are_judged_and_made_exactly),
      cmocka_unit_test(a_worker_leaves_when_that_helps),
      cmocka_unit_test(orders_that_need_idle_workers_are_no_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
