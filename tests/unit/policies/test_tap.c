#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(double mean, double deviation, const char *alpha) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tap"), 1000, 4);
  driver.setup.mean_seconds = mean;
  driver.setup.deviation_seconds = deviation;
  assert_int_equal(driver_set(&driver, "alpha", alpha), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void chunks_taper_off(void **state) {
  (void)state;
  const uint64_t expected[] = {236, 179, 136, 103, 79, 60, 46, 35, 27, 21, 16, 13, 10, 8,
                               6,   5,   4,   3,   2,  2,  2,  1,  1,  1,  1,  1,  1,  1};
  struct driver driver = start(1, 0.5, "1.3");
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(driver_ask(&driver, (uint32_t)(i % 4)), expected[i]);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* Guided self-scheduling, where units do not differ, or nobody minds. */
static void without_spread_it_is_gss(void **state) {
  (void)state;
  for (int turn = 0; turn < 2; turn++) {
    struct driver driver = start(1, turn, turn > 0 ? "0" : "1.3"), plain;
    driver_prepare(&plain, ls_chunking_find("gss"), 1000, 4);
    assert_int_equal(driver_start(&plain, NULL), LS_OK);
    while (plain.view.units_unassigned > 0)
      assert_int_equal(driver_ask(&driver, 0), driver_ask(&plain, 0));
    driver_close(&driver);
    driver_close(&plain);
  }
}

static void more_spread_makes_smaller_chunks(void **state) {
  (void)state;
  uint64_t latest = UINT64_MAX;
  for (int i = 0; i < 40; i++) {
    struct driver driver = start(1, 0.5 * i, "1.3");
    uint64_t units = driver_ask(&driver, 0);
    assert_true(units >= 1 && units <= latest);
    latest = units;
    driver_close(&driver);
  }
  assert_true(latest < 30);
}

static void without_facts_it_is_fac2(void **state) {
  (void)state;
  const double facts[][2] = {{(double)NAN, (double)NAN}, {1, (double)NAN}, {(double)NAN, 1}};
  for (size_t k = 0; k < 3; k++) {
    struct driver driver = start(facts[k][0], facts[k][1], "1.3"), plain;
    driver_prepare(&plain, ls_chunking_find("fac2"), 1000, 4);
    assert_int_equal(driver_start(&plain, NULL), LS_OK);
    while (plain.view.units_unassigned > 0)
      assert_int_equal(driver_ask(&driver, 0), driver_ask(&plain, 0));
    driver_close(&driver);
    driver_close(&plain);
  }
}

static void impossible_facts_are_refused(void **state) {
  (void)state;
  struct driver driver;
  struct ls_error err = {0};
  driver_prepare(&driver, ls_chunking_find("tap"), 10, 2);
  driver.setup.mean_seconds = 1;
  driver.setup.deviation_seconds = -1;
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "tap: deviation_seconds is -1"));
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_taper_off),
      cmocka_unit_test(without_spread_it_is_gss),
      cmocka_unit_test(more_spread_makes_smaller_chunks),
      cmocka_unit_test(without_facts_it_is_fac2),
      cmocka_unit_test(impossible_facts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
