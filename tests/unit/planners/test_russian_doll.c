#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/russian_doll.h"
#include "returns_fixture.h"

/* An upper bound of the throughput: that of the scenario unless the search was stopped. */
static double find_best(const struct ls_returns *returns, struct ls_scenario *scenario) {
  double upper_bound = 0;
  assert_int_equal(ls_scenario_open(scenario, returns->count, NULL), LS_OK);
  assert_int_equal(ls_russian_doll_run(returns, scenario, &upper_bound, NULL), LS_OK);
  return upper_bound;
}

static void check_platforms(size_t rounds, size_t count, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "doll");
  for (size_t kind = 0; kind < rounds; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    returns_make(&returns, &random, count, kind, kind / 20 % 2 == 1);
    double upper_bound = find_best(&returns, &scenario);
    expect_near(scenario.throughput, returns_enumerate(&returns, RETURNS_ANY), 1e-9);
    expect_near(upper_bound, scenario.throughput, 0);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

/* Hundreds of platforms, both ports. */
static void the_optimum_is_that_of_all_pairs(void **state) {
  (void)state;
  check_platforms(40, 1, 101);
  check_platforms(80, 2, 102);
  check_platforms(160, 3, 103);
  check_platforms(160, 4, 104);
}

static void the_optimum_of_five_is_that_of_all_pairs(void **state) {
  (void)state;
  check_platforms(24, 5, 105);
}

static void equal_costs_are_no_trouble(void **state) {
  (void)state;
  for (size_t count = 1; count <= 5; count++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    const double costs[5][3] = {{1, 2, 1}, {1, 2, 1}, {1, 2, 1}, {1, 2, 1}, {1, 2, 1}};
    returns_take(&returns, costs, count);
    (void)find_best(&returns, &scenario);
    /* A bus: FIFO is best among all pairs. */
    expect_near(scenario.throughput, returns_throughput(&returns, "fifo"), 1e-10);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

static void costs_of_nothing_are_no_trouble(void **state) {
  (void)state;
  static const double costs[][4][3] = {
      {{1, 0, 1}, {1, 0, 1}, {0, 4, 0}, {1, 1, 1}},
      {{0, 1, 1}, {0, 2, 1}, {0, 1, 2}, {0, 3, 1}},
      {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}, {3, 1, 0}},
      {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}},
  };
  for (size_t k = 0; k < 4; k++) {
    for (int port = 0; port < 2; port++) {
      struct ls_returns returns;
      struct ls_scenario scenario;
      returns_take(&returns, costs[k], 4);
      returns.is_one_port = port == 1;
      (void)find_best(&returns, &scenario);
      expect_near(scenario.throughput, returns_enumerate(&returns, RETURNS_ANY), 1e-9);
      ls_scenario_close(&scenario);
      ls_returns_close(&returns);
    }
  }
}

/* A far worker that the best pair leaves out must not hold up the pair that the search of all
 * workers starts from: sent to last and back first, its row would be that of a single port, and a
 * climb from there may end below what the others reach without it. */
static void a_worker_who_is_left_out_costs_nothing(void **state) {
  (void)state;
  static const double costs[][4][3] = {
      {{20, 0.01, 20}, {0.2, 0.04, 0.2}, {0.5, 0.9, 0.4}, {0.2, 0.4, 0.2}},
      {{22, 0.01, 17}, {0.21, 0.041, 0.17}, {0.49, 0.87, 0.39}, {0.19, 0.44, 0.15}},
      {{1, 0.142, 1.88}, {4.08, 0.479, 14.7}, {1.43, 2.66, 4.97}, {2.31, 2.56, 7.45}},
  };
  for (size_t k = 0; k < 3; k++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    returns_take(&returns, costs[k], 4);
    (void)find_best(&returns, &scenario);
    expect_near(scenario.throughput, returns_enumerate(&returns, RETURNS_ANY), 1e-9);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

/* Links of very different speeds: most of the workers stay out. */
static void the_optimum_of_few_of_the_workers_is_found(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 107, "doll");
  for (size_t kind = 0; kind < 400; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    returns_make(&returns, &random, 4, kind, kind % 8 == 7);
    for (size_t i = 0; i < 4; i++) {
      double slower = pow(10, returns_draw(&random, -1, 1));
      returns.workers[i].send_s *= slower;
      returns.workers[i].reply_s *= slower;
    }
    (void)find_best(&returns, &scenario);
    expect_near(scenario.throughput, returns_enumerate(&returns, RETURNS_ANY), 1e-9);
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
}

static void a_spent_search_brackets_the_optimum(void **state) {
  (void)state;
  struct ls_random random;
  size_t stopped = 0;
  ls_random_init(&random, 106, "doll");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_scenario scenario;
    struct ls_budget budget = {.work_max = 1 + kind * kind / 4};
    returns_make(&returns, &random, 5, kind, kind % 2 == 1);
    returns.budget = &budget;
    double upper = find_best(&returns, &scenario), lower = scenario.throughput;
    if (budget.is_stopped) stopped++;
    ls_scenario_close(&scenario);
    returns.budget = NULL;
    (void)find_best(&returns, &scenario);
    assert_true(lower <= scenario.throughput * (1 + 1e-9));
    assert_true(upper >= scenario.throughput * (1 - 1e-9));
    ls_scenario_close(&scenario);
    ls_returns_close(&returns);
  }
  assert_true(stopped > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_optimum_is_that_of_all_pairs),
      cmocka_unit_test(the_optimum_of_five_is_that_of_all_pairs),
      cmocka_unit_test(equal_costs_are_no_trouble),
      cmocka_unit_test(costs_of_nothing_are_no_trouble),
      cmocka_unit_test(a_worker_who_is_left_out_costs_nothing),
      cmocka_unit_test(the_optimum_of_few_of_the_workers_is_found),
      cmocka_unit_test(a_spent_search_brackets_the_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
