#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ranges.h"

static void ranges_that_continue_each_other_are_one(void **state) {
  (void)state;
  struct ls_ranges ranges = {0};
  ls_ranges_add(&ranges, (struct ls_range){3, 2});
  ls_ranges_add(&ranges, (struct ls_range){5, 1});
  ls_ranges_add(&ranges, (struct ls_range){7, 1});
  ls_ranges_add(&ranges, (struct ls_range){0, 3});
  assert_int_equal(ranges.count, 3);
  assert_int_equal(ranges.items[0].first, 3);
  assert_int_equal(ranges.items[0].count, 3);
  assert_int_equal(ranges.items[1].first, 7);
  assert_int_equal(ranges.items[1].count, 1);
  assert_int_equal(ranges.items[2].first, 0);
  assert_int_equal(ranges.items[2].count, 3);
  ls_ranges_close(&ranges);
}

static void range_of_no_units_adds_nothing(void **state) {
  (void)state;
  struct ls_ranges ranges = {0};
  ls_ranges_add(&ranges, (struct ls_range){3, 0});
  assert_int_equal(ranges.count, 0);
  ls_ranges_close(&ranges);
}

static void list_without_memory_stays_failed_until_it_is_cleared(void **state) {
  (void)state;
  struct ls_ranges ranges = {0};
  ls_ranges_add(&ranges, (struct ls_range){1, 1});
  ranges.failed = true;
  ls_ranges_add(&ranges, (struct ls_range){9, 1});
  assert_int_equal(ranges.count, 1);
  ls_ranges_clear(&ranges);
  assert_false(ranges.failed);
  assert_int_equal(ranges.count, 0);
  ls_ranges_add(&ranges, (struct ls_range){9, 1});
  assert_int_equal(ranges.items[0].first, 9);
  ls_ranges_close(&ranges);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_that_continue_each_other_are_one),
      cmocka_unit_test(range_of_no_units_adds_nothing),
      cmocka_unit_test(list_without_memory_stays_failed_until_it_is_cleared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
