#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_program.h"
#include "returns_fixture.h"

/* Section 3: sorted by c, then the program with the port row; no order is better. */
static void related_costs_have_the_best_order(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 11, "port");
  for (size_t kind = 0; kind < 120; kind++) {
    struct ls_returns returns;
    if (kind / 4 % 5 == 4) continue;
    returns_make(&returns, &random, 1 + kind % 5, kind, true);
    expect_near(returns_throughput(&returns, "fifo"), returns_enumerate(&returns, RETURNS_FIFO),
                1e-10);
    ls_returns_close(&returns);
  }
}

static void uncorrelated_costs_come_near_it(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 12, "port");
  for (size_t kind = 16; kind < 60; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    bool is_proven;
    if (kind / 4 % 5 != 4) continue;
    returns_make(&returns, &random, 4, kind, true);
    assert_int_equal(ls_scenario_open(&scenario, 4, NULL), LS_OK);
    assert_int_equal(ls_returns_fifo(&returns, &scenario, &is_proven, NULL), LS_OK);
    assert_false(is_proven);
    double best = returns_enumerate(&returns, RETURNS_FIFO);
    assert_true(scenario.throughput <= best * (1 + 1e-10));
    assert_true(scenario.throughput >= 0.98 * best);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

/* Beyond 200 workers the closed form replaces the program: here both. */
static void the_prefix_of_many_workers_is_what_the_program_says(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 13, "port");
  for (size_t kind = 0; kind < 16; kind += 5) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    bool is_proven;
    returns_make(&returns, &random, 201, kind, true);
    assert_int_equal(ls_scenario_open(&scenario, 201, NULL), LS_OK);
    assert_int_equal(ls_returns_fifo(&returns, &scenario, &is_proven, NULL), LS_OK);
    double closed = scenario.throughput;
    double z = ls_returns_ratio(&returns);
    assert_int_equal(ls_returns_sort(&returns, LS_RETURNS_BY_SEND, scenario.sends, NULL), LS_OK);
    scenario.count = 201;
    if (z > 1) {
      for (size_t k = 0; k < 100; k++) {
        uint32_t worker = scenario.sends[k];
        scenario.sends[k] = scenario.sends[200 - k];
        scenario.sends[200 - k] = worker;
      }
    }
    ls_scenario_list(&scenario, scenario.sends, 201);
    assert_int_equal(ls_returns_program(&returns, &scenario, NULL), LS_OK);
    expect_near(closed, scenario.throughput, 1e-9);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

/* Prefixes are the best loads of the best order of related costs only. */
static void other_orders_of_many_workers_get_the_program_s_loads(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 14, "port");
  for (size_t kind = 4; kind < 20; kind += 3) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    bool is_proven;
    returns_make(&returns, &random, 210, kind, true);
    assert_int_equal(ls_scenario_open(&scenario, 210, NULL), LS_OK);
    assert_int_equal(ls_returns_fifo(&returns, &scenario, &is_proven, NULL), LS_OK);
    double best = scenario.throughput;
    for (int key = LS_RETURNS_BY_SEND; key <= LS_RETURNS_BY_COMPUTE; key++) {
      enum ls_returns_key by = (enum ls_returns_key)key;
      assert_int_equal(ls_returns_sort(&returns, by, scenario.sends, NULL), LS_OK);
      scenario.count = 210;
      assert_int_equal(ls_returns_fifo_in_order(&returns, &scenario, NULL), LS_OK);
      double in_order = scenario.throughput;
      assert_int_equal(ls_returns_sort(&returns, by, scenario.sends, NULL), LS_OK);
      ls_scenario_list(&scenario, scenario.sends, 210);
      assert_int_equal(ls_returns_program(&returns, &scenario, NULL), LS_OK);
      expect_near(in_order, scenario.throughput, 1e-9);
      if (by == LS_RETURNS_BY_SEND) assert_true(best >= in_order * (1 - 1e-9));
    }
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

static void lifo_is_the_same_with_one_port(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 14, "port");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 4, kind, false);
    double two = returns_throughput(&returns, "lifo");
    returns.is_one_port = true;
    expect_near(returns_throughput(&returns, "lifo"), two, 1e-15);
    expect_near(returns_enumerate(&returns, RETURNS_LIFO), two, 1e-11);
    ls_returns_close(&returns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(related_costs_have_the_best_order),
      cmocka_unit_test(uncorrelated_costs_come_near_it),
      cmocka_unit_test(the_prefix_of_many_workers_is_what_the_program_says),
      cmocka_unit_test(other_orders_of_many_workers_get_the_program_s_loads),
      cmocka_unit_test(lifo_is_the_same_with_one_port),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
