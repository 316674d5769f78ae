/* calibrate_speed: seconds from a text of measurements to a platform.
 *
 * Usage: calibrate_speed [MEASUREMENTS [TURNS]]
 *
 * A million measurements (or so many) as CSV, of four operations of four workers: at the sizes of
 * two affine windows, and at sizes that are all different.  Reading, fits, windows, groups and
 * platform; processor time, the median over the turns (5).  Prints one JSON line each: what,
 * measurements, seconds, reach.  Exit 1 when one is not reached.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/random.h"
#include "base/statistics.h"
#include "calibrate/calibration.h"
#include "formats/measurements_text.h"
#include "processor_time.h"

enum {
  MEASUREMENTS = 1000000,
  TURNS = 5,
  TURNS_MAX = 101,
  OPERATIONS = 4,
  WORKERS = 4,
  SIZES = 39
};

static const double REACH_S = 2;
static const char *const operations[OPERATIONS] = {"prepare", "send", "receive", "compute"};
static const struct ls_cost laws[2][OPERATIONS] = {
    {{2.2e-5, 4.6e-7}, {2.2e-5, 3.2e-7}, {2.3e-5, 3.9e-7}, {2.0e-5, 1.1e-5}},
    {{5.7e-6, 4.5e-7}, {-1.1e-3, 4.0e-6}, {-2.3e-4, 4.1e-6}, {-1.0e-4, 1.1e-5}}};

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "calibrate_speed: %s\n", what);
  exit(1);
}

static double choose_size(struct ls_random *random, bool is_any) {
  if (is_any) return 25 * pow(100, ls_random_real(random));
  uint64_t i = ls_random_below(random, SIZES);
  return i < 18 ? 25 * (double)(i + 1) : 500 + 100 * (double)(i - 18);
}

static void write_measurements(uint64_t count, bool is_any, struct ls_bytes *out) {
  struct ls_random random;
  ls_random_init(&random, 1, "calibrate speed");
  ls_bytes_append_text(out, "operation,worker,units,seconds\n");
  for (uint64_t i = 0; i < count; i++) {
    size_t operation = (size_t)(i % OPERATIONS);
    double units = choose_size(&random, is_any);
    const struct ls_cost *law = &laws[units > 450][operation];
    double seconds = (law->latency_s + law->per_unit_s * units) *
                     (0.96 + 0.08 * ls_random_real(&random)) *
                     (ls_random_below(&random, 20) == 0 ? 2 : 1);
    ls_bytes_printf(out, "%s,node%u,%.9g,%.9g\n", operations[operation],
                    (unsigned)ls_random_below(&random, WORKERS), units, seconds);
  }
  require(!out->failed, "no memory");
}

static void calibrate(const struct ls_bytes *text) {
  struct ls_measurements measurements = {.items = NULL};
  struct ls_measurements_read read;
  struct ls_calibration calibration;
  struct ls_platform platform;
  const struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct ls_text whole = {text->data, text->length, "measurements"};
  require(ls_measurements_read_csv(&measurements, whole, &read, NULL) == LS_OK, "not read");
  require(ls_calibrate(&measurements, &options, &calibration, NULL) == LS_OK, "not fitted");
  require(calibration.groups[0].windows_count == 2, "both windows are not found");
  require(ls_calibration_platform(&calibration, &measurements, 0, &platform, NULL) == LS_OK,
          "no platform");
  ls_platform_close(&platform);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
}

/* Whether it is reached. */
static bool run_measure(const char *what, bool is_any, uint64_t count, size_t turns) {
  struct ls_bytes text = {0};
  double seconds[TURNS_MAX];
  write_measurements(count, is_any, &text);
  for (size_t i = 0; i < turns; i++) {
    double begin_s = read_clock();
    calibrate(&text);
    seconds[i] = read_clock() - begin_s;
  }
  double median_s = ls_median(seconds, turns);
  printf("{\"what\": \"%s\", \"measurements\": %llu, \"seconds\": %.3f, \"reach\": %g}\n", what,
         (unsigned long long)count, median_s, REACH_S);
  ls_bytes_close(&text);
  return median_s < REACH_S;
}

int main(int argc, char **argv) {
  uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : MEASUREMENTS;
  size_t turns = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : TURNS;
  require(count >= 10000 && turns >= 1 && turns <= TURNS_MAX,
          "expected at least 10000 MEASUREMENTS, 1 to 101 TURNS");
  bool is_reached = run_measure("sizes of two windows", false, count, turns);
  return run_measure("sizes that all differ", true, count, turns) && is_reached ? 0 : 1;
}
