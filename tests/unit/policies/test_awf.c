#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, const double *weights,
                           const struct ls_chunking_earlier *earlier) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("awf"), units, workers);
  driver.setup.weights = weights;
  driver.setup.earlier = earlier;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void the_first_iteration_is_wf2(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {3, 1, 4, 1, 5};
  struct driver driver = start(777, 5, weights, NULL), plain;
  driver_prepare(&plain, ls_chunking_find("wf2"), 777, 5);
  plain.setup.weights = weights;
  assert_int_equal(driver_start(&plain, NULL), LS_OK);
  for (uint32_t i = 0; plain.view.units_unassigned > 0; i++) {
    assert_int_equal(driver_ask(&driver, i % 5), driver_ask(&plain, i % 5));
  }
  driver_close(&driver);
  driver_close(&plain);
}

static void a_later_iteration_goes_by_what_was_measured(void **state) {
  (void)state;
  const struct ls_chunking_earlier earlier[DRIVER_WORKERS_MAX] = {{100, 100}, {50, 150}};
  struct driver driver = start(800, 2, NULL, earlier);
  assert_int_equal(driver_ask(&driver, 0), 300);
  assert_int_equal(driver_ask(&driver, 1), 100);
  driver_close(&driver);
}

/* Within an iteration the weights are fixed, whatever is reported. */
static void reports_change_nothing_before_the_next_iteration(void **state) {
  (void)state;
  const struct ls_chunking_earlier earlier[DRIVER_WORKERS_MAX] = {{100, 100}, {50, 150}};
  struct driver driver = start(800, 2, NULL, earlier), quiet = start(800, 2, NULL, earlier);
  for (uint32_t i = 0; quiet.view.units_unassigned > 0; i++) {
    driver_report(&driver, i % 2, 3, 7);
    assert_int_equal(driver_ask(&driver, i % 2), driver_ask(&quiet, i % 2));
  }
  driver_close(&driver);
  driver_close(&quiet);
}

static void a_newcomer_of_this_iteration_counts_with_its_start_weight(void **state) {
  (void)state;
  const struct ls_chunking_earlier earlier[DRIVER_WORKERS_MAX] = {{100, 50}, {100, 50}};
  struct driver driver = start(900, 3, NULL, earlier);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, i), 150);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_iteration_is_wf2),
      cmocka_unit_test(a_later_iteration_goes_by_what_was_measured),
      cmocka_unit_test(reports_change_nothing_before_the_next_iteration),
      cmocka_unit_test(a_newcomer_of_this_iteration_counts_with_its_start_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
