#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, const char *first_units) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("af"), units, workers);
  if (first_units != NULL) {
    assert_int_equal(driver_set(&driver, "first_units", first_units), LS_OK);
  }
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* Reports two units of different times: a mean of `mean` and a deviation of `spread` sqrt 2. */
static void report_pair(struct driver *driver, uint32_t worker, double mean, double spread) {
  double a = mean - spread, b = mean + spread;
  struct ls_chunking_report report = {
      .worker = worker, .units = 2, .seconds = a + b, .squares = a * a + b * b, .elapsed_s = a + b};
  driver->policy->on_report(driver->state, &driver->view, &report);
}

/* max(N >= 4p ? 2 : 1, min(10, ceil(N/10p))) */
static void the_first_chunks_are_samples(void **state) {
  (void)state;
  const struct {
    uint64_t units, first;
  } cases[] = {{15, 1}, {16, 2}, {60, 2}, {200, 5}, {201, 6}, {4000, 10}, {1000000, 10}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct driver driver = start(cases[i].units, 4, NULL);
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(driver_ask(&driver, k), cases[i].first);
    driver_close(&driver);
  }
  struct driver given = start(4000, 4, "3");
  assert_int_equal(driver_ask(&given, 0), 3);
  driver_close(&given);
}

/* The formula by hand: mu = 1, 2; sigma^2 = 0.02, 0.08; D = 0.06, T = 2/3, R = 96. */
static void the_size_follows_the_formula(void **state) {
  (void)state;
  struct driver driver = start(100, 2, "2");
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  report_pair(&driver, 0, 1, 0.1);
  report_pair(&driver, 1, 2, 0.2);
  double d = 0.02 / 1 + 0.08 / 2, tr = 96.0 / 1.5;
  double expected = (d + 2 * tr - sqrt(d * d + 4 * d * tr)) / 2;
  assert_int_equal(driver_ask(&driver, 0), (uint64_t)floor(expected + 0.5));
  driver_close(&driver);
}

/* One sample shows no deviation: the formula alone would hand out the whole fair share. */
static void the_guard_halves_until_all_samples_are_in(void **state) {
  (void)state;
  struct driver driver = start(1000, 2, "2");
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  driver_report(&driver, 0, 2, 1);
  assert_int_equal(driver_ask(&driver, 0), 249); /* ceil(996 / 4) */
  driver_report(&driver, 1, 2, 1);
  uint64_t rest = driver.view.units_unassigned;
  assert_int_equal(driver_ask(&driver, 1), (rest + 1) / 2); /* no deviation: the fair share */
  driver_close(&driver);
}

static void faster_workers_get_more(void **state) {
  (void)state;
  struct driver driver = start(2000, 2, "2");
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  report_pair(&driver, 0, 1, 0.3);
  report_pair(&driver, 1, 4, 1.2);
  struct driver copy = driver;
  uint64_t fast = driver_ask(&driver, 0), slow = driver_ask(&copy, 1);
  assert_true(fast > 3 * slow && fast < 5 * slow);
  driver_close(&driver);
}

/* It counts with the harmonic mean of the others, so that nobody gets what it will need. */
static void a_silent_worker_keeps_its_share(void **state) {
  (void)state;
  struct driver driver = start(1000, 4, "1");
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, i), 1);
  driver_report(&driver, 0, 1, 1);
  /* ceil(996 / (2 * 4)), as if all four took 1 s. */
  assert_int_equal(driver_ask(&driver, 0), 125);
  assert_int_equal(driver_ask(&driver, 3), 1);
  driver_close(&driver);
}

static void zero_times_are_no_division_by_zero(void **state) {
  (void)state;
  struct driver driver = start(100, 2, "1");
  driver_report(&driver, 0, 1, 0);
  driver_report(&driver, 1, 1, 0);
  while (driver.view.units_unassigned > 0) {
    assert_true(driver_ask(&driver, 0) >= 1);
  }
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_chunks_are_samples),
      cmocka_unit_test(the_size_follows_the_formula),
      cmocka_unit_test(the_guard_halves_until_all_samples_are_in),
      cmocka_unit_test(faster_workers_get_more),
      cmocka_unit_test(a_silent_worker_keeps_its_share),
      cmocka_unit_test(zero_times_are_no_division_by_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
