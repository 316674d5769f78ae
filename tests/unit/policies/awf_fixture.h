/* awf_fixture.h: 800 units, two workers of which one reports slower tasks, and what each variant of
 * adaptive weighted factoring makes of it. */
#ifndef LS_TESTS_UNIT_POLICIES_AWF_FIXTURE_H
#define LS_TESTS_UNIT_POLICIES_AWF_FIXTURE_H

#include "../../support/chunking_driver.h"

static inline struct driver awf_start(const char *policy) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find(policy), 800, 2);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* Worker 0 takes 1 s for its units' tasks, worker 1 3 s; at the master both take 4 s. */
static inline void awf_report_both(struct driver *driver) {
  for (uint32_t i = 0; i < 2; i++) {
    double seconds = i == 0 ? 1 : 3;
    struct ls_chunking_report report = {
        .worker = i, .units = 1, .seconds = seconds, .squares = seconds * seconds, .elapsed_s = 4};
    driver->policy->on_report(driver->state, &driver->view, &report);
  }
}

/* A report within a batch changes nothing of it. */
static inline void awf_expect_batch_is_kept(const char *policy) {
  struct driver driver = awf_start(policy);
  assert_int_equal(driver_ask(&driver, 0), 200);
  awf_report_both(&driver);
  assert_int_equal(driver_ask(&driver, 0), 200);
  driver_close(&driver);
}

/* Every request counts what is left anew, and `units` go to worker 0 after the reports. */
static inline void awf_expect_renewal(const char *policy, uint64_t units) {
  struct driver driver = awf_start(policy);
  assert_int_equal(driver_ask(&driver, 0), 200);
  assert_int_equal(driver_ask(&driver, 0), 150);
  awf_report_both(&driver);
  assert_int_equal(driver_ask(&driver, 0), units);
  driver_close(&driver);
}

/* What the first of the workers to ask gets once both have reported. */
static inline void awf_expect_weighed(const char *policy, const uint64_t units[2]) {
  for (uint32_t worker = 0; worker < 2; worker++) {
    struct driver driver = awf_start(policy);
    awf_report_both(&driver);
    assert_int_equal(driver_ask(&driver, worker), units[worker]);
    driver_close(&driver);
  }
}

static inline void awf_expect_failures_are_ignored(const char *policy) {
  struct driver driver = awf_start(policy);
  struct ls_chunking_report report = {.worker = 1, .units_gone = 5, .elapsed_s = 100};
  driver.policy->on_report(driver.state, &driver.view, &report);
  assert_int_equal(driver_ask(&driver, 1), 200);
  driver_close(&driver);
}

#endif
