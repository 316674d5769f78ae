#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <string.h>

#include "calibration_fixture.h"

static void the_platform_has_the_laws_of_the_best_window(void **state) {
  (void)state;
  const double factors[] = {1, 2};
  struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct ls_measurements measurements = measure_workers(factors, 2, true, 5);
  struct ls_calibration calibration;
  struct ls_platform platform;
  assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 0, &platform, NULL), LS_OK);
  assert_int_equal(platform.workers_count, 2);
  assert_string_equal(platform.workers[1].name, "node1");
  for (size_t i = 0; i < 2; i++) {
    const struct ls_worker_model *worker = &platform.workers[i];
    double slope = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
    assert_true(fabs(slope / (1.1e-5 * factors[i]) - 1) <= 0.02);
    /* Sending costs a tenth there. */
    /* Above, another law was seen; below, nothing was measured. */
    assert_true(worker->window_from <= 0);
    assert_true(worker->window_to >= 450 && worker->window_to <= 450);
    assert_true(worker->costs[LS_OPERATION_SEND].per_unit_s < 1e-6);
  }
  assert_true(fabs(platform.prepare.per_unit_s / 4.6e-7 - 1) <= 0.03);
  ls_platform_close(&platform);
  /* All of them, with the cheapest one's costs for who asks for one number. */
  assert_int_equal(
      ls_calibration_platform(&calibration, &measurements, LS_CALIBRATED_ALL, &platform, NULL),
      LS_OK);
  for (size_t i = 0; i < 2; i++) {
    const struct ls_worker_model *worker = &platform.workers[i];
    assert_int_equal(worker->windows_count, 2);
    assert_true(worker->windows[0].from <= 0 && isinf(worker->windows[1].to));
    assert_true(worker->windows[0].to >= 450 && worker->windows[0].to <= 450);
    assert_true(worker->windows[1].from >= 500 && worker->windows[1].from <= 500);
    const struct ls_cost *compute = &worker->windows[0].costs[LS_OPERATION_COMPUTE];
    assert_true(fabs(compute->per_unit_s / (1.1e-5 * factors[i]) - 1) <= 0.02);
    assert_true(worker->windows[1].costs[LS_OPERATION_SEND].per_unit_s >
                worker->windows[0].costs[LS_OPERATION_SEND].per_unit_s);
  }
  ls_platform_close(&platform);
  /* The other window is had by its number; there is no third one. */
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 2, &platform, NULL), LS_OK);
  assert_true(platform.workers[0].window_from >= 500 && platform.workers[0].window_from <= 500);
  assert_true(isinf(platform.workers[0].window_to));
  ls_platform_close(&platform);
  struct ls_error err = {0};
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 3, &platform, &err),
                   LS_EINVAL);
  assert_string_equal(err.text, "worker node0: has 2 windows, there is no window 3");
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* The rate of the fit is the mean, and a few times are no law. */
static void the_platform_has_the_law_of_ten_tasks_or_more(void **state) {
  (void)state;
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  for (size_t tasks = 9; tasks <= 60; tasks += 51) {
    struct ls_measurements measurements = {.items = NULL};
    struct ls_calibration calibration;
    struct ls_platform platform;
    for (size_t i = 0; i < tasks; i++) {
      add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, 1, i % 2 == 0 ? 1.4 : 2.6);
      add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, 10, i % 2 == 0 ? 19 : 21);
    }
    assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
    assert_int_equal(ls_calibration_platform(&calibration, &measurements, 0, &platform, NULL),
                     LS_OK);
    const struct ls_worker_model *worker = &platform.workers[0];
    const struct ls_task_law *law = &calibration.workers[0].tasks;
    assert_int_equal(law->count, tasks);
    double per_unit_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
    assert_true(fabs(per_unit_s - 2) < 0.5);
    assert_int_equal(worker->unit_law, tasks < 10 ? LS_DURATION_CONSTANT : law->law);
    assert_true(law->law != LS_DURATION_CONSTANT);
    if (tasks >= 10)
      assert_true(fabs(worker->unit_variation - law->deviation_s / per_unit_s) < 1e-12);
    ls_platform_close(&platform);
    ls_calibration_close(&calibration);
    ls_measurements_close(&measurements);
  }
}

