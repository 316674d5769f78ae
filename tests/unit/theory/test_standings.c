#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "theory/standings.h"

#define NONE ((double)INFINITY)

enum { ALGORITHMS = 3, PLATFORMS = 4 };

/* Of three algorithms on four platforms; the third does not apply to the last, nothing but the
 * first one does there. */
static const double makespans[ALGORITHMS][PLATFORMS] = {
    {10, 10, 12, 10}, {12, 10, 10, NONE}, {15, 20, 10, NONE}};

static struct ls_makespans all(void) {
  return (struct ls_makespans){makespans[0], PLATFORMS, PLATFORMS};
}

static void expect_near(double got, double expected) {
  if (!(fabs(got - expected) < 1e-12)) fail_msg("got %.17g, expected %.17g", got, expected);
}

static void metrics_are_those_of_the_paper(void **state) {
  (void)state;
  struct ls_standings standings;
  struct ls_makespans table = all();
  assert_int_equal(ls_standings_init(&standings, ALGORITHMS, NULL), LS_OK);
  ls_standings_add(&standings, &table);
  assert_int_equal(standings.platforms, PLATFORMS);
  expect_near(ls_ratios_mean(&standings.items[0].to_best), (1 + 1 + 1.2 + 1) / 4);
  expect_near(ls_ratios_mean(&standings.items[1].to_best), (1.2 + 1 + 1) / 3);
  expect_near(ls_ratios_mean(&standings.items[2].to_first), (1.5 + 2 + 10.0 / 12) / 3);
  /* Against the second: shorter on 2 of 4, a tie on one. */
  expect_near(ls_standings_wins(&standings, 0, 1), 62.5);
  expect_near(ls_standings_wins(&standings, 1, 0), 37.5);
  /* Neither applies to the last one: a tie. */
  expect_near(ls_standings_wins(&standings, 1, 2), 100 * (2 + 2 * 0.5) / 4);
  expect_near(ls_standings_rank(&standings, 0), (0 + 0.5 + 2 + 0) / 4);
  assert_int_equal(ls_standings_ties(&standings, 0, 1), 1);
  assert_int_equal(standings.items[2].applied, 3);
  ls_standings_close(&standings);
}

static void the_first_may_win_its_ties(void **state) {
  (void)state;
  struct ls_standings standings;
  struct ls_makespans table = all();
  assert_int_equal(ls_standings_init(&standings, ALGORITHMS, NULL), LS_OK);
  standings.ties_for_first = true;
  ls_standings_add(&standings, &table);
  expect_near(ls_standings_wins(&standings, 0, 1), 75);
  expect_near(ls_standings_wins(&standings, 1, 0), 25);
  expect_near(ls_standings_wins(&standings, 1, 2), 75);
  ls_standings_close(&standings);
}

static void who_is_behind_is_told_by_how_much(void **state) {
  (void)state;
  struct ls_standings standings;
  struct ls_makespans table = all();
  assert_int_equal(ls_standings_init(&standings, ALGORITHMS, NULL), LS_OK);
  ls_standings_add(&standings, &table);
  expect_near(ls_standings_best(&standings, 0), 75);
  expect_near(ls_standings_best(&standings, 1), 50);
  expect_near(ls_standings_best(&standings, 2), 25);
  assert_int_equal(standings.items[2].behind.count, 2);
  expect_near(ls_ratios_mean(&standings.items[2].behind), (0.5 + 1) / 2);
  expect_near(ls_ratios_deviation(&standings.items[2].behind), 0.25);
  assert_true(isnan(ls_ratios_mean(&(struct ls_ratios){0})));
  assert_true(isnan(ls_ratios_deviation(&(struct ls_ratios){0})));
  ls_standings_close(&standings);
}

/* Makespans that differ in the tenth digit tie, in the eighth they do not. */
static void near_makespans_tie(void **state) {
  (void)state;
  const double near_s[] = {1, 1, 1 + 1e-10, 1 + 1e-8};
  struct ls_standings standings;
  struct ls_makespans table = {near_s, 2, 2};
  assert_int_equal(ls_standings_init(&standings, 2, NULL), LS_OK);
  ls_standings_add(&standings, &table);
  expect_near(ls_standings_wins(&standings, 0, 1), 75);
  ls_standings_close(&standings);
}

enum { MANY = 700 };

static void draw(double *items, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "makespans");
  for (size_t i = 0; i < ALGORITHMS * MANY; i++)
    items[i] = ls_random_below(&random, 9) == 0 ? NONE : 1 + (double)ls_random_below(&random, 5);
}

/* One call for all, or several: not a bit differs. And the mean of the ranks is the mean rank. */
static void parts_do_not_change_the_digits(void **state) {
  (void)state;
  double items[ALGORITHMS * MANY], ranks[ALGORITHMS] = {0};
  struct ls_standings whole, parts;
  draw(items, 5);
  assert_int_equal(ls_standings_init(&whole, ALGORITHMS, NULL), LS_OK);
  assert_int_equal(ls_standings_init(&parts, ALGORITHMS, NULL), LS_OK);
  struct ls_makespans table = {items, MANY, MANY};
  ls_standings_add(&whole, &table);
  for (size_t first = 0; first < MANY; first += 7) {
    struct ls_makespans part = {items + first, MANY, 7};
    ls_standings_add(&parts, &part);
  }
  for (size_t k = 0; k < MANY; k++) {
    struct ls_makespans one = {items + k, MANY, 1};
    for (size_t i = 0; i < ALGORITHMS; i++) ranks[i] += ls_standings_rank_on(&whole, &one, i);
  }
  assert_memory_equal(whole.items, parts.items, ALGORITHMS * sizeof *whole.items);
  double sum = 0;
  for (size_t i = 0; i < ALGORITHMS; i++) {
    expect_near(ls_standings_rank(&whole, i), ls_standings_rank(&parts, i));
    expect_near(ls_standings_rank(&whole, i), ranks[i] / MANY);
    sum += ranks[i] / MANY;
  }
  expect_near(sum, ALGORITHMS * (ALGORITHMS - 1) / 2.0);
  ls_standings_close(&whole);
  ls_standings_close(&parts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(metrics_are_those_of_the_paper),
      cmocka_unit_test(the_first_may_win_its_ties),
      cmocka_unit_test(who_is_behind_is_told_by_how_much),
      cmocka_unit_test(near_makespans_tie),
      cmocka_unit_test(parts_do_not_change_the_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
