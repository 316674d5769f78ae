#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static void assert_chunks(struct driver *driver, const uint64_t *expected, size_t count) {
  assert_int_equal(driver_start(driver, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(driver_ask(driver, (uint32_t)(i % driver->setup.slots)), expected[i]);
  }
}

static void each_chunk_is_a_part_of_the_rest(void **state) {
  (void)state;
  const uint64_t expected[] = {250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14,
                               11,  8,   6,   4,   3,  3,  2,  1,  1,  1,  1};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("gss"), 1000, 4);
  assert_chunks(&driver, expected, sizeof expected / sizeof *expected);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void rounding_down_never_gives_less_than_one(void **state) {
  (void)state;
  const uint64_t expected[] = {1, 1, 1};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("gss"), 3, 4);
  assert_int_equal(driver_set(&driver, "rounding", "floor"), LS_OK);
  assert_chunks(&driver, expected, 3);
  driver_close(&driver);
}

static void no_chunk_but_the_last_is_below_the_least(void **state) {
  (void)state;
  const uint64_t expected[] = {10, 8, 7, 7, 7, 1};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("gss"), 40, 4);
  assert_int_equal(driver_set(&driver, "least_units", "7"), LS_OK);
  assert_chunks(&driver, expected, sizeof expected / sizeof *expected);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void a_newcomer_counts_at_once(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("gss"), 100, 4);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  driver_join(&driver, 4);
  assert_int_equal(driver_ask(&driver, 4), 20);
  driver_lose(&driver, 4, 20);
  assert_int_equal(driver_ask(&driver, 0), 20);
  driver_close(&driver);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("gss"), 100, 4);
  assert_int_equal(driver_set(&driver, "least_units", "0"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "rounding", "real"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "first_units", "3"), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_chunk_is_a_part_of_the_rest),
      cmocka_unit_test(rounding_down_never_gives_less_than_one),
      cmocka_unit_test(no_chunk_but_the_last_is_below_the_least),
      cmocka_unit_test(a_newcomer_counts_at_once),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
