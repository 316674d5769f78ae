#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/affine_fit.h"
#include "measured_fixture.h"

enum { SEEDS = 400, POINTS_MAX = 200, SIZES = 10 };

struct measured {
  double units[POINTS_MAX], seconds[POINTS_MAX];
  struct ls_points points;
};

static void measure(struct measured *measured, size_t count, const struct ls_cost *law,
                    const struct noise *noise, struct ls_random *random) {
  for (size_t i = 0; i < count; i++) {
    measured->units[i] = 10 * (1 + 5 * (double)(i % SIZES));
    measured->seconds[i] = measure_law(law, measured->units[i], noise, random);
  }
  measured->points = (struct ls_points){measured->units, measured->seconds, count};
}

static struct ls_affine_fit fit(const struct measured *measured) {
  struct ls_affine_fit fitted;
  assert_int_equal(ls_affine_fit(&measured->points, &fitted, NULL), LS_OK);
  return fitted;
}

static bool holds(const struct ls_interval *interval, double truth) {
  return interval->least <= truth && truth <= interval->most;
}

static void exact_data_gives_exact_coefficients(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "laws");
  for (int i = 0; i < 100; i++) {
    struct measured measured;
    struct ls_cost law = {ls_random_real(&random), ls_random_real(&random)};
    measure(&measured, 30, &law, &(struct noise){0, 0, 0.05}, &random);
    struct ls_affine_fit fitted = fit(&measured);
    assert_true(fabs(fitted.law.latency_s - law.latency_s) <= 1e-9);
    assert_true(fabs(fitted.law.per_unit_s - law.per_unit_s) <= 1e-9);
  }
}

/* Laws through 0, falling ones, and noise as large as the times. */
static void coefficients_are_never_negative(void **state) {
  (void)state;
  struct ls_random random;
  size_t floored = 0, kept = 0;
  ls_random_init(&random, 2, "laws");
  for (int i = 0; i < 500; i++) {
    struct measured measured;
    struct ls_cost law = {2 * ls_random_real(&random) - 1, 0.02 * ls_random_real(&random) - 0.01};
    struct noise noise = {ls_random_real(&random), ls_random_real(&random), 0.05};
    measure(&measured, 1 + ls_random_below(&random, 60), &law, &noise, &random);
    struct ls_affine_fit fitted = fit(&measured);
    assert_true(fitted.law.latency_s >= 0 && fitted.law.per_unit_s >= 0);
    /* Where nothing had to be floored, the law is the fit itself. */
    if (fitted.raw.latency_s < 0 || fitted.raw.per_unit_s < 0) {
      floored++;
      continue;
    }
    assert_true(fabs(fitted.law.latency_s - fitted.raw.latency_s) <= 1e-9);
    assert_true(fabs(fitted.law.per_unit_s - fitted.raw.per_unit_s) <= 1e-9);
    kept++;
  }
  assert_true(floored >= 50 && kept >= 50);
}

/* Counts by which share of SEEDS truths lies in the intervals. */
static void count_coverage(size_t count, const struct noise *noise, double *latency,
                           double *per_unit) {
  size_t latencies = 0, rates = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    struct measured measured;
    ls_random_init(&random, seed, "coverage");
    struct ls_cost law = {0.02 + 0.2 * ls_random_real(&random),
                          0.001 * (1 + 9 * ls_random_real(&random))};
    measure(&measured, count, &law, noise, &random);
    struct ls_affine_fit fitted = fit(&measured);
    latencies += holds(&fitted.latency_s, law.latency_s);
    rates += holds(&fitted.per_unit_s, law.per_unit_s);
  }
  *latency = (double)latencies / SEEDS;
  *per_unit = (double)rates / SEEDS;
}

/* The study calibrate-recovery judges each kind of noise by 1,000 truths. */
static void intervals_hold_the_truth_nine_times_of_ten(void **state) {
  (void)state;
  const struct noise noises[] = {{0.02, 0, 0}, {0.05, 0, 0.08}, {0, 0.002, 0}, {0.02, 0.001, 0.05}};
  double latencies = 0, rates = 0;
  for (size_t i = 0; i < 4; i++) {
    double latency, per_unit;
    count_coverage(60, &noises[i], &latency, &per_unit);
    latencies += latency / 4;
    rates += per_unit / 4;
  }
  if (latencies < 0.87 || latencies > 0.93 || rates < 0.87 || rates > 0.93)
    fail_msg("the intervals hold %g of the latencies, %g of the rates", latencies, rates);
}

