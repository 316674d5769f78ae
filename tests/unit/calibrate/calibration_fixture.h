/* calibration_fixture.h: measurements of a few workers with known laws. */
#ifndef LS_TESTS_UNIT_CALIBRATE_CALIBRATION_FIXTURE_H
#define LS_TESTS_UNIT_CALIBRATE_CALIBRATION_FIXTURE_H

#include <stdio.h>

#include "calibrate/calibration.h"
#include "measured_fixture.h"

static inline void add_measurement(struct ls_measurements *measurements, const char *name,
                                   unsigned measured, double units, double seconds) {
  uint32_t worker;
  assert_int_equal(ls_measurements_worker(measurements, name, strlen(name), &worker, NULL), LS_OK);
  struct ls_measurement item = {worker, measured, units, seconds};
  assert_int_equal(ls_measurements_add(measurements, &item, NULL), LS_OK);
}

/* Worker i is factors[i] times as slow as the laws of Table 6-7 say, which change behind 450 units
 * if there are two; repeats of every size, with 2 % noise and 5 % outliers. */
static inline struct ls_measurements measure_workers(const double *factors, size_t count,
                                                     bool has_two, size_t repeats) {
  static const unsigned operations[FIXTURE_OPERATIONS] = {
      LS_OPERATION_PREPARE, LS_OPERATION_SEND, LS_OPERATION_RECEIVE, LS_OPERATION_COMPUTE};
  struct ls_measurements measurements = {.items = NULL};
  struct ls_random random;
  ls_random_init(&random, 11, "workers");
  for (size_t i = 0; i < count * FIXTURE_SIZES * repeats * FIXTURE_OPERATIONS; i++) {
    size_t j = i % FIXTURE_OPERATIONS, k = i / FIXTURE_OPERATIONS % FIXTURE_SIZES;
    size_t worker = i / FIXTURE_OPERATIONS / FIXTURE_SIZES / repeats;
    double units = fixture_size(k);
    double seconds = measure_law(&fixture_laws[has_two && units > 450][j], units,
                                 &(struct noise){0.02, 0, 0.05}, &random);
    char name[32];
    (void)snprintf(name, sizeof name, "node%zu", worker);
    add_measurement(&measurements, name, operations[j], units,
                    j == 3 ? seconds * factors[worker] : seconds);
  }
  return measurements;
}

#endif
