/* calibrate_fixture.h: a calibration of workers whose laws are known. */
#ifndef LS_TESTS_UNIT_CLI_CALIBRATE_FIXTURE_H
#define LS_TESTS_UNIT_CLI_CALIBRATE_FIXTURE_H

#include <math.h>
#include <string.h>

#include "cli/calibrate/calibrate_text.h"

static inline void fixture_add(struct ls_measurements *measurements, const char *name,
                               uint32_t measured, double units, double seconds) {
  struct ls_measurement item = {.measured = measured, .units = units, .seconds = seconds};
  assert_int_equal(ls_measurements_worker(measurements, name, strlen(name), &item.worker, NULL),
                   LS_OK);
  assert_int_equal(ls_measurements_add(measurements, &item, NULL), LS_OK);
}

/* "fast" computes 1 + 0.5 x, behind 10 units 40 + x; "slow" takes three times as long. */
static inline struct ls_calibrate_sources fixture_measure(void) {
  struct ls_calibrate_sources sources = {.failed = 2};
  for (int i = 1; i <= 20; i++) {
    double seconds = i <= 10 ? 1 + 0.5 * i : 40 + i;
    fixture_add(&sources.measurements, "fast", LS_OPERATION_COMPUTE, i, seconds);
    fixture_add(&sources.measurements, "slow", LS_OPERATION_COMPUTE, i, 3 * seconds);
    fixture_add(&sources.measurements, "fast", LS_MEASURED_TASK, 1, 2);
  }
  return sources;
}

struct fixture {
  struct ls_calibrate_sources sources;
  struct ls_calibration calibration;
  struct ls_calibrate_result result;
};

static inline void fixture_open(struct fixture *fixture) {
  struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  fixture->sources = fixture_measure();
  assert_int_equal(
      ls_calibrate(&fixture->sources.measurements, &options, &fixture->calibration, NULL), LS_OK);
  fixture->result = (struct ls_calibrate_result){.sources = &fixture->sources,
                                                 .files = 1,
                                                 .tolerance = (double)NAN,
                                                 .calibration = &fixture->calibration};
}

static inline void fixture_close(struct fixture *fixture) {
  ls_calibrate_sources_close(&fixture->sources);
  ls_calibration_close(&fixture->calibration);
}

#endif