/* Too few to learn a shape of the noise from. */
static void intervals_of_few_points_hold_it_as_often(void **state) {
  (void)state;
  const struct noise noises[] = {{0.05, 0, 0}, {0, 0.01, 0}, {0.02, 0.005, 0.05}};
  const size_t counts[] = {8, 12, 20, 40};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 4; k++) {
      double latency, per_unit;
      count_coverage(counts[k], &noises[i], &latency, &per_unit);
      /* Three standard errors of 400 truths beyond the three of a hundred. */
      if (latency < 0.825 || per_unit < 0.825 || per_unit > 0.975)
        fail_msg("of %zu points with noise %zu: %g of the latencies, %g of the rates", counts[k], i,
                 latency, per_unit);
    }
  }
}

static void outliers_do_not_move_the_law(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct ls_random random;
    struct measured measured;
    ls_random_init(&random, seed, "outliers");
    struct ls_cost law = {0.1, 0.01};
    measure(&measured, 100, &law, &(struct noise){0.02, 0, 0.15}, &random);
    struct ls_affine_fit fitted = fit(&measured);
    assert_true(fabs(fitted.law.per_unit_s / law.per_unit_s - 1) <= 0.03);
    assert_true(fitted.outliers >= 3);
  }
}

/* Where tasks differ by themselves, it is their mean that a plan needs. */
static void times_of_a_wide_law_keep_their_mean(void **state) {
  (void)state;
  struct ls_random random;
  struct measured measured;
  double sum = 0;
  ls_random_init(&random, 5, "exponential");
  for (size_t i = 0; i < POINTS_MAX; i++) {
    measured.units[i] = 1;
    measured.seconds[i] = -log(1 - ls_random_real(&random));
    sum += measured.seconds[i];
  }
  measured.points = (struct ls_points){measured.units, measured.seconds, POINTS_MAX};
  struct ls_affine_fit fitted = fit(&measured);
  assert_true(fabs(fitted.law.per_unit_s - sum / POINTS_MAX) <= 1e-9);
  assert_false(fitted.is_told_apart);
  assert_int_equal(fitted.outliers, 0);
}

static void the_noise_is_learnt(void **state) {
  (void)state;
  struct ls_random random;
  struct measured measured;
  struct ls_cost law = {0.1, 0.01};
  ls_random_init(&random, 7, "noise");
  measure(&measured, POINTS_MAX, &law, &(struct noise){0.05, 0, 0}, &random);
  struct ls_affine_fit fitted = fit(&measured);
  assert_true(fabs(ls_affine_noise(&fitted, 5) / 5 - 0.05) <= 0.015);
}

/* Two sizes, two points: a law, but nothing is known of its error. */
static void two_points_have_no_interval(void **state) {
  (void)state;
  const double units[] = {1, 3}, seconds[] = {2, 4};
  struct ls_affine_fit fitted;
  struct ls_points points = {units, seconds, 2};
  assert_int_equal(ls_affine_fit(&points, &fitted, NULL), LS_OK);
  assert_true(fabs(fitted.law.latency_s - 1) <= 1e-9 && fabs(fitted.law.per_unit_s - 1) <= 1e-9);
  assert_true(isnan(fitted.latency_s.least) && isnan(fitted.per_unit_s.most));
}

/* A line through two of three always exists: it is no proof that they are without noise. */
static void three_noisy_points_are_not_exact(void **state) {
  (void)state;
  const double units[] = {10, 20, 40};
  const struct ls_cost law = {0.1, 0.01};
  size_t held = 0;
  enum { SETS = 200 };
  for (uint64_t seed = 0; seed < SETS; seed++) {
    struct ls_random random;
    double seconds[3];
    ls_random_init(&random, seed, "three");
    for (size_t i = 0; i < 3; i++)
      seconds[i] = measure_law(&law, units[i], &(struct noise){0.05, 0, 0}, &random);
    struct ls_affine_fit fitted;
    struct ls_points points = {units, seconds, 3};
    assert_int_equal(ls_affine_fit(&points, &fitted, NULL), LS_OK);
    assert_int_equal(fitted.outliers, 0);
    assert_true(fitted.per_unit_s.most > fitted.per_unit_s.least);
    held += holds(&fitted.per_unit_s, law.per_unit_s) && holds(&fitted.latency_s, law.latency_s);
  }
  assert_true((double)held >= 0.9 * SETS);
}

