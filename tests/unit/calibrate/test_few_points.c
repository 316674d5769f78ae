#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/student.h"
#include "calibrate/affine_fit_private.h"
#include "measured_fixture.h"

enum { POINTS = 12 };

struct fitted {
  double units[LS_FIT_FEW_MAX], seconds[LS_FIT_FEW_MAX];
  struct ls_fit_work work;
  struct ls_affine_fit fit;
};

/* From a law near the truth, and a noise that is thought to be this. */
static void fit_few(struct fitted *fitted, const struct ls_points *points, double noise_s) {
  fitted->work =
      (struct ls_fit_work){.points = points,
                           .is_affine = points->units[0] < points->units[points->count - 1],
                           .units_most = points->units[points->count - 1],
                           .reach = 4.685};
  assert_int_equal(ls_fit_work_open(&fitted->work, NULL), LS_OK);
  fitted->work.law = ls_fit_first_line(&fitted->work);
  fitted->work.noise = (struct ls_noise_shape){noise_s, 0};
  fitted->fit = (struct ls_affine_fit){.count = points->count};
  ls_fit_few(&fitted->work, &fitted->fit);
}

static struct ls_points measure(struct fitted *fitted, size_t count, const struct ls_cost *law,
                                const struct noise *noise, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "few");
  for (size_t i = 0; i < count; i++) {
    fitted->units[i] = 10 * (double)(i + 1);
    fitted->seconds[i] = measure_law(law, fitted->units[i], noise, &random);
  }
  return (struct ls_points){fitted->units, fitted->seconds, count};
}

/* A noise that was thought to be a hundredth of what it is makes nobody an outlier. */
static void a_noise_thought_too_small_does_no_harm(void **state) {
  (void)state;
  const struct ls_cost law = {0.5, 0.01};
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct fitted one, other;
    struct noise noise = {0, 0.05, 0};
    struct ls_points points = measure(&one, POINTS, &law, &noise, seed);
    fit_few(&one, &points, 0.0005);
    assert_true(one.work.noise.constant_s + one.work.noise.share > 0.01);
    fit_few(&other, &points, 0.05);
    if (one.fit.outliers == 0 && other.fit.outliers == 0)
      assert_true(fabs(one.fit.raw.per_unit_s - other.fit.raw.per_unit_s) <= 1e-3);
    assert_true(one.fit.outliers <= 1);
    ls_fit_work_close(&one.work);
    ls_fit_work_close(&other.work);
  }
}

static void an_outlier_stays_one(void **state) {
  (void)state;
  const struct ls_cost law = {0.5, 0.01};
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct fitted fitted;
    struct ls_points points = measure(&fitted, POINTS, &law, &(struct noise){0, 0.005, 0}, seed);
    fitted.seconds[5] *= 3;
    fit_few(&fitted, &points, 0.005);
    assert_int_equal(fitted.fit.outliers, 1);
    assert_true(!(fitted.work.weights[5] > 0) && fitted.work.weights[4] > 0);
    assert_true(fabs(fitted.fit.raw.per_unit_s - law.per_unit_s) <= 5e-4);
    ls_fit_work_close(&fitted.work);
  }
}

/* Of one size all shapes are one: the interval is Student's, but for the hundredths that the
 * learnt noise costs. */
static void one_size_has_the_interval_of_a_mean(void **state) {
  (void)state;
  const double seconds[] = {1.1, 0.9, 1.05, 0.95, 1, 1.02, 0.98, 1.01};
  const double units[] = {2, 2, 2, 2, 2, 2, 2, 2};
  struct fitted fitted;
  double sum = 0, squares = 0;
  struct ls_points points = {units, seconds, 8};
  for (size_t i = 0; i < 8; i++) sum += seconds[i] / 8;
  for (size_t i = 0; i < 8; i++) squares += (seconds[i] - sum) * (seconds[i] - sum);
  fit_few(&fitted, &points, 0.1);
  double reach = ls_student_quantile(0.95, 7) * sqrt(squares / 7 / 8) / 2;
  double width = (fitted.fit.per_unit_s.most - fitted.fit.per_unit_s.least) / 2;
  assert_true(fabs(fitted.fit.raw.per_unit_s - sum / 2) <= 1e-9);
  assert_true(width >= reach && width <= 1.1 * reach);
  ls_fit_work_close(&fitted.work);
}

/* The raw fit lies in its intervals, which are twice as wide where all residuals are. */
static void intervals_scale_with_the_residuals(void **state) {
  (void)state;
  const struct ls_cost law = {0.5, 0.01};
  struct fitted one, twice;
  struct ls_points points = measure(&one, POINTS, &law, &(struct noise){0, 0.001, 0}, 3);
  fit_few(&one, &points, 0.001);
  for (size_t i = 0; i < POINTS; i++) {
    twice.units[i] = one.units[i];
    double expected = one.fit.raw.latency_s + one.fit.raw.per_unit_s * one.units[i];
    twice.seconds[i] = expected + 2 * (one.seconds[i] - expected);
  }
  struct ls_points wider = {twice.units, twice.seconds, POINTS};
  fit_few(&twice, &wider, 0.002);
  double ratio = (twice.fit.latency_s.most - twice.fit.latency_s.least) /
                 (one.fit.latency_s.most - one.fit.latency_s.least);
  assert_true(fabs(ratio - 2) <= 0.05);
  assert_true(one.fit.raw.latency_s >= one.fit.latency_s.least &&
              one.fit.raw.latency_s <= one.fit.latency_s.most);
  ls_fit_work_close(&one.work);
  ls_fit_work_close(&twice.work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_noise_thought_too_small_does_no_harm),
      cmocka_unit_test(an_outlier_stays_one),
      cmocka_unit_test(one_size_has_the_interval_of_a_mean),
      cmocka_unit_test(intervals_scale_with_the_residuals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
