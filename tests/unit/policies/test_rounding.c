#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/chunking/rounding.h"

static void quotients_are_rounded_up_in_whole_numbers(void **state) {
  (void)state;
  assert_int_equal(ls_divide_up(0, 3), 0);
  assert_int_equal(ls_divide_up(9, 3), 3);
  assert_int_equal(ls_divide_up(10, 3), 4);
  assert_true(ls_divide_up(UINT64_MAX, 1) == UINT64_MAX);
  assert_true(ls_divide_up(UINT64_MAX, UINT64_MAX) == 1);
}

static void the_last_digits_are_forgiven(void **state) {
  (void)state;
  assert_int_equal(ls_units_ceil(3.0000000001), 3);
  assert_int_equal(ls_units_ceil(3.00000001), 4);
  assert_int_equal(ls_units_floor(2.9999999999), 3);
  assert_int_equal(ls_units_floor(2.99999999), 2);
}

static void half_goes_up(void **state) {
  (void)state;
  assert_int_equal(ls_units_nearest(0.5), 1);
  assert_int_equal(ls_units_nearest(1.5), 2);
  assert_int_equal(ls_units_nearest(2.5), 3);
  assert_int_equal(ls_units_nearest(2.49), 2);
}

static void what_is_no_count_becomes_one(void **state) {
  (void)state;
  assert_int_equal(ls_units_of((double)NAN), 0);
  assert_int_equal(ls_units_of(-5), 0);
  assert_true(ls_units_of((double)INFINITY) == UINT64_MAX);
  assert_true(ls_units_of(1e30) == UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotients_are_rounded_up_in_whole_numbers),
      cmocka_unit_test(the_last_digits_are_forgiven),
      cmocka_unit_test(half_goes_up),
      cmocka_unit_test(what_is_no_count_becomes_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
