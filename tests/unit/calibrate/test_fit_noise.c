#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/affine_fit_private.h"
#include "measured_fixture.h"

enum { POINTS = 3000 };

static void a_sample_knows_the_noise_of_all(void **state) {
  (void)state;
  static double units[POINTS], seconds[POINTS];
  const struct ls_cost law = {0.5, 0.01};
  const struct noise noises[] = {{0.05, 0, 0}, {0, 0.02, 0}};
  for (size_t n = 0; n < 2; n++) {
    struct ls_random random;
    ls_random_init(&random, n, "noise");
    for (size_t i = 0; i < POINTS; i++) {
      units[i] = (double)(1 + ls_random_below(&random, 1000));
      seconds[i] = measure_law(&law, units[i], &noises[n], &random);
    }
    struct ls_points points = {units, seconds, POINTS};
    struct ls_fit_work work = {
        .points = &points, .is_affine = true, .units_most = 1000, .reach = 4.685};
    assert_int_equal(ls_fit_work_open(&work, NULL), LS_OK);
    assert_true(work.sample_count < POINTS);
    work.law = ls_fit_first_line(&work);
    assert_true(fabs(work.law.per_unit_s / law.per_unit_s - 1) <= 0.02);
    struct ls_noise_shape noise = ls_fit_learn_noise(&work);
    const double ends[] = {0.6, 10};
    for (size_t i = 0; i < 2; i++) {
      double truth = hypot(noises[n].constant_s, noises[n].share * ends[i]);
      assert_true(fabs(ls_noise_at(&noise, ends[i]) / truth - 1) <= 0.25);
    }
    ls_fit_work_close(&work);
  }
}

static void points_on_a_line_are_exact_and_others_are_not(void **state) {
  (void)state;
  double units[20], seconds[20];
  for (size_t i = 0; i < 20; i++) {
    units[i] = (double)i + 1;
    seconds[i] = 1 + 2 * units[i];
  }
  struct ls_points points = {units, seconds, 20};
  struct ls_fit_work work = {.points = &points, .is_affine = true, .units_most = 20};
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(ls_fit_work_open(&work, NULL), LS_OK);
    work.law = ls_fit_first_line(&work);
    assert_int_equal(ls_fit_is_exact(&work, 1e-9), turn == 0);
    ls_fit_work_close(&work);
    for (size_t i = 0; i < 20; i += 2) seconds[i] *= 1.001;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sample_knows_the_noise_of_all),
      cmocka_unit_test(points_on_a_line_are_exact_and_others_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
