#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, double mean, double deviation) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("fac"), units, workers);
  driver.setup.mean_seconds = mean;
  driver.setup.deviation_seconds = deviation;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void the_batches_are_the_published_ones(void **state) {
  (void)state;
  const uint64_t expected[] = {240, 5, 2, 2, 1};
  struct driver driver = start(1000, 4, 1, 0.5);
  for (uint32_t i = 0; i < 20; i++) assert_int_equal(driver_ask(&driver, i % 4), expected[i / 4]);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* Without any spread nothing needs to be kept back. */
static void no_deviation_hands_out_everything_in_the_first_batch(void **state) {
  (void)state;
  for (uint64_t units = 1; units <= 300; units++) {
    for (size_t workers = 1; workers <= 8; workers++) {
      struct driver driver = start(units, workers, 2, 0);
      for (uint32_t i = 0; i < workers; i++) (void)driver_ask(&driver, i);
      assert_int_equal(driver.view.units_unassigned, 0);
      driver_close(&driver);
    }
  }
}

static void more_deviation_makes_smaller_first_batches(void **state) {
  (void)state;
  uint64_t latest = UINT64_MAX;
  for (int i = 0; i < 20; i++) {
    struct driver driver = start(4096, 8, 1, 0.25 * i);
    uint64_t units = driver_ask(&driver, 0);
    assert_true(units >= 1 && units <= latest);
    latest = units;
    driver_close(&driver);
  }
  assert_true(latest < 512);
}

static void without_facts_it_is_fac2(void **state) {
  (void)state;
  const double facts[][2] = {{(double)NAN, (double)NAN}, {1, (double)NAN}, {(double)NAN, 1}};
  for (size_t k = 0; k < 3; k++) {
    struct driver driver = start(1000, 4, facts[k][0], facts[k][1]), plain;
    driver_prepare(&plain, ls_chunking_find("fac2"), 1000, 4);
    assert_int_equal(driver_start(&plain, NULL), LS_OK);
    for (uint32_t i = 0; plain.view.units_unassigned > 0; i++) {
      assert_int_equal(driver_ask(&driver, i % 4), driver_ask(&plain, i % 4));
    }
    driver_close(&driver);
    driver_close(&plain);
  }
}

static void impossible_facts_are_refused(void **state) {
  (void)state;
  const struct {
    double mean, deviation;
    const char *name;
  } cases[] = {{0, 1, "mean_seconds"},
               {-1, 1, "mean_seconds"},
               {1, -0.5, "deviation_seconds"},
               {1, (double)INFINITY, "deviation_seconds"},
               {(double)INFINITY, 1, "mean_seconds"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct driver driver;
    struct ls_error err = {0};
    driver_prepare(&driver, ls_chunking_find("fac"), 10, 2);
    driver.setup.mean_seconds = cases[i].mean;
    driver.setup.deviation_seconds = cases[i].deviation;
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, cases[i].name));
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_batches_are_the_published_ones),
      cmocka_unit_test(no_deviation_hands_out_everything_in_the_first_batch),
      cmocka_unit_test(more_deviation_makes_smaller_first_batches),
      cmocka_unit_test(without_facts_it_is_fac2),
      cmocka_unit_test(impossible_facts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
