#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <stdlib.h>

#include "../../support/unless_sanitized.h"
#include "model/plan_repeat.h"
#include "model/validate.h"
#include "scow_fixture.h"

static void it_is_never_worse_than_its_kin(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "scow");
  for (int turn = 0; turn < UNLESS_SANITIZED(40, 10); turn++) {
    struct ls_platform platform;
    bool is_whole = turn % 2;
    double load = floor(star_draw(&random, 5, 3000));
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 12);
    double scow_s = scow_makespan(&platform, load, is_whole, "scow") / (1 + 1e-12);
    assert_true(scow_s <= scow_makespan(&platform, load, is_whole, "scow-mp"));
    assert_true(scow_s <= scow_makespan(&platform, load, is_whole, "scow-pwu"));
    ls_platform_close(&platform);
  }
}

/* Loads of a few units, sent as slowly as they compute: where all that are used are full no period
 * is long enough, and one round is all that scow-pwu has. */
static void it_is_never_worse_of_small_loads(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 4, "small loads");
  for (int turn = 0; turn < UNLESS_SANITIZED(300, 75); turn++) {
    struct ls_platform platform;
    bool is_whole = turn % 2;
    double load = is_whole ? 1 + floor(star_draw(&random, 0, 20)) : star_draw(&random, 0.2, 20);
    struct ls_cost send = {star_draw(&random, 0, 1), star_draw(&random, 0.1, 3)};
    struct ls_cost compute = {turn % 3 ? 0 : star_draw(&random, 0, 1), star_draw(&random, 0.1, 3)};
    scow_grid(&platform, 1 + ls_random_below(&random, 6), send, compute);
    double scow_s = scow_makespan(&platform, load, is_whole, "scow");
    double mp_s = scow_makespan(&platform, load, is_whole, "scow-mp");
    double pwu_s = scow_makespan(&platform, load, is_whole, "scow-pwu");
    if (!(scow_s <= fmin(mp_s, pwu_s) * (1 + 1e-12)))
      fail_msg("turn %d: scow %.17g, scow-mp %.17g, scow-pwu %.17g", turn, scow_s, mp_s, pwu_s);
    assert_true(scow_makespan(&platform, load, is_whole, "umr-scow") <= scow_s * (1 + 1e-12));
    ls_platform_close(&platform);
  }
}

/* So many rounds no plan counts: fewer are taken. */
static void a_load_beyond_all_counting_is_planned(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0, 0.2165}, (struct ls_cost){0.02477, 0.2425});
  double scow_s = scow_makespan(&platform, 1e300, false, "scow");
  assert_true(isfinite(scow_s) && scow_s >= 0.2165e300);
  ls_platform_close(&platform);
}

static void one_round_is_among_its_candidates(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_grid(&platform, 5, (struct ls_cost){0.058, 1.063}, (struct ls_cost){0, 0.844});
  expect_near(scow_makespan(&platform, 1, false, "scow"), 1.3006179, 1e-7);
  expect_near(scow_makespan(&platform, 1, false, "umr-scow"), 1.3006179, 1e-7);
  ls_platform_close(&platform);
  scow_grid(&platform, 5, (struct ls_cost){0.82, 2.322}, (struct ls_cost){0.037, 0.595});
  expect_near(scow_makespan(&platform, 10, false, "scow"), 25.726685, 1e-7);
  expect_near(scow_makespan(&platform, 10, false, "umr-scow"), 25.726685, 1e-7);
  ls_platform_close(&platform);
}

/* Target 1: X = 1000, B = 11, p = 11. */
static void the_published_platform_is_planned_well(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_published(&platform, 11, 11);
  assert_true(scow_makespan(&platform, 1000, true, "scow") <= 99.354);
  ls_platform_close(&platform);
}

static int compare_numbers(const void *left, const void *right) {
  const double *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

/* Latencies are 1 to 10 % of what a unit costs in the same operation. */
static void shorten_latencies(struct ls_platform *platform, struct ls_random *random) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    for (int k = LS_OPERATION_OF_WORKER; k < LS_OPERATION_REPLY; k++)
      if (k != LS_OPERATION_STAGE)
        costs[k].latency_s = star_draw(random, 0.01, 0.1) * costs[k].per_unit_s;
  }
}

/* Target 3: median excess over X/rho at most 4 %, largest 20 %; it falls like sqrt(1/X). */
static void the_excess_is_small_and_falls(void **state) {
  enum { PLATFORMS = 24 };
  struct ls_random random;
  double excess[PLATFORMS];
  (void)state;
  ls_random_init(&random, 2, "excess");
  for (int turn = 0; turn < PLATFORMS; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double load = floor(star_draw(&random, 300, 8000));
    scow_open(&platform, &random, SCOW_DIFFERENT, 25);
    shorten_latencies(&platform, &random);
    scow_plan(&platform, load, true, "scow", &plan);
    excess[turn] = plan.makespan_s / ls_plan_get(&plan, "lower_bound", 0) - 1;
    assert_true(excess[turn] >= 0 && excess[turn] <= 0.2);
    ls_plan_close(&plan);
    if (turn % 4 == 0) {
      double few, many;
      scow_plan(&platform, 2e5, true, "scow", &plan);
      few = plan.makespan_s / ls_plan_get(&plan, "lower_bound", 0) - 1;
      ls_plan_close(&plan);
      scow_plan(&platform, 16 * 2e5, true, "scow", &plan);
      many = plan.makespan_s / ls_plan_get(&plan, "lower_bound", 0) - 1;
      ls_plan_close(&plan);
      assert_true(few / many >= 2.5 && few / many <= 6);
    }
    ls_platform_close(&platform);
  }
  qsort(excess, PLATFORMS, sizeof *excess, compare_numbers);
  assert_true((excess[PLATFORMS / 2] + excess[PLATFORMS / 2 - 1]) / 2 <= 0.04);
}

/* 6.3 and 8: total exact, windows of argument and workers kept, plans that are possible. */
static void windows_are_kept(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "windows");
  for (int turn = 0; turn < 40; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double units[16], sum = 0, load = floor(star_draw(&random, 500, 3000));
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    for (size_t i = 0; i < platform.workers_count && turn % 2; i++) {
      platform.workers[i].window_from = 3;
      platform.workers[i].window_to = 30 + (double)ls_random_below(&random, 30);
    }
    scow_plan(&platform, load, true, "scow:window=4-25", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
    for (size_t i = 0; i < plan.chunks_count; i++) {
      assert_true(plan.chunks[i].units <= 25);
      if (ls_plan_times(&plan, i) > 1) assert_true(plan.chunks[i].units >= 4);
    }
    assert_true(ls_plan_get(&plan, "fitted", 0) <= 0);
    ls_plan_units(&plan, platform.workers_count, units);
    for (size_t i = 0; i < platform.workers_count; i++) sum += units[i];
    expect_near(sum, load, 0);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void a_million_periods_are_a_few_chunks(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_published(&platform, 20, 22);
  scow_plan(&platform, 2e9, true, "scow:window=50-100", &plan);
  assert_true(ls_plan_rounds(&plan) >= 1000000);
  assert_true(plan.chunks_count <= 3 * 20);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_never_worse_than_its_kin),
      cmocka_unit_test(it_is_never_worse_of_small_loads),
      cmocka_unit_test(a_load_beyond_all_counting_is_planned),
      cmocka_unit_test(one_round_is_among_its_candidates),
      cmocka_unit_test(the_published_platform_is_planned_well),
      cmocka_unit_test(the_excess_is_small_and_falls),
      cmocka_unit_test(windows_are_kept),
      cmocka_unit_test(a_million_periods_are_a_few_chunks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
