#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/random.h"

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void it_is_that_of_the_sorted_numbers(void **state) {
  (void)state;
  struct ls_random random;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct ls_median median = {.counts = {0, 0}};
    double numbers[101];
    ls_random_init(&random, seed, "median");
    for (size_t i = 0; i < 101; i++) {
      /* Few values: equal ones are frequent. */
      numbers[i] = (double)ls_random_below(&random, 30);
      assert_int_equal(ls_median_add(&median, numbers[i]), LS_OK);
      assert_int_equal(ls_median_count(&median), i + 1);
      double sorted[101];
      memcpy(sorted, numbers, (i + 1) * sizeof *sorted);
      qsort(sorted, i + 1, sizeof *sorted, compare);
      double expected = i % 2 == 0 ? sorted[i / 2] : (sorted[i / 2] + sorted[i / 2 + 1]) / 2;
      assert_true(fabs(ls_median_value(&median) - expected) < 1e-12);
    }
    ls_median_close(&median);
  }
}

static void rising_and_falling_numbers_are_no_matter(void **state) {
  (void)state;
  struct ls_median up = {.counts = {0, 0}}, down = {.counts = {0, 0}};
  for (int i = 1; i <= 9; i++) {
    assert_int_equal(ls_median_add(&up, i), LS_OK);
    assert_int_equal(ls_median_add(&down, 10 - i), LS_OK);
  }
  assert_true(ls_median_value(&up) == 5 && ls_median_value(&down) == 5);
  ls_median_close(&up);
  ls_median_close(&down);
  assert_int_equal(ls_median_count(&up), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_that_of_the_sorted_numbers),
      cmocka_unit_test(rising_and_falling_numbers_are_no_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
