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

static void chunks_shrink_by_equal_steps(void **state) {
  (void)state;
  const uint64_t expected[] = {125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 1000, 4);
  assert_chunks(&driver, expected, sizeof expected / sizeof *expected);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* The step is 4.2: rosenvinge2004, figure 3.2, as its formula would have it. */
static void a_real_step_is_floored_at_each_chunk(void **state) {
  (void)state;
  const uint64_t expected[] = {64, 59, 55, 51};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 512, 4);
  assert_int_equal(driver_set(&driver, "rounding", "real"), LS_OK);
  assert_chunks(&driver, expected, 4);
  driver_close(&driver);
}

/* Q = ceil(200/40) = 5, delta = floor((30 - 10)/4) = 5. */
static void first_and_last_can_be_given(void **state) {
  (void)state;
  const uint64_t expected[] = {30, 25, 20, 15, 10};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 100, 2);
  assert_int_equal(driver_set(&driver, "first_units", "30"), LS_OK);
  assert_int_equal(driver_set(&driver, "last_units", "10"), LS_OK);
  assert_chunks(&driver, expected, 5);
  driver_close(&driver);
}

static void a_last_chunk_above_the_first_wins(void **state) {
  (void)state;
  const uint64_t expected[] = {20, 20, 20};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 100, 10);
  assert_int_equal(driver_set(&driver, "first_units", "3"), LS_OK);
  assert_int_equal(driver_set(&driver, "last_units", "20"), LS_OK);
  assert_chunks(&driver, expected, 3);
  driver_close(&driver);
}

static void one_unit_is_no_division_by_zero(void **state) {
  (void)state;
  const uint64_t expected[] = {1};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 1, 3);
  assert_chunks(&driver, expected, 1);
  driver_close(&driver);
}

static void what_comes_back_late_still_ends(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tss"), 1000, 4);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 13; i++) assert_true(driver_ask(&driver, i % 4) > 0);
  driver_lose(&driver, 1, 600);
  size_t requests = 0;
  while (driver.view.units_unassigned > 0) {
    assert_true(driver_ask(&driver, 0) >= 1);
    assert_true(++requests <= 600);
  }
  driver_close(&driver);
}

static void a_newcomer_never_makes_chunks_grow(void **state) {
  (void)state;
  for (size_t at = 0; at < 12; at++) {
    struct driver driver;
    driver_prepare(&driver, ls_chunking_find("tss"), 1000, 4);
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    uint64_t before = 1000;
    for (size_t i = 0; driver.view.units_unassigned > 0; i++) {
      if (i == at) driver_join(&driver, 4);
      uint64_t units = driver_ask(&driver, (uint32_t)(i % 4));
      assert_true(units >= 1 && units <= before);
      before = units;
    }
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_shrink_by_equal_steps),
      cmocka_unit_test(a_real_step_is_floored_at_each_chunk),
      cmocka_unit_test(first_and_last_can_be_given),
      cmocka_unit_test(a_last_chunk_above_the_first_wins),
      cmocka_unit_test(one_unit_is_no_division_by_zero),
      cmocka_unit_test(what_comes_back_late_still_ends),
      cmocka_unit_test(a_newcomer_never_makes_chunks_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
