#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver start(void) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("awf-c"), 800, 2);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* Worker 0 takes 1 s for its units' tasks, worker 1 3 s; at the master both take 4 s. */
static void report_both(struct driver *driver) {
  for (uint32_t i = 0; i < 2; i++) {
    double seconds = i == 0 ? 1 : 3;
    struct ls_chunking_report report = {.worker = i,
                                        .units = 1,
                                        .seconds = seconds,
                                        .squares = seconds * seconds,
                                        .elapsed_s = 4,
                                        .last_seconds = seconds};
    driver->policy->on_report(driver->state, &driver->view, &report);
  }
}

static void every_request_renews_the_weights_and_the_rest(void **state) {
  (void)state;
  struct driver driver = start();
  assert_int_equal(driver_ask(&driver, 0), 200);
  assert_int_equal(driver_ask(&driver, 0), 150);
  report_both(&driver);
  assert_int_equal(driver_ask(&driver, 0), 169);
  driver_close(&driver);
}

static void the_time_of_the_tasks_counts(void **state) {
  (void)state;
  struct driver one = start(), other = start();
  report_both(&one);
  report_both(&other);
  assert_int_equal(driver_ask(&one, 0), 300);
  assert_int_equal(driver_ask(&other, 1), 100);
  driver_close(&one);
  driver_close(&other);
}

static void a_report_of_failures_alone_is_no_measurement(void **state) {
  (void)state;
  struct driver driver = start();
  struct ls_chunking_report report = {.worker = 1, .units_gone = 5, .elapsed_s = 100};
  driver.policy->on_report(driver.state, &driver.view, &report);
  assert_int_equal(driver_ask(&driver, 1), 200);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_renews_the_weights_and_the_rest),
      cmocka_unit_test(the_time_of_the_tasks_counts),
      cmocka_unit_test(a_report_of_failures_alone_is_no_measurement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
