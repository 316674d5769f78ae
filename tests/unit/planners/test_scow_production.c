#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_production.h"
#include "scow_fixture.h"

enum { TURNS = 60, SMALL = 7 };

/* The most of one subset: full chunks, the slowest to send cut; only the network limits. */
static double produce_subset(const struct ls_scow_star *star, unsigned subset, double period_s) {
  double left_s = period_s, total = 0;
  for (size_t i = 0; i < star->count; i++)
    if (subset >> i & 1) left_s -= star->items[i].link.latency_s;
  if (left_s < 0) return 0;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_scow_worker *worker = &star->items[i];
    if (!(subset >> i & 1)) continue;
    double chunk = fmin(fmax(0, ls_scow_chunk(worker, period_s)), left_s / worker->link.per_unit_s);
    total += chunk;
    left_s = fmax(0, left_s - chunk * worker->link.per_unit_s);
  }
  return total;
}

static double produce_by_force(const struct ls_scow_star *star, double period_s) {
  double best = 0;
  for (unsigned subset = 0; subset < 1U << star->count; subset++)
    best = fmax(best, produce_subset(star, subset, period_s));
  return best;
}

static double produce_exactly(const struct ls_scow_star *star, double period_s, double *units) {
  struct ls_budget budget = {0};
  assert_int_equal(ls_scow_produce_exactly(star, period_s, &budget, units, NULL), LS_OK);
  struct ls_scow_load load = ls_scow_load_of(star->items, star->count, units);
  /* No constraint is violated. */
  assert_true(load.link_s <= period_s * (1 + 1e-7) && load.master_s <= period_s * (1 + 1e-7));
  for (size_t i = 0; i < star->count; i++)
    assert_true(ls_cost_time(&star->items[i].compute, units[i]) <= period_s * (1 + 1e-7));
  return load.units;
}

/* Theorem 4, A.1 and Cbc against all subsets; Theorem 7 with its corrected bound. */
static void the_exact_most_is_that_of_all_subsets(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "production");
  for (int turn = 0; turn < TURNS; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    double units[SMALL];
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), SMALL);
    scow_star(&platform, &star);
    double period_s = star_draw(&random, 0.01, 4);
    double exact = produce_exactly(&star, period_s, units);
    expect_near(exact, produce_by_force(&star, period_s), 1e-7);
    struct ls_scow_production greedy =
        ls_scow_produce(star.items, star.count, period_s, SIZE_MAX, NULL);
    assert_true(greedy.total <= exact + 1e-7);
    if (!isnan(greedy.bound)) assert_true(exact <= greedy.total + greedy.bound + 1e-7);
    if (star.is_identical)
      expect_near(ls_scow_produce_identical(&star.items[0], star.count, period_s).total, exact,
                  1e-9);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* The master limits one worker and the link the other: both sent to at once, 200 / 11 units. */
static void a_bound_of_mixed_stations_is_not_told(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[2];
  (void)state;
  scow_grid(&platform, 2, (struct ls_cost){0, 0.1}, (struct ls_cost){0, 0.1});
  platform.workers[0].costs[LS_OPERATION_SEND] = (struct ls_cost){0, 1};
  platform.workers[1].costs[LS_OPERATION_SEND] = (struct ls_cost){0, 0.1};
  platform.workers[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 1};
  scow_star(&platform, &star);
  struct ls_scow_production greedy = ls_scow_produce(star.items, 2, 10, SIZE_MAX, units);
  expect_near(produce_exactly(&star, 10, units), 200.0 / 11, 1e-6);
  assert_true(greedy.total < 11);
  assert_true(isnan(greedy.bound));
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* The thesis's bound is 0 here. */
static void the_printed_bound_is_wrong(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[3];
  (void)state;
  scow_grid(&platform, 3, (struct ls_cost){0, 0.3}, (struct ls_cost){0, 1});
  platform.workers[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){5, 0.5};
  platform.workers[2].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 0.6};
  scow_star(&platform, &star);
  struct ls_scow_production greedy = ls_scow_produce(star.items, 3, 10, SIZE_MAX, units);
  expect_near(greedy.total, 14, 1e-12);
  expect_near(greedy.bound, 10, 1e-12);
  expect_near(produce_exactly(&star, 10, units), 20, 1e-9);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* The master's processor takes long for small chunks, the network for large ones. */
static void both_stations_are_kept(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "stations");
  for (int turn = 0; turn < TURNS; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    double units[SMALL];
    scow_open(&platform, &random, SCOW_DIFFERENT, SMALL);
    for (size_t i = 0; i < platform.workers_count; i++)
      platform.workers[i].costs[LS_OPERATION_SEND] =
          (struct ls_cost){star_draw(&random, 0, 0.6), star_draw(&random, 0, 0.2)};
    scow_star(&platform, &star);
    double period_s = star_draw(&random, 0.5, 6);
    double exact = produce_exactly(&star, period_s, units);
    struct ls_scow_production greedy =
        ls_scow_produce(star.items, star.count, period_s, SIZE_MAX, units);
    struct ls_scow_load load = ls_scow_load_of(star.items, star.count, units);
    assert_true(load.period_s <= period_s * (1 + 1e-9));
    assert_true(greedy.total <= exact + 1e-7);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

static void a_short_period_produces_nothing(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[4];
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0.1, 0.1}, (struct ls_cost){2, 1});
  scow_star(&platform, &star);
  expect_near(produce_exactly(&star, 2, units), 0, 0);
  expect_near(ls_scow_produce(star.items, 4, 1, SIZE_MAX, units).total, 0, 0);
  expect_near(ls_scow_produce_identical(star.items, 4, 2).total, 0, 0);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_exact_most_is_that_of_all_subsets),
      cmocka_unit_test(a_bound_of_mixed_stations_is_not_told),
      cmocka_unit_test(the_printed_bound_is_wrong),
      cmocka_unit_test(both_stations_are_kept),
      cmocka_unit_test(a_short_period_produces_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
