/* A grid of policies, orders, platforms and seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/policy_grid.h"

enum { SEEDS = 6 };

static const char *const policies[] = {"ss", "gss", "sc"};
static const char *const orders[] = {"fifo", "random"};
static const char *const names[] = {"small", "large"};

/* Any order will do: from the last one on, or from the first. */
static bool is_forward;

static enum ls_status map(const struct ls_policy_grid *grid, const struct ls_grid_work *work,
                          void *results, struct ls_error *err) {
  enum ls_status status = LS_OK;
  (void)grid;
  for (size_t i = 0; i < work->count && status == LS_OK; i++) {
    size_t index = is_forward ? i : work->count - 1 - i;
    status = work->compute(work->context, index, (char *)results + index * work->result_bytes, err);
  }
  return status;
}

struct fixture {
  struct ls_platform platforms[2];
  json_t *arguments;
  struct ls_policy_grid grid;
};

static void open_fixture(struct fixture *fixture, const char *arguments) {
  *fixture = (struct fixture){0};
  assert_int_equal(ls_platform_init(&fixture->platforms[0], 2, NULL), LS_OK);
  assert_int_equal(ls_platform_init(&fixture->platforms[1], 5, NULL), LS_OK);
  fixture->arguments = json_loads(arguments, 0, NULL);
  assert_non_null(fixture->arguments);
  fixture->grid = (struct ls_policy_grid){.policies = {policies, 3},
                                          .orders = {orders, 2},
                                          .platform_names = {names, 2},
                                          .platforms = fixture->platforms,
                                          .arguments = ls_json_top(fixture->arguments, "test"),
                                          .units = 40,
                                          .seed = 3,
                                          .seeds = SEEDS,
                                          .map = map,
                                          .processes = 1};
}

static void close_fixture(struct fixture *fixture) {
  ls_platform_close(&fixture->platforms[0]);
  ls_platform_close(&fixture->platforms[1]);
  json_decref(fixture->arguments);
}

static const char *const GAMMA = "{\"task_times\": {\"law\": \"gamma\", \"variation\": 0.5}}";

static void the_order_of_computing_does_not_change_the_figures(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_policy_case one[12], other[12];
  open_fixture(&fixture, GAMMA);
  assert_int_equal(ls_policy_grid_cases(&fixture.grid), 12);
  assert_int_equal(ls_policy_grid_run(&fixture.grid, one, NULL), LS_OK);
  is_forward = true;
  assert_int_equal(ls_policy_grid_run(&fixture.grid, other, NULL), LS_OK);
  assert_memory_equal(one, other, sizeof one);
  for (size_t i = 0; i < 12; i++) {
    assert_true(one[i].to_bound.least >= 1 - 1e-9);
    assert_true(one[i].makespan_s.least <= one[i].makespan_s.mean);
    assert_true(one[i].makespan_s.mean <= one[i].makespan_s.largest);
    assert_true(one[i].efficiency.mean > 0 && one[i].efficiency.mean <= 1 + 1e-12);
  }
  close_fixture(&fixture);
}

/* Student's quantile for five degrees of freedom is 2.5706. */
static void the_interval_is_students(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_policy_case cases[12];
  open_fixture(&fixture, GAMMA);
  assert_int_equal(ls_policy_grid_run(&fixture.grid, cases, NULL), LS_OK);
  const struct ls_policy_figure *figure = &cases[0].makespan_s;
  double expected = 2.5705818366147 * figure->deviation / sqrt(SEEDS);
  assert_true(figure->deviation > 0);
  assert_true(fabs(figure->half_width - expected) < 1e-9);
  fixture.grid.seeds = 1;
  assert_int_equal(ls_policy_grid_run(&fixture.grid, cases, NULL), LS_OK);
  assert_false(cases[0].makespan_s.half_width > 0);
  close_fixture(&fixture);
}

