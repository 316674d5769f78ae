#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, const double *weights) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("wf2"), units, workers);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void a_chunk_is_scaled_by_its_workers_weight(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {4, 2, 1, 1};
  const uint64_t expected[] = {250, 125, 63, 63, 125, 63, 32, 32};
  struct driver driver = start(1000, 4, weights);
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(driver_ask(&driver, (uint32_t)(i % 4)), expected[i]);
  }
  driver_close(&driver);
}

static void the_scale_of_the_weights_does_not_matter(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {4, 2, 1, 1};
  double scaled[DRIVER_WORKERS_MAX];
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) scaled[i] = weights[i] * 0.013;
  struct driver one = start(12345, 4, weights), other = start(12345, 4, scaled);
  for (uint32_t i = 0; one.view.units_unassigned > 0; i++) {
    assert_int_equal(driver_ask(&one, i % 4), driver_ask(&other, i % 4));
  }
  driver_close(&one);
  driver_close(&other);
}

static void equal_weights_are_fac2(void **state) {
  (void)state;
  double weights[DRIVER_WORKERS_MAX];
  for (size_t i = 0; i < DRIVER_WORKERS_MAX; i++) weights[i] = 0.1;
  for (size_t workers = 1; workers <= 8; workers++) {
    struct driver weighted = start(((uint64_t)1 << 52) + 1, workers, weights), plain;
    driver_prepare(&plain, ls_chunking_find("fac2"), weighted.setup.units, workers);
    assert_int_equal(driver_start(&plain, NULL), LS_OK);
    for (uint32_t i = 0; plain.view.units_unassigned > 0; i++) {
      uint32_t worker = i % (uint32_t)workers;
      assert_true(driver_ask(&weighted, worker) == driver_ask(&plain, worker));
    }
    assert_true(weighted.view.units_unassigned == 0);
    driver_close(&weighted);
    driver_close(&plain);
  }
}

static void who_weighs_nothing_and_asks_gets_one(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {1, 0, 1};
  struct driver driver = start(60, 3, weights);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver_ask(&driver, 0), 15);
  driver_close(&driver);
}

static void nobody_weighs_anything_is_all_equal(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0};
  struct driver driver = start(60, 3, weights);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, i), 10);
  driver_close(&driver);
}

/* Weights 1 1 | 2: with the newcomer the mean is 4/3 and p = 3. */
static void a_newcomer_is_weighed_at_the_next_opening(void **state) {
  (void)state;
  const double weights[] = {1, 1};
  struct driver driver = start(80, 2, weights);
  assert_int_equal(driver_ask(&driver, 0), 20);
  driver_join(&driver, 2);
  driver.weights[2] = 2;
  assert_int_equal(driver_ask(&driver, 1), 20);
  assert_int_equal(driver_ask(&driver, 2), 10);
  assert_int_equal(driver_ask(&driver, 0), 5);
  driver_close(&driver);
}

static void wrong_weights_are_refused(void **state) {
  (void)state;
  double weights[DRIVER_WORKERS_MAX] = {1, (double)NAN};
  struct driver driver;
  struct ls_error err = {0};
  driver_prepare(&driver, ls_chunking_find("wf2"), 5, 2);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1: weight"));
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_is_scaled_by_its_workers_weight),
      cmocka_unit_test(the_scale_of_the_weights_does_not_matter),
      cmocka_unit_test(equal_weights_are_fac2),
      cmocka_unit_test(who_weighs_nothing_and_asks_gets_one),
      cmocka_unit_test(nobody_weighs_anything_is_all_equal),
      cmocka_unit_test(a_newcomer_is_weighed_at_the_next_opening),
      cmocka_unit_test(wrong_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
