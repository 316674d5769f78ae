/* The costs of transfers from the transfers of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "calibration_fixture.h"
#include "model/run_course.h"

enum { TRANSFERS_MOST = 64 };

static char *names[] = {(char *)"near"};

/* One chunk computed, and the transfers. */
static void calibrate(struct ls_course_transfer *transfers, size_t count,
                      struct ls_measurements *measurements, struct ls_calibration *calibration) {
  struct ls_course_chunk chunk = {.units = 1, .compute_s = 1};
  struct ls_run_course course = {.workers = names,
                                 .workers_count = 1,
                                 .ended = &chunk,
                                 .ended_count = 1,
                                 .transfers = transfers,
                                 .transfers_count = count};
  struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  uint64_t failed = 0;
  *measurements = (struct ls_measurements){.items = NULL};
  assert_int_equal(ls_run_course_measure(&course, measurements, &failed, NULL), LS_OK);
  assert_int_equal(ls_calibrate(measurements, &options, calibration, NULL), LS_OK);
}

static struct ls_cost find_cost(const struct ls_measurements *measurements,
                                const struct ls_calibration *calibration) {
  struct ls_platform platform;
  assert_int_equal(
      ls_calibration_platform(calibration, measurements, LS_CALIBRATED_ALL, &platform, NULL),
      LS_OK);
  struct ls_cost cost = platform.workers[0].costs[LS_OPERATION_TRANSFER];
  assert_int_equal(platform.ports, LS_PORTS_TWO);
  ls_platform_close(&platform);
  return cost;
}

static bool is_within(const struct ls_interval *interval, double value) {
  return value >= interval->least && value <= interval->most;
}

/* Nine intervals of ten hold the truth, and no cost is below nothing. */
static void intervals_hold_the_truth(void **state) {
  (void)state;
  enum { CASES = 1000 };
  struct ls_random random;
  size_t rates = 0, latencies = 0, good = 0;
  ls_random_init(&random, 21, "transfers");
  for (size_t i = 0; i < CASES; i++) {
    struct ls_course_transfer transfers[TRANSFERS_MOST];
    struct ls_measurements measurements;
    struct ls_calibration calibration;
    size_t count = 8 + ls_random_below(&random, TRANSFERS_MOST - 8);
    struct ls_cost law = {0.001 + 0.05 * ls_random_real(&random),
                          0.002 + 0.05 * ls_random_real(&random)};
    struct noise noise = {0.01 + 0.04 * ls_random_real(&random), 0.001, 0.02};
    for (size_t k = 0; k < count; k++) {
      uint64_t units = 1 + ls_random_below(&random, 60);
      transfers[k] = (struct ls_course_transfer){0, k, units, 10 * (double)k,
                                                 measure_law(&law, (double)units, &noise, &random)};
    }
    calibrate(transfers, count, &measurements, &calibration);
    const struct ls_affine_fit *fit = &calibration.groups[0].windows[0].fits[LS_OPERATION_TRANSFER];
    bool has_rate = is_within(&fit->per_unit_s, law.per_unit_s);
    bool has_latency = is_within(&fit->latency_s, law.latency_s);
    rates += has_rate;
    latencies += has_latency;
    good += (has_rate || fabs(fit->law.per_unit_s / law.per_unit_s - 1) <= 0.05) &&
            (has_latency || fabs(fit->law.latency_s / law.latency_s - 1) <= 0.05);
    struct ls_cost cost = find_cost(&measurements, &calibration);
    assert_true(cost.latency_s >= 0 && cost.per_unit_s > 0);
    ls_calibration_close(&calibration);
    ls_measurements_close(&measurements);
  }
  const size_t least = 85 * CASES / 100, most = 95 * CASES / 100;
  if (rates < least || rates > most || latencies < least || latencies > most || good < least)
    fail_msg("of %d: rate %zu, latency %zu, both or near %zu", CASES, rates, latencies, good);
}

static void of_one_size_all_is_rate(void **state) {
  (void)state;
  struct ls_course_transfer transfers[3];
  struct ls_measurements measurements;
  struct ls_calibration calibration;
  for (size_t i = 0; i < 3; i++)
    transfers[i] = (struct ls_course_transfer){0, i, 5, 10 * (double)i, 0.5};
  calibrate(transfers, 3, &measurements, &calibration);
  assert_false(calibration.groups[0].windows[0].fits[LS_OPERATION_TRANSFER].is_told_apart);
  struct ls_cost cost = find_cost(&measurements, &calibration);
  assert_true(cost.latency_s <= 0 && fabs(cost.per_unit_s - 0.1) <= 1e-12);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* A link that lets the first bytes pass at once has a latency below 0, and short chunks that cost
 * next to nothing: what is sent in all counts. */
static void a_latency_below_0_makes_no_rate_of_the_short_ones(void **state) {
  (void)state;
  struct ls_course_transfer transfers[20];
  struct ls_measurements measurements;
  struct ls_calibration calibration;
  double units = 0, seconds = 0;
  for (size_t i = 0; i < 20; i++) {
    uint64_t size = i % 2 == 0 ? 1 : 5 * i;
    double took_s = fmax(0.001, 0.01 * (double)size - 0.009) * (i % 3 == 0 ? 1.02 : 0.99);
    transfers[i] = (struct ls_course_transfer){0, i, size, 10 * (double)i, took_s};
    units += (double)size;
    seconds += took_s;
  }
  calibrate(transfers, 20, &measurements, &calibration);
  struct ls_cost cost = find_cost(&measurements, &calibration);
  assert_true(cost.latency_s <= 0 && fabs(cost.per_unit_s / (seconds / units) - 1) <= 0.03);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* The larger chunk came sooner. */
static void a_rate_below_0_is_none(void **state) {
  (void)state;
  struct ls_course_transfer transfers[] = {{0, 0, 2, 1, 0.4}, {0, 1, 4, 10, 0.2}};
  struct ls_measurements measurements;
  struct ls_calibration calibration;
  calibrate(transfers, 2, &measurements, &calibration);
  struct ls_cost cost = find_cost(&measurements, &calibration);
  assert_true(cost.latency_s <= 0 && fabs(cost.per_unit_s - 0.1) <= 1e-12);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_hold_the_truth),
      cmocka_unit_test(of_one_size_all_is_rate),
      cmocka_unit_test(a_latency_below_0_makes_no_rate_of_the_short_ones),
      cmocka_unit_test(a_rate_below_0_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
