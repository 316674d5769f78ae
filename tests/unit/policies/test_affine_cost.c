#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "policies/affine_cost.h"

static void assert_near(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%.17g, expected %.17g", got, expected);
}

/* As a policy does: the rates need the start, and the start the rates. */
static void fit(struct ls_affine_cost *cost, const struct ls_affine_sums *workers, size_t count,
                int rounds) {
  for (int i = 0; i < rounds; i++) {
    struct ls_affine_pool pool = {0};
    for (size_t k = 0; k < count; k++) ls_affine_cost_pool(&pool, &workers[k], cost->start_units);
    ls_affine_cost_fit(cost, &pool);
  }
}

static void nothing_is_known_at_first(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  fit(&cost, &sums, 1, 3);
  assert_false(cost.is_fitted);
  assert_near(cost.start_units, 0, 0);
  assert_near(cost.variation, 1, 0);
  assert_near(ls_affine_cost_rate(&sums, 0), 0, 0);
}

/* 2 ms and 1 ms a unit: a start of 2 units. Two points lie on one line; the prior of two chunks
 * without a spare one leaves the variation. */
static void two_sizes_tell_the_start(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  ls_affine_cost_observe(&sums, &cost, 1, 0.003);
  fit(&cost, &sums, 1, 2);
  assert_false(cost.is_fitted);
  ls_affine_cost_observe(&sums, &cost, 12, 0.014);
  fit(&cost, &sums, 1, 50);
  assert_true(cost.is_fitted);
  assert_near(cost.start_units, 2, 1e-9);
  assert_near(ls_affine_cost_rate(&sums, cost.start_units), 1000, 1e-6);
  assert_near(cost.variation, 1, 1e-6);
}

/* Chunks of one size are any start and any rate. */
static void equal_sizes_tell_no_start(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  for (int i = 0; i < 10; i++) {
    ls_affine_cost_observe(&sums, &cost, 7, i % 2 == 0 ? 0.1 : 0.2);
    fit(&cost, &sums, 1, 2);
  }
  assert_false(cost.is_fitted);
}

/* The second worker is half as fast and has one chunk: its rate follows from the common start. */
static void a_worker_with_one_chunk_is_rated_by_the_start_of_others(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums workers[2] = {{0}};
  (void)state;
  ls_affine_cost_init(&cost);
  ls_affine_cost_observe(&workers[0], &cost, 1, 0.00203);
  ls_affine_cost_observe(&workers[0], &cost, 200, 0.008);
  ls_affine_cost_observe(&workers[1], &cost, 100, 0.01);
  fit(&cost, workers, 2, 100);
  assert_near(cost.start_units, 2 / 0.03, 1e-6);
  assert_near(ls_affine_cost_rate(&workers[1], cost.start_units), 1 / 0.00006, 1e-3);
}

/* The fit as reports bring it, two rounds each, finds start, rates and variation among chance. */
static void start_rates_and_variation_are_found(void **state) {
  const double rates[3] = {1000, 500, 250}, start = 4, variation = 0.5;
  struct ls_affine_cost cost;
  struct ls_affine_sums workers[3] = {{0}};
  struct ls_random random;
  double starts = 0, variations = 0, ratios = 0;
  (void)state;
  ls_affine_cost_init(&cost);
  ls_random_init(&random, 1, "affine");
  for (int i = 0; i < 3000; i++) {
    double units = (double)(1 + ls_random_below(&random, 100)), sum = 0;
    /* A sum of uniform numbers has the deviation of its part of the line. */
    for (int k = 0; k < 12; k++) sum += ls_random_real(&random);
    double chance = (sum - 6) * variation * sqrt(units);
    ls_affine_cost_observe(&workers[i % 3], &cost, units, (start + units + chance) / rates[i % 3]);
    fit(&cost, workers, 3, 2);
    if (i < 600) continue;
    starts += cost.start_units / 2400;
    variations += cost.variation / 2400;
    ratios += ls_affine_cost_rate(&workers[0], cost.start_units) /
              ls_affine_cost_rate(&workers[2], cost.start_units) / 2400;
  }
  assert_near(starts, start, 0.4);
  assert_near(variations, variation, 0.3);
  assert_near(ratios, 4, 0.2);
}

/* The tenth chunk holds a unit that is worth a thousand: it counts twice and eight deviations. */
static void one_giant_does_not_rule_the_rate(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  for (int i = 0; i < 9; i++) {
    double units = 1 + 20 * (i % 2);
    ls_affine_cost_observe(&sums, &cost, units, 0.002 + 0.001 * units);
    fit(&cost, &sums, 1, 2);
  }
  double start = cost.start_units, seconds = sums.seconds, rate = ls_affine_cost_rate(&sums, start);
  ls_affine_cost_observe(&sums, &cost, 16, 1.018);
  double most = (2 * (start + 16) + 8 * 1 * 4) / rate;
  assert_near(sums.seconds, seconds + most, 1e-12);
  assert_true(ls_affine_cost_rate(&sums, start) > rate / 2);
}

/* The first chunk of a worker is believed, whatever others took: it may be that slow. */
static void the_first_chunk_of_a_worker_counts_whole(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  ls_affine_cost_observe(&sums, &cost, 10, 1000);
  assert_near(sums.seconds, 1000, 0);
}

/* Times that fall along the list look like a negative start, times of nothing like no rate. */
static void neither_start_nor_rate_is_negative(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums falling = {0}, flat = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  ls_affine_cost_observe(&falling, &cost, 100, 0.5);
  ls_affine_cost_observe(&falling, &cost, 10, 0.01);
  fit(&cost, &falling, 1, 20);
  assert_true(cost.is_fitted);
  assert_near(cost.start_units, 0, 0);
  ls_affine_cost_init(&cost);
  ls_affine_cost_observe(&flat, &cost, 1, 0.5);
  ls_affine_cost_observe(&flat, &cost, 100, 0.4);
  fit(&cost, &flat, 1, 20);
  assert_true(cost.start_units > 100 && isfinite(cost.start_units));
  assert_true(isfinite(cost.variation) && ls_affine_cost_rate(&flat, cost.start_units) > 0);
}

static void senseless_times_leave_finite_values(void **state) {
  struct ls_affine_cost cost;
  struct ls_affine_sums sums = {0};
  (void)state;
  ls_affine_cost_init(&cost);
  for (int i = 0; i < 8; i++) {
    ls_affine_cost_observe(&sums, &cost, 1 + i, i % 2 == 0 ? 0 : 1e300);
    fit(&cost, &sums, 1, 2);
    assert_true(isfinite(cost.start_units) && cost.start_units >= 0);
    assert_true(isfinite(cost.variation) && cost.variation > 0);
    assert_true(ls_affine_cost_rate(&sums, cost.start_units) > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_known_at_first),
      cmocka_unit_test(two_sizes_tell_the_start),
      cmocka_unit_test(equal_sizes_tell_no_start),
      cmocka_unit_test(a_worker_with_one_chunk_is_rated_by_the_start_of_others),
      cmocka_unit_test(start_rates_and_variation_are_found),
      cmocka_unit_test(one_giant_does_not_rule_the_rate),
      cmocka_unit_test(the_first_chunk_of_a_worker_counts_whole),
      cmocka_unit_test(neither_start_nor_rate_is_negative),
      cmocka_unit_test(senseless_times_leave_finite_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
