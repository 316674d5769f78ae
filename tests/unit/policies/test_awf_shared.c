#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

/* The rules that all variants share, seen through the one that renews its weights most often. */

static struct driver start(const char *name, uint64_t units, size_t workers,
                           const double *weights) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find(name), units, workers);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void later_reports_count_more(void **state) {
  (void)state;
  struct driver driver = start("awf-c", 1200, 2, NULL);
  driver_report(&driver, 0, 1, 1);
  driver_report(&driver, 0, 1, 4); /* pi = (1 + 2 * 4) / 3 = 3 */
  driver_report(&driver, 1, 5, 1);
  assert_int_equal(driver_ask(&driver, 0), 150); /* 1/4 of 1200 / 2 */
  driver_close(&driver);
}

/* A worker without data keeps its start weight relative to those with data. */
static void a_silent_worker_keeps_its_start_weight(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {1, 2, 1};
  struct driver driver = start("awf-c", 800, 3, weights);
  assert_int_equal(driver_ask(&driver, 1), 200);
  driver.view.units_unassigned = 800;
  driver_report(&driver, 0, 10, 0.5); /* twice the speed of a weight of 1 */
  assert_int_equal(driver_ask(&driver, 1), 200);
  driver.view.units_unassigned = 800;
  driver_report(&driver, 2, 10, 0.25);
  /* Speeds 2, (2/1 + 4/1) / 2 * 2 = 6, 4. */
  assert_int_equal(driver_ask(&driver, 1), 200);
  driver.view.units_unassigned = 800;
  assert_int_equal(driver_ask(&driver, 2), 134); /* ceil(400 * 4 / 12) */
  driver_close(&driver);
}

static void a_zero_weight_still_gets_1(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0, 1, 1};
  struct driver driver = start("awf-c", 800, 3, weights);
  assert_int_equal(driver_ask(&driver, 0), 1);
  driver_close(&driver);
}

static void all_zero_weights_count_as_equal(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0};
  struct driver driver = start("awf-c", 800, 4, weights);
  assert_int_equal(driver_ask(&driver, 0), 100);
  driver_close(&driver);
}

/* As p, which does not fall; of a newcomer in its slot nothing is known. */
static void a_lost_worker_counts_until_it_is_replaced(void **state) {
  (void)state;
  struct driver driver = start("awf-c", 800, 2, NULL);
  driver_report(&driver, 0, 1, 1);
  driver_report(&driver, 1, 1, 3);
  assert_int_equal(driver_ask(&driver, 0), 300);
  driver_lose(&driver, 1, 0);
  driver.view.units_unassigned = 800;
  assert_int_equal(driver_ask(&driver, 0), 300);
  driver_join(&driver, 1);
  driver.view.units_unassigned = 800;
  assert_int_equal(driver_ask(&driver, 0), 200);
  driver_report(&driver, 1, 1, 3);
  driver.view.units_unassigned = 800;
  assert_int_equal(driver_ask(&driver, 0), 300);
  driver_report(&driver, 1, 1, 0);
  driver.view.units_unassigned = 800;
  assert_int_equal(driver_ask(&driver, 0), 200);
  driver_close(&driver);
}

static void zero_times_are_no_division_by_zero(void **state) {
  (void)state;
  struct driver driver = start("awf-e", 100, 2, NULL);
  driver_report(&driver, 0, 1, 0);
  uint64_t units = driver_ask(&driver, 1);
  assert_true(units >= 1 && units <= 50);
  driver_close(&driver);
}

static void bad_weights_are_refused(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {1, -1};
  static const char *const names[] = {"awf", "awf-b", "awf-c", "awf-d", "awf-e"};
  for (size_t i = 0; i < 5; i++) {
    struct driver driver;
    struct ls_error err = {0};
    driver_prepare(&driver, ls_chunking_find(names[i]), 10, 2);
    driver.setup.weights = weights;
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "worker 1"));
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_reports_count_more),
      cmocka_unit_test(a_silent_worker_keeps_its_start_weight),
      cmocka_unit_test(a_zero_weight_still_gets_1),
      cmocka_unit_test(all_zero_weights_count_as_equal),
      cmocka_unit_test(a_lost_worker_counts_until_it_is_replaced),
      cmocka_unit_test(zero_times_are_no_division_by_zero),
      cmocka_unit_test(bad_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
