#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, uint64_t seed) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("rand"), units, workers);
  driver.setup.seed = seed;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void sizes_lie_within_the_published_limits(void **state) {
  (void)state;
  uint64_t least = UINT64_MAX, most = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct driver driver = start(1000, 4, seed);
    while (driver.view.units_unassigned > 125) {
      uint64_t units = driver_ask(&driver, 0);
      assert_true(units >= 3 && units <= 125);
      if (units < least) least = units;
      if (units > most) most = units;
    }
    driver_close(&driver);
  }
  /* Both ends occur. */
  assert_int_equal(least, 3);
  assert_int_equal(most, 125);
}

static void the_seed_alone_decides(void **state) {
  (void)state;
  struct driver one = start(1000, 4, 7), same = start(1000, 4, 7), other = start(1000, 4, 8);
  bool differs = false;
  for (uint32_t i = 0; i < 6; i++) {
    uint64_t units = driver_ask(&one, i % 4);
    assert_int_equal(driver_ask(&same, 3), units);
    differs |= driver_ask(&other, i % 4) != units;
  }
  assert_true(differs);
  driver_close(&one);
  driver_close(&same);
  driver_close(&other);
}

static void few_units_go_one_by_one(void **state) {
  (void)state;
  struct driver driver = start(3, 8, 1);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, i), 1);
  driver_close(&driver);
}

static void a_newcomer_beyond_p_lowers_the_limits(void **state) {
  (void)state;
  struct driver driver = start(1000, 1, 1);
  for (uint32_t i = 1; i < 8; i++) driver_join(&driver, i);
  while (driver.view.units_unassigned > 63) {
    uint64_t units = driver_ask(&driver, 0);
    assert_true(units >= 2 && units <= 63);
  }
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_lie_within_the_published_limits),
      cmocka_unit_test(the_seed_alone_decides),
      cmocka_unit_test(few_units_go_one_by_one),
      cmocka_unit_test(a_newcomer_beyond_p_lowers_the_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
