/* test_efficiency.c: every term of efficiency is at its worker's price. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/efficiency.h"

/* Three workers are up for 10, 4 and 7 s and compute for 9, 1 and 7 of them. */
static double measure(const double *prices) {
  const double up_s[] = {10, 4, 7}, useful_s[] = {9, 1, 7};
  struct ls_efficiency_sums sums = {0};
  for (size_t i = 0; i < 3; i++) {
    ls_efficiency_add_up(&sums, prices[i], up_s[i]);
    ls_efficiency_add_useful(&sums, prices[i], useful_s[i]);
  }
  return ls_efficiency_value(&sums);
}

static void terms_are_weighed_by_the_price(void **state) {
  (void)state;
  assert_true(fabs(measure((const double[]){1, 6, 2}) - (9 + 6 + 14.0) / (10 + 24 + 14)) < 1e-12);
}

static void equal_prices_are_plain_seconds(void **state) {
  (void)state;
  /* Not one digit differs from what was told before there were prices. */
  assert_true(measure((const double[]){1, 1, 1}) == 17.0 / 21);
  assert_true(fabs(measure((const double[]){2.5, 2.5, 2.5}) - 17.0 / 21) < 1e-12);
}

/* Machines of one's own may be free: their idle seconds still tell. */
static void workers_that_all_cost_nothing_are_plain_seconds(void **state) {
  (void)state;
  assert_true(measure((const double[]){0, 0, 0}) == 17.0 / 21);
  /* Beside one with a price they weigh nothing. */
  assert_true(fabs(measure((const double[]){0, 3, 0}) - 0.25) < 1e-12);
}

static void nobody_up_is_no_efficiency(void **state) {
  (void)state;
  struct ls_efficiency_sums sums = {0};
  assert_true(ls_efficiency_value(&sums) == 0);
  ls_efficiency_add_up(&sums, 1, 0);
  assert_true(ls_efficiency_value(&sums) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_are_weighed_by_the_price),
      cmocka_unit_test(equal_prices_are_plain_seconds),
      cmocka_unit_test(workers_that_all_cost_nothing_are_plain_seconds),
      cmocka_unit_test(nobody_up_is_no_efficiency),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
