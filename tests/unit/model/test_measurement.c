#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <stdio.h>
#include <string.h>

#include "model/measurement.h"

static void names_are_kept_once(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  for (int turn = 0; turn < 2; turn++) {
    for (uint32_t i = 0; i < 1000; i++) {
      char name[32];
      uint32_t worker;
      (void)snprintf(name, sizeof name, "node%u", (unsigned)i);
      assert_int_equal(ls_measurements_worker(&measurements, name, strlen(name), &worker, NULL),
                       LS_OK);
      assert_int_equal(worker, i);
    }
  }
  assert_int_equal(measurements.workers_count, 1000);
  uint32_t worker;
  /* The beginning of a name is another name. */
  assert_int_equal(ls_measurements_worker(&measurements, "node12", 4, &worker, NULL), LS_OK);
  assert_int_equal(worker, 1000);
  ls_measurements_close(&measurements);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  uint32_t worker;
  assert_int_equal(ls_measurements_worker(&measurements, "a", 1, &worker, NULL), LS_OK);
  const struct {
    double units, seconds;
    const char *field;
  } wrong[] = {{0, 1, "units"},
               {-1, 1, "units"},
               {(double)NAN, 1, "units"},
               {1, -1, "seconds"},
               {1, (double)INFINITY, "seconds"},
               {1e30, 1, "units"},
               {1e-30, 1, "units"},
               {1, 1e30, "seconds"},
               {1, 1e-30, "seconds"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    struct ls_measurement item = {worker, LS_OPERATION_COMPUTE, wrong[i].units, wrong[i].seconds};
    assert_int_equal(ls_measurements_add(&measurements, &item, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i].field));
  }
  assert_int_equal(measurements.count, 0);
  ls_measurements_close(&measurements);
}

static void prepare_is_the_masters(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_measurement item = {7, LS_OPERATION_PREPARE, 1, 1};
  assert_int_equal(ls_measurements_add(&measurements, &item, NULL), LS_OK);
  assert_int_equal(measurements.items[0].worker, LS_MEASUREMENT_NO_WORKER);
  ls_measurements_close(&measurements);
}

static void operations_and_staging_have_names(void **state) {
  (void)state;
  assert_string_equal(ls_measured_name(LS_OPERATION_COMPUTE), "compute");
  assert_string_equal(ls_measured_name(LS_OPERATION_STAGE), "stage");
  assert_string_equal(ls_measured_name(LS_MEASURED_TASK), "task");
}

static void the_arrival_that_tells_most_is_kept(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  const struct ls_arrival arrivals[] = {{10, 1}, {1000, 2}, {5, 4}, {3, 0}};
  uint32_t worker;
  assert_int_equal(ls_measurements_worker(&measurements, "a", 1, &worker, NULL), LS_OK);
  assert_int_equal(ls_measurements_worker(&measurements, "b", 1, &worker, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(ls_measurements_arrived(&measurements, 1, &arrivals[i], NULL), LS_OK);
  assert_true(ls_measurements_rate_most(&measurements, 1) <= 0.002 * (1 + 1e-12));
  assert_true(ls_measurements_rate_most(&measurements, 1) >= 0.002 * (1 - 1e-12));
  assert_true(isinf(ls_measurements_rate_most(&measurements, 0)));
  assert_true(isinf(ls_measurements_rate_most(&measurements, 7)));
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_arrival_that_tells_most_is_kept),
      cmocka_unit_test(names_are_kept_once),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(prepare_is_the_masters),
      cmocka_unit_test(operations_and_staging_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