/* Transfers were measured with small chunks only. */
static void an_operation_has_the_law_of_the_nearest_window(void **state) {
  (void)state;
  const double factors[] = {1};
  struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct ls_measurements measurements = measure_workers(factors, 1, true, 5);
  struct ls_calibration calibration;
  struct ls_platform platform;
  assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
  assert_int_equal(calibration.groups[0].windows_count, 2);
  struct ls_calibrated_window *windows = calibration.groups[0].windows;
  windows[0].fits[LS_OPERATION_TRANSFER].count = 7;
  windows[0].fits[LS_OPERATION_TRANSFER].law = (struct ls_cost){3, 4};
  assert_int_equal(
      ls_calibration_platform(&calibration, &measurements, LS_CALIBRATED_ALL, &platform, NULL),
      LS_OK);
  for (size_t k = 0; k < 2; k++)
    assert_true(platform.workers[0].windows[k].costs[LS_OPERATION_TRANSFER].per_unit_s >= 4);
  ls_platform_close(&platform);
  /* A window without computing is none. */
  windows[1].fits[LS_OPERATION_COMPUTE].count = 0;
  assert_int_equal(
      ls_calibration_platform(&calibration, &measurements, LS_CALIBRATED_ALL, &platform, NULL),
      LS_OK);
  assert_int_equal(platform.workers[0].windows_count, 0);
  assert_true(platform.workers[0].window_to >= 450 && platform.workers[0].window_to <= 450);
  ls_platform_close(&platform);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

static void a_worker_that_never_computed_is_named(void **state) {
  (void)state;
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_measurements measurements = {.items = NULL};
  struct ls_calibration calibration;
  struct ls_platform platform;
  struct ls_error err = {0};
  add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, 1, 1);
  add_measurement(&measurements, "silent", LS_OPERATION_SEND, 1, 1);
  assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 0, &platform, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "silent"));
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* Moments are no receiving, which many planners do not know; what is worth its name stays. */
static void little_receiving_is_computing(void **state) {
  (void)state;
  for (int is_much = 0; is_much < 2; is_much++) {
    struct ls_measurements measurements = {.items = NULL};
    struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
    struct ls_calibration calibration;
    struct ls_platform platform;
    double per_unit_s = is_much ? 0.01 : 0.001;
    for (double units = 1; units < 9; units++) {
      add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, units, 0.5 + 0.25 * units);
      add_measurement(&measurements, "a", LS_OPERATION_RECEIVE, units, per_unit_s * units);
    }
    assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
    assert_int_equal(
        ls_calibration_platform(&calibration, &measurements, LS_CALIBRATED_ALL, &platform, NULL),
        LS_OK);
    const struct ls_cost *costs = platform.workers[0].costs;
    double compute_s = is_much ? 0.25 : 0.251, receive_s = is_much ? per_unit_s : 0;
    assert_true(fabs(costs[LS_OPERATION_COMPUTE].per_unit_s - compute_s) <= 1e-9);
    assert_true(fabs(costs[LS_OPERATION_RECEIVE].per_unit_s - receive_s) <= 1e-9);
    ls_platform_close(&platform);
    ls_calibration_close(&calibration);
    ls_measurements_close(&measurements);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(little_receiving_is_computing),
      cmocka_unit_test(the_platform_has_the_laws_of_the_best_window),
      cmocka_unit_test(the_platform_has_the_law_of_ten_tasks_or_more),
      cmocka_unit_test(an_operation_has_the_law_of_the_nearest_window),
      cmocka_unit_test(a_worker_that_never_computed_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
