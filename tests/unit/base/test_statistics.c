#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"

static void sum_keeps_what_cancels(void **state) {
  (void)state;
  struct ls_sum sum = {0};
  const double terms[] = {1, 1e100, 1, -1e100};
  for (int i = 0; i < 4; i++) ls_sum_add(&sum, terms[i]);
  assert_true(ls_sum_value(&sum) == 2.0);
}

static void sum_of_many_tenths_is_exact(void **state) {
  (void)state;
  struct ls_sum sum = {0};
  for (int i = 0; i < 10000000; i++) ls_sum_add(&sum, 0.1);
  assert_true(fabs(ls_sum_value(&sum) - (1e6)) <= 1e-9);
}

static void infinite_terms_stay_infinite(void **state) {
  (void)state;
  struct ls_sum sum = {0};
  ls_sum_add(&sum, (double)INFINITY);
  ls_sum_add(&sum, 1);
  assert_true(isinf(ls_sum_value(&sum)));
  ls_sum_add(&sum, (double)NAN);
  assert_true(isnan(ls_sum_value(&sum)));
}

static void moments_equal_the_two_pass_formulas(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "moments");
  double values[500];
  struct ls_moments moments = {0};
  double mean = 0;
  for (int i = 0; i < 500; i++) {
    values[i] = 1e6 + ls_random_real(&random);
    ls_moments_add(&moments, values[i]);
    mean += values[i] / 500;
  }
  double squares = 0, least = values[0], largest = values[0];
  for (int i = 0; i < 500; i++) {
    squares += (values[i] - mean) * (values[i] - mean);
    least = fmin(least, values[i]);
    largest = fmax(largest, values[i]);
  }
  assert_int_equal(moments.count, 500);
  assert_true(fabs(moments.mean - (mean)) <= 1e-6);
  assert_true(fabs(ls_moments_deviation(&moments) - (sqrt(squares / 499))) <= 1e-6);
  assert_true(moments.least == least);
  assert_true(moments.largest == largest);
}

static void deviation_of_fewer_than_two_values_is_zero(void **state) {
  (void)state;
  struct ls_moments moments = {0};
  assert_true(ls_moments_deviation(&moments) == 0.0);
  ls_moments_add(&moments, -3);
  assert_true(ls_moments_deviation(&moments) == 0.0);
  assert_true(moments.largest == -3.0);
}

static void quantiles_interpolate(void **state) {
  (void)state;
  const double sorted[] = {1, 2, 4, 8};
  assert_true(ls_quantile_sorted(sorted, 4, 0) == 1.0);
  assert_true(ls_quantile_sorted(sorted, 4, 1) == 8.0);
  assert_true(fabs(ls_quantile_sorted(sorted, 4, 0.5) - (3.0)) <= 1e-15);
  assert_true(ls_quantile_sorted(sorted, 1, 0.3) == 1.0);
}

static int compare_values(const void *left, const void *right) {
  const double *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

/* Few different values as well as many: ties are what a partition gets wrong. */
static void the_median_is_that_of_the_sorted_values(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 5, "medians");
  for (size_t count = 1; count <= 200; count++) {
    double values[200], sorted[200];
    uint64_t kinds = 1 + ls_random_below(&random, 2 * count);
    for (size_t i = 0; i < count; i++)
      values[i] = sorted[i] = (double)ls_random_below(&random, kinds) - 7;
    qsort(sorted, count, sizeof *sorted, compare_values);
    double expected = ls_quantile_sorted(sorted, count, 0.5);
    assert_true(fabs(ls_median(values, count) - expected) <= 1e-12);
    qsort(values, count, sizeof *values, compare_values);
    assert_memory_equal(values, sorted, count * sizeof *values);
  }
}

static void values_are_sorted(void **state) {
  (void)state;
  double values[] = {3, -(double)INFINITY, 0.5, 3, -2, (double)INFINITY, 0};
  const double sorted[] = {-(double)INFINITY, -2, 0, 0.5, 3, 3, (double)INFINITY};
  ls_sort_ascending(values, 7);
  assert_memory_equal(values, sorted, sizeof sorted);
  ls_sort_ascending(NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sum_keeps_what_cancels),
      cmocka_unit_test(sum_of_many_tenths_is_exact),
      cmocka_unit_test(infinite_terms_stay_infinite),
      cmocka_unit_test(moments_equal_the_two_pass_formulas),
      cmocka_unit_test(deviation_of_fewer_than_two_values_is_zero),
      cmocka_unit_test(quantiles_interpolate),
      cmocka_unit_test(values_are_sorted),
      cmocka_unit_test(the_median_is_that_of_the_sorted_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
