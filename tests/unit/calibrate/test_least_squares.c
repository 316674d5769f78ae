#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/affine_fit.h"

static void exact_points_give_exact_coefficients(void **state) {
  (void)state;
  const double units[] = {1, 5, 7, 100}, seconds[] = {2.5, 4.5, 5.5, 52};
  struct ls_points points = {units, seconds, 4};
  struct ls_cost law = ls_least_squares(&points, NULL);
  assert_true(fabs(law.per_unit_s - 0.5) <= 1e-12);
  assert_true(fabs(law.latency_s - 2) <= 1e-12);
}

/* Records fit-s1 and fit-s2 of the vectors: the constant would be negative. */
static void a_negative_constant_becomes_zero(void **state) {
  (void)state;
  const double units[] = {1, 2, 3, 4}, seconds[] = {0.9, 2.1, 2.9, 4.1};
  struct ls_points points = {units, seconds, 4};
  assert_true(ls_least_squares(&points, NULL).latency_s < 0);
  struct ls_cost law = ls_least_squares_nonnegative(&points, NULL);
  assert_true(fabs(law.per_unit_s - 1.0066666666666666) <= 1e-12);
  assert_true(!(law.latency_s > 0) && !(law.latency_s < 0));
}

static void a_falling_line_becomes_a_constant(void **state) {
  (void)state;
  const double units[] = {1, 2, 3}, seconds[] = {3, 2, 1};
  struct ls_points points = {units, seconds, 3};
  struct ls_cost law = ls_least_squares_nonnegative(&points, NULL);
  assert_true(fabs(law.latency_s - 2) <= 1e-12 && !(law.per_unit_s > 0));
}

static void points_of_one_size_have_no_latency(void **state) {
  (void)state;
  const double units[] = {0.1, 0.1, 0.1}, seconds[] = {1, 2, 3};
  struct ls_points points = {units, seconds, 3};
  struct ls_cost law = ls_least_squares(&points, NULL);
  assert_true(!(law.latency_s > 0) && fabs(law.per_unit_s - 20) <= 1e-9);
}

static void a_point_of_twice_the_weight_counts_as_two(void **state) {
  (void)state;
  const double units[] = {1, 2, 4, 4}, seconds[] = {1, 4, 5, 5}, weights[] = {1, 1, 2};
  struct ls_points twice = {units, seconds, 4}, once = {units, seconds, 3};
  struct ls_cost left = ls_least_squares(&twice, NULL), right = ls_least_squares(&once, weights);
  assert_true(fabs(left.per_unit_s - right.per_unit_s) <= 1e-12);
  assert_true(fabs(left.latency_s - right.latency_s) <= 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_points_give_exact_coefficients),
      cmocka_unit_test(a_negative_constant_becomes_zero),
      cmocka_unit_test(a_falling_line_becomes_a_constant),
      cmocka_unit_test(points_of_one_size_have_no_latency),
      cmocka_unit_test(a_point_of_twice_the_weight_counts_as_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