static void the_shortest_is_ranked_first_on_each_platform(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_policy_case cases[12];
  open_fixture(&fixture, GAMMA);
  assert_int_equal(ls_policy_grid_run(&fixture.grid, cases, NULL), LS_OK);
  ls_policy_grid_rank(cases, 12);
  for (size_t i = 1; i < 12; i++) {
    assert_true(cases[i].platform >= cases[i - 1].platform);
    if (cases[i].platform == cases[i - 1].platform)
      assert_true(cases[i].makespan_s.mean >= cases[i - 1].makespan_s.mean);
  }
  close_fixture(&fixture);
}

/* The best of a platform regrets nothing, the others what they take longer than it. */
static void regret_is_against_the_best_of_the_platform(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_policy_case cases[12];
  size_t winners = 0;
  open_fixture(&fixture, GAMMA);
  assert_int_equal(ls_policy_grid_run(&fixture.grid, cases, NULL), LS_OK);
  ls_policy_grid_rank(cases, 12);
  double best_s = 0;
  for (size_t i = 0; i < 12; i++) {
    double regret = ls_policy_grid_regret(&fixture.grid, cases, i);
    if (i == 0 || cases[i].platform != cases[i - 1].platform) best_s = cases[i].makespan_s.mean;
    assert_true(fabs(regret - (cases[i].makespan_s.mean / best_s - 1)) < 1e-12);
    winners += !(regret > 0);
  }
  assert_in_range(winners, 1, 11);
  close_fixture(&fixture);
}

/* More than one batch of simulations: the prices of each case are those of its own workers, and the
 * figures are those of the case alone. */
static void prices_are_those_of_the_case(void **state) {
  (void)state;
  static const char *const many_names[] = {"a", "b", "c"};
  static const size_t workers[] = {3, 4000, 2};
  struct fixture fixture;
  struct ls_platform platforms[3];
  struct ls_policy_case cases[3], alone;
  open_fixture(&fixture, GAMMA);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(ls_platform_init(&platforms[i], workers[i], NULL), LS_OK);
    for (size_t k = 0; k < workers[i]; k++) platforms[i].workers[k].price_per_s = (double)(k + 1);
  }
  struct ls_policy_grid grid = fixture.grid;
  grid.seeds = 40;
  grid.policies.count = grid.orders.count = 1;
  grid.platforms = platforms;
  grid.platform_names = (struct ls_policy_words){many_names, 3};
  assert_int_equal(ls_policy_grid_want_prices(&grid, NULL), LS_OK);
  assert_int_equal(ls_policy_grid_run(&grid, cases, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    double sum = 0;
    for (size_t k = 0; k < workers[i]; k++) sum += cases[i].prices[k];
    assert_true(cases[i].price.mean > 0);
    assert_true(fabs(sum - cases[i].price.mean) < 1e-9 * sum);
    struct ls_policy_grid one = grid;
    one.platforms = &platforms[i];
    one.platform_names = (struct ls_policy_words){&many_names[i], 1};
    one.prices = NULL;
    assert_int_equal(ls_policy_grid_run(&one, &alone, NULL), LS_OK);
    assert_null(alone.prices);
    assert_memory_equal(&alone.makespan_s, &cases[i].makespan_s, sizeof alone.makespan_s);
    assert_memory_equal(&alone.price, &cases[i].price, sizeof alone.price);
  }
  free(grid.prices);
  for (size_t i = 0; i < 3; i++) ls_platform_close(&platforms[i]);
  close_fixture(&fixture);
}

static void a_refused_world_refuses_the_grid(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_policy_case cases[12];
  struct ls_error err = {0};
  open_fixture(&fixture, "{\"colour\": 3}");
  assert_int_equal(ls_policy_grid_run(&fixture.grid, cases, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "colour"));
  close_fixture(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_computing_does_not_change_the_figures),
      cmocka_unit_test(the_interval_is_students),
      cmocka_unit_test(the_shortest_is_ranked_first_on_each_platform),
      cmocka_unit_test(regret_is_against_the_best_of_the_platform),
      cmocka_unit_test(prices_are_those_of_the_case),
      cmocka_unit_test(a_refused_world_refuses_the_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
