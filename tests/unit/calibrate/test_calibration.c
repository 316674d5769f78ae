#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <string.h>

#include "calibration_fixture.h"

static const struct ls_calibration_options usual = {.tolerance = (double)NAN,
                                                    .seeks_windows = true};

static struct ls_calibration calibrate(const struct ls_measurements *measurements) {
  struct ls_calibration calibration;
  assert_int_equal(ls_calibrate(measurements, &usual, &calibration, NULL), LS_OK);
  return calibration;
}

static void equal_workers_are_one_group_with_two_windows(void **state) {
  (void)state;
  const double factors[] = {1, 1, 1};
  struct ls_measurements measurements = measure_workers(factors, 3, true, 5);
  struct ls_calibration calibration = calibrate(&measurements);
  assert_int_equal(calibration.groups_count, 1);
  const struct ls_calibrated_group *group = &calibration.groups[0];
  assert_int_equal(group->workers_count, 3);
  assert_int_equal(group->windows_count, 2);
  for (size_t w = 0; w < 2; w++) {
    const struct ls_affine_fit *compute = &group->windows[w].fits[LS_OPERATION_COMPUTE];
    assert_int_equal(group->windows[w].is_limited_below, w == 1);
    assert_int_equal(group->windows[w].is_limited_above, w == 0);
    assert_true(fabs(compute->raw.per_unit_s / 1.1e-5 - 1) <= 0.01);
    assert_int_equal(group->windows[w].fits[LS_OPERATION_TRANSFER].count, 0);
  }
  assert_true(group->windows[0].units_to >= 450 && group->windows[0].units_to <= 450);
  assert_true(group->windows[1].fits[LS_OPERATION_SEND].raw.latency_s < 0);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

static void slower_workers_have_groups_and_factors_of_their_own(void **state) {
  (void)state;
  const double factors[] = {1, 2, 1, 3};
  struct ls_measurements measurements = measure_workers(factors, 4, false, 4);
  struct ls_calibration calibration = calibrate(&measurements);
  assert_int_equal(calibration.groups_count, 3);
  assert_int_equal(calibration.workers[2].group, 0);
  for (size_t i = 0; i < 4; i++)
    assert_true(fabs(calibration.workers[i].factor / (factors[i] / 1.75) - 1) <= 0.03);
  /* One law holds everywhere, so nothing limits a chunk. */
  assert_int_equal(calibration.groups[0].windows_count, 1);
  const struct ls_calibrated_window *window = &calibration.groups[0].windows[0];
  assert_false(window->is_limited_below || window->is_limited_above);
  assert_int_equal(calibration.groups[0].outside, 0);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* One law holds everywhere, but only computing was measured at the small and the large sizes: what
 * sending is like there is not known, and that is no limit. */
static void sizes_that_one_operation_has_alone_are_no_limit(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_random random;
  const struct ls_cost send = {0.01, 0.001}, compute = {0.02, 0.01};
  const struct noise noise = {0.02, 0, 0};
  ls_random_init(&random, 3, "alone");
  for (size_t i = 0; i < 20 * 5; i++) {
    double units = 10 * (1 + (double)(i % 20));
    if (units > 40 && units <= 160)
      add_measurement(&measurements, "a", LS_OPERATION_SEND, units,
                      measure_law(&send, units, &noise, &random));
    add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, units,
                    measure_law(&compute, units, &noise, &random));
  }
  struct ls_calibration calibration = calibrate(&measurements);
  const struct ls_calibrated_group *group = &calibration.groups[0];
  assert_int_equal(group->windows_count, 1);
  assert_true(group->windows[0].units_from >= 50 && group->windows[0].units_to <= 160);
  assert_false(group->windows[0].is_limited_below || group->windows[0].is_limited_above);
  assert_int_equal(group->outside, 8 * 5);
  struct ls_platform platform;
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 0, &platform, NULL), LS_OK);
  assert_true(platform.workers[0].window_from <= 0 && isinf(platform.workers[0].window_to));
  ls_platform_close(&platform);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

static void one_size_cannot_be_told_apart(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  for (int i = 0; i < 40; i++)
    add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, 1, 0.5 + 0.001 * (i % 5));
  struct ls_calibration calibration = calibrate(&measurements);
  const struct ls_affine_fit *fit = &calibration.groups[0].windows[0].fits[LS_OPERATION_COMPUTE];
  assert_false(fit->is_told_apart);
  assert_true(fabs(fit->law.per_unit_s - 0.502) <= 0.001 && !(fit->law.latency_s > 0));
  assert_int_equal(calibration.workers[0].tasks.count, 40);
  assert_int_equal(calibration.workers[0].tasks.law, LS_DURATION_CONSTANT);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* What one message of one unit took is no rate of a million units that came as fast. */
static void small_transfers_are_not_extrapolated(void **state) {
  (void)state;
  const double factors[] = {1, 1};
  struct ls_measurements measurements = measure_workers(factors, 2, false, 5);
  const struct ls_measurement transfer = {0, LS_OPERATION_TRANSFER, 1, 5e-4};
  const struct ls_arrival arrival = {1e6, 2e-3};
  assert_int_equal(ls_measurements_add(&measurements, &transfer, NULL), LS_OK);
  assert_int_equal(ls_measurements_arrived(&measurements, 0, &arrival, NULL), LS_OK);
  struct ls_calibration calibration = calibrate(&measurements);
  const struct ls_calibrated_group *group = &calibration.groups[calibration.workers[0].group];
  const struct ls_affine_fit *fit = &group->windows[group->windows_count - 1].fits[0];
  for (size_t w = 0; w < group->windows_count; w++)
    if (group->windows[w].fits[LS_OPERATION_TRANSFER].count > 0)
      fit = &group->windows[w].fits[LS_OPERATION_TRANSFER];
  assert_true(fit->is_rate_bounded);
  assert_true(fabs(fit->law.per_unit_s - 1e-9) < 1e-15);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

static void nothing_is_refused(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_calibration calibration;
  assert_int_equal(ls_calibrate(&measurements, &usual, &calibration, NULL), LS_EINVAL);
}

/* The first size and the last one miss the law, whatever the reason: that is no law of their own.
 */
static void single_sizes_that_miss_the_law_are_no_limit(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_random random;
  const struct ls_cost compute = {0.02, 0.01};
  ls_random_init(&random, 4, "ends");
  for (size_t i = 0; i < 20 * 5; i++) {
    double units = 10 * (1 + (double)(i % 20));
    double seconds = measure_law(&compute, units, &(struct noise){0.02, 0, 0}, &random);
    if (i % 20 == 0 || i % 20 == 19) seconds *= 3;
    add_measurement(&measurements, "a", LS_OPERATION_COMPUTE, units, seconds);
  }
  struct ls_calibration calibration = calibrate(&measurements);
  const struct ls_calibrated_group *group = &calibration.groups[0];
  assert_int_equal(group->windows_count, 1);
  assert_int_equal(group->windows[0].sizes, 18);
  assert_int_equal(group->outside, 10);
  assert_false(group->windows[0].is_limited_below || group->windows[0].is_limited_above);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_workers_are_one_group_with_two_windows),
      cmocka_unit_test(slower_workers_have_groups_and_factors_of_their_own),
      cmocka_unit_test(sizes_that_one_operation_has_alone_are_no_limit),
      cmocka_unit_test(single_sizes_that_miss_the_law_are_no_limit),
      cmocka_unit_test(one_size_cannot_be_told_apart),
      cmocka_unit_test(small_transfers_are_not_extrapolated),
      cmocka_unit_test(nothing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
