#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/iterated_search.h"
#include "planners/returns/returns.h"
#include "returns_fixture.h"

static double search_iterated(const struct ls_returns *returns,
                              const struct ls_iterated_search *search) {
  struct ls_scenario scenario;
  assert_int_equal(ls_scenario_open(&scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_iterated_search_run(returns, search, &scenario, NULL), LS_OK);
  double throughput = scenario.throughput;
  /* What it says can be had. */
  expect_near(ls_returns_makespan(returns, &scenario, scenario.units), 1, 1e-8);
  ls_scenario_close(&scenario);
  return throughput;
}

static void it_lies_between_fifo_and_lifo_and_the_optimum(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 131, "wander");
  for (size_t kind = 0; kind < 60; kind++) {
    struct ls_returns returns;
    const struct ls_iterated_search search = {.starts = kind % 3, .seed = 1};
    returns_make(&returns, &random, 1 + kind % 5, kind, kind % 2 == 1);
    double found = search_iterated(&returns, &search);
    assert_true(found >= returns_throughput(&returns, "fifo") * (1 - 1e-12));
    assert_true(found >= returns_throughput(&returns, "lifo") * (1 - 1e-12));
    assert_true(found <= returns_enumerate(&returns, RETURNS_ANY) * (1 + 1e-9));
    ls_returns_close(&returns);
  }
}

static void many_workers_gain_over_fifo_and_lifo(void **state) {
  (void)state;
  struct ls_random random;
  size_t gained = 0;
  ls_random_init(&random, 132, "wander");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    const struct ls_iterated_search search = {.starts = 2, .seed = 1};
    returns_make(&returns, &random, 25, kind, kind % 7 == 6);
    double found = search_iterated(&returns, &search);
    double best = fmax(returns_throughput(&returns, "fifo"), returns_throughput(&returns, "lifo"));
    assert_true(found >= best * (1 - 1e-12));
    if (found > best * (1 + 1e-6)) gained++;
    ls_returns_close(&returns);
  }
  assert_true(gained >= 10);
}

static void the_same_seed_finds_the_same(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  ls_random_init(&random, 133, "wander");
  returns_make(&returns, &random, 15, 6, false);
  const struct ls_iterated_search search = {.starts = 3, .seed = 7};
  struct ls_budget one = {0}, two = {0};
  returns.budget = &one;
  double first = search_iterated(&returns, &search);
  returns.budget = &two;
  expect_near(search_iterated(&returns, &search), first, 0);
  assert_int_equal(one.work, two.work);
  ls_returns_close(&returns);
}

static void work_is_limited(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  ls_random_init(&random, 134, "wander");
  returns_make(&returns, &random, 8, 1, false);
  const struct ls_iterated_search search = {.starts = 1000, .seed = 1};
  struct ls_budget budget = {.work_max = 500};
  returns.budget = &budget;
  (void)search_iterated(&returns, &search);
  assert_true(budget.is_stopped);
  assert_true(budget.work <= 500);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_lies_between_fifo_and_lifo_and_the_optimum),
      cmocka_unit_test(many_workers_gain_over_fifo_and_lifo),
      cmocka_unit_test(the_same_seed_finds_the_same),
      cmocka_unit_test(work_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