static void three_points_on_a_line_are_exact(void **state) {
  (void)state;
  const double units[] = {10, 20, 40}, seconds[] = {0.3, 0.5, 0.9};
  struct ls_affine_fit fitted;
  struct ls_points points = {units, seconds, 3};
  assert_int_equal(ls_affine_fit(&points, &fitted, NULL), LS_OK);
  assert_true(fabs(fitted.law.latency_s - 0.1) <= 1e-9);
  assert_true(fitted.per_unit_s.most - fitted.per_unit_s.least <= 1e-9 && fitted.outliers == 0);
}

static void scaling_seconds_and_units_scales_the_law(void **state) {
  (void)state;
  struct ls_random random;
  struct measured measured, scaled;
  struct ls_cost law = {0.1, 0.01};
  ls_random_init(&random, 9, "scale");
  measure(&measured, 80, &law, &(struct noise){0.03, 0.001, 0.05}, &random);
  for (size_t i = 0; i < 80; i++) {
    scaled.units[i] = 1e3 * measured.units[i];
    scaled.seconds[i] = 1e-6 * measured.seconds[i];
  }
  scaled.points = (struct ls_points){scaled.units, scaled.seconds, 80};
  struct ls_affine_fit one = fit(&measured), other = fit(&scaled);
  assert_true(fabs(other.law.latency_s / one.law.latency_s / 1e-6 - 1) <= 1e-6);
  assert_true(fabs(other.law.per_unit_s / one.law.per_unit_s / 1e-9 - 1) <= 1e-6);
}

static void no_points_are_refused(void **state) {
  (void)state;
  struct ls_affine_fit fitted;
  struct ls_points points = {NULL, NULL, 0};
  assert_int_equal(ls_affine_fit(&points, &fitted, NULL), LS_EINVAL);
}

/* A message of one unit takes 0.5 ms; a million units were there within 2 ms. */
static void a_rate_is_no_more_than_what_arrived(void **state) {
  (void)state;
  const double units[] = {1, 1, 1}, seconds[] = {4e-4, 5e-4, 9e-4};
  const struct ls_points points = {units, seconds, 3};
  struct ls_affine_fit fit = {.count = 0};
  assert_int_equal(ls_affine_fit(&points, &fit, NULL), LS_OK);
  assert_true(fit.law.per_unit_s > 1e-4);
  assert_int_equal(ls_affine_fit_bound_rate(&fit, &points, (double)INFINITY, NULL), LS_OK);
  assert_false(fit.is_rate_bounded);
  assert_int_equal(ls_affine_fit_bound_rate(&fit, &points, 2e-9, NULL), LS_OK);
  assert_true(fit.is_rate_bounded);
  assert_true(fabs(fit.law.per_unit_s - 1e-9) < 1e-15);
  assert_true(fabs(fit.law.latency_s - 5e-4) < 1e-8);
  assert_true(fit.per_unit_s.least <= 0 && fabs(fit.per_unit_s.most - 2e-9) < 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rate_is_no_more_than_what_arrived),
      cmocka_unit_test(exact_data_gives_exact_coefficients),
      cmocka_unit_test(coefficients_are_never_negative),
      cmocka_unit_test(intervals_hold_the_truth_nine_times_of_ten),
      cmocka_unit_test(intervals_of_few_points_hold_it_as_often),
      cmocka_unit_test(outliers_do_not_move_the_law),
      cmocka_unit_test(times_of_a_wide_law_keep_their_mean),
      cmocka_unit_test(the_noise_is_learnt),
      cmocka_unit_test(two_points_have_no_interval),
      cmocka_unit_test(three_noisy_points_are_not_exact),
      cmocka_unit_test(three_points_on_a_line_are_exact),
      cmocka_unit_test(scaling_seconds_and_units_scales_the_law),
      cmocka_unit_test(no_points_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
