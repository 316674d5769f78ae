#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, const double *weights) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("sc"), units, workers);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void shares_differ_by_one_at_most(void **state) {
  (void)state;
  struct driver driver = start(10, 4, NULL);
  assert_int_equal(driver_ask(&driver, 3), 2);
  assert_int_equal(driver_ask(&driver, 0), 3);
  assert_int_equal(driver_ask(&driver, 0), 0);
  assert_int_equal(driver_ask(&driver, 1), 3);
  assert_int_equal(driver_ask(&driver, 2), 2);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* What did not fit stays the worker's: nobody else may have it. */
static void a_share_that_does_not_fit_is_given_in_parts(void **state) {
  (void)state;
  const uint64_t free_units[DRIVER_WORKERS_MAX] = {3, 100};
  struct driver driver = start(10, 2, NULL);
  driver.view.units_free = free_units;
  assert_int_equal(driver_ask(&driver, 0), 3);
  assert_int_equal(driver_ask(&driver, 1), 5);
  assert_int_equal(driver_ask(&driver, 1), 0);
  assert_int_equal(driver_ask(&driver, 0), 2);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void shares_follow_the_weights(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {4, 2, 1, 0};
  struct driver driver = start(70, 4, weights);
  assert_int_equal(driver_ask(&driver, 0), 40);
  assert_int_equal(driver_ask(&driver, 3), 0);
  assert_int_equal(driver_ask(&driver, 1), 20);
  assert_int_equal(driver_ask(&driver, 2), 10);
  driver_close(&driver);
}

static void all_zero_weights_are_equal_weights(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0};
  struct driver driver = start(8, 4, weights);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, i), 2);
  driver_close(&driver);
}

static void the_share_of_a_late_worker_is_kept(void **state) {
  (void)state;
  struct driver driver = start(9, 3, NULL);
  driver.is_present[2] = false;
  driver.view.workers_present = 2;
  assert_int_equal(driver_ask(&driver, 0), 3);
  assert_int_equal(driver_ask(&driver, 1), 3);
  assert_int_equal(driver_ask(&driver, 0), 0);
  driver_join(&driver, 2);
  assert_int_equal(driver_ask(&driver, 2), 3);
  driver_close(&driver);
}

/* back = R - what is kept for the living: here 4 of worker 0, while 4 are kept for worker 3. */
static void what_came_back_is_shared_by_the_living(void **state) {
  (void)state;
  struct driver driver = start(16, 4, NULL);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, i), 4);
  driver_lose(&driver, 0, 4);
  assert_int_equal(driver_ask(&driver, 1), 2);
  assert_int_equal(driver_ask(&driver, 2), 1);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver_ask(&driver, 2), 0);
  assert_int_equal(driver_ask(&driver, 3), 4);
  driver_close(&driver);
}

static void the_share_that_the_lost_never_took_is_free(void **state) {
  (void)state;
  struct driver driver = start(12, 3, NULL);
  assert_int_equal(driver_ask(&driver, 0), 4);
  assert_int_equal(driver_ask(&driver, 0), 0);
  driver_lose(&driver, 2, 0);
  assert_int_equal(driver_ask(&driver, 0), 2);
  assert_int_equal(driver_ask(&driver, 1), 4);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void a_newcomer_gets_only_what_came_back(void **state) {
  (void)state;
  struct driver driver = start(8, 2, NULL);
  driver_join(&driver, 2);
  assert_int_equal(driver_ask(&driver, 2), 0);
  assert_int_equal(driver_ask(&driver, 0), 4);
  driver_lose(&driver, 0, 3);
  assert_int_equal(driver_ask(&driver, 2), 2);
  assert_int_equal(driver_ask(&driver, 1), 4);
  driver_close(&driver);
}

static void a_worker_that_comes_back_has_no_share(void **state) {
  (void)state;
  struct driver driver = start(8, 2, NULL);
  driver_lose(&driver, 1, 0);
  driver_join(&driver, 1);
  assert_int_equal(driver_ask(&driver, 1), 2);
  driver_close(&driver);
}

/* Nothing is free then, and nothing wraps around. */
static void fewer_units_than_are_kept_leave_nothing_free(void **state) {
  (void)state;
  struct driver driver = start(100, 2, NULL);
  driver.view.units_unassigned = 10;
  driver_join(&driver, 2);
  assert_int_equal(driver_ask(&driver, 2), 0);
  assert_int_equal(driver_ask(&driver, 0), 10);
  driver_close(&driver);
}

/* What a worker has begun to take is its own; the rest goes by the weights that became known. */
static void untaken_shares_follow_weights_that_become_known(void **state) {
  (void)state;
  struct driver driver = start(120, 3, NULL);
  assert_int_equal(driver_ask(&driver, 0), 40);
  driver.weights[1] = 0.5;
  driver.weights[2] = 1.5;
  assert_int_equal(driver_ask(&driver, 1), 20);
  driver.weights[1] = 9;
  assert_int_equal(driver_ask(&driver, 2), 60);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void a_negative_weight_is_refused(void **state) {
  (void)state;
  double weights[DRIVER_WORKERS_MAX] = {1, -2};
  struct driver driver;
  struct ls_error err = {0};
  driver_prepare(&driver, ls_chunking_find("sc"), 5, 2);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1"));
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_differ_by_one_at_most),
      cmocka_unit_test(a_share_that_does_not_fit_is_given_in_parts),
      cmocka_unit_test(shares_follow_the_weights),
      cmocka_unit_test(all_zero_weights_are_equal_weights),
      cmocka_unit_test(the_share_of_a_late_worker_is_kept),
      cmocka_unit_test(what_came_back_is_shared_by_the_living),
      cmocka_unit_test(the_share_that_the_lost_never_took_is_free),
      cmocka_unit_test(a_newcomer_gets_only_what_came_back),
      cmocka_unit_test(a_worker_that_comes_back_has_no_share),
      cmocka_unit_test(fewer_units_than_are_kept_leave_nothing_free),
      cmocka_unit_test(untaken_shares_follow_weights_that_become_known),
      cmocka_unit_test(a_negative_weight_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
