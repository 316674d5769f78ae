/* Whichever allocation fails, reading measurements, calibrating and fitting makespans say so and
 * leave nothing behind. */
#include "scarce_memory.h"

#include "advise/makespan_fit.h"
#include "calibrate/calibration.h"
#include "formats/measurements_text.h"
#include "model/replay.h"

typedef enum ls_status (*reader_fn)(struct ls_measurements *measurements, struct ls_text text,
                                    struct ls_measurements_read *read, struct ls_error *err);

struct reading {
  reader_fn reader;
  const char *text;
};

/* What is read is added to what was there, so a failure may leave a part of it. */
static enum ls_status try_read(const void *context, struct ls_error *err) {
  const struct reading *reading = context;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_measurements_read read;
  struct ls_text text = {reading->text, strlen(reading->text), "scarce"};
  enum ls_status status = reading->reader(&measurements, text, &read, err);
  memory_is_plenty();
  ls_measurements_close(&measurements);
  return status;
}

static void readers_survive(void **state) {
  (void)state;
  static const struct reading readings[] = {
      {ls_measurements_read_csv,
       "operation,worker,units,seconds\ncompute,\"a \"\"b\"\"\",1,2\n"
       "send,c,1,2\nprepare,,1,2\n"},
      {ls_measurements_read_joblog,
       "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
       "1\t:\t1\t2\t0\t0\t0\t0\tc\n2\tn\t1\t2\t0\t0\t0\t0\tc\n"},
      {ls_measurements_read_sacct, "NodeList|ElapsedRaw\na|1\nb|2\n"}};
  for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
    scarce_require("readings", try_read, &readings[i]);
}

static void add(struct ls_measurements *measurements, const char *name, uint32_t measured,
                double units, double seconds) {
  struct ls_measurement item = {.measured = measured, .units = units, .seconds = seconds};
  assert_int_equal(ls_measurements_worker(measurements, name, strlen(name), &item.worker, NULL),
                   LS_OK);
  assert_int_equal(ls_measurements_add(measurements, &item, NULL), LS_OK);
}

/* Three workers, one of them slower, two windows, tasks. */
static struct ls_measurements measure(void) {
  static const char *const names[] = {"a", "b", "c"};
  struct ls_measurements measurements = {.items = NULL};
  for (int i = 1; i <= 20; i++) {
    double seconds = i <= 10 ? 1 + 0.5 * i : 40 + i;
    add(&measurements, "a", LS_OPERATION_PREPARE, i, 0.1 * i);
    for (size_t worker = 0; worker < 3; worker++) {
      add(&measurements, names[worker], LS_OPERATION_COMPUTE, i,
          (worker == 2 ? 2 : 1) * seconds * (1 + 0.001 * (i * 7 % 5)));
      add(&measurements, names[worker], LS_MEASURED_TASK, 1, 1 + 0.1 * (i % 3));
    }
  }
  return measurements;
}

static enum ls_status try_calibrate(const void *context, struct ls_error *err) {
  const struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct ls_calibration calibration;
  scarce_mark(&calibration, sizeof calibration);
  enum ls_status status = ls_calibrate(context, &options, &calibration, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_calibration_close(&calibration);
  else
    scarce_require_untouched("calibration", &calibration, sizeof calibration);
  return status;
}

struct calibrated {
  struct ls_measurements measurements;
  struct ls_calibration calibration;
};

static enum ls_status try_platform(const void *context, struct ls_error *err) {
  const struct calibrated *calibrated = context;
  struct ls_platform platform;
  scarce_mark(&platform, sizeof platform);
  enum ls_status status = ls_calibration_platform(&calibrated->calibration,
                                                  &calibrated->measurements, 0, &platform, err);
  memory_is_plenty();
  if (status == LS_OK)
    ls_platform_close(&platform);
  else
    scarce_require_untouched("platform", &platform, sizeof platform);
  return status;
}

static void calibrations_survive(void **state) {
  (void)state;
  const struct ls_calibration_options options = {.tolerance = (double)NAN, .seeks_windows = true};
  struct calibrated calibrated = {.measurements = measure()};
  scarce_require("ls_calibrate", try_calibrate, &calibrated.measurements);
  assert_int_equal(ls_calibrate(&calibrated.measurements, &options, &calibrated.calibration, NULL),
                   LS_OK);
  assert_int_equal(calibrated.calibration.groups_count, 2);
  scarce_require("ls_calibration_platform", try_platform, &calibrated);
  ls_calibration_close(&calibrated.calibration);
  ls_measurements_close(&calibrated.measurements);
}

static enum ls_status try_fit(const void *context, struct ls_error *err) {
  const struct ls_makespan_runs *runs = context;
  const struct ls_makespan_limits limits = {.evaluations = 20};
  struct ls_makespan_fit fit;
  struct ls_platform platform;
  struct ls_error ignored;
  long left = memory.left;
  memory_is_plenty();
  assert_int_equal(ls_platform_init(&platform, 2, &ignored), LS_OK);
  memory.left = left;
  enum ls_status status = ls_makespan_fit(runs, &limits, &platform, &fit, err);
  memory_is_plenty();
  ls_platform_close(&platform);
  return status;
}

static void makespan_fits_survive(void **state) {
  (void)state;
  struct ls_plan plan;
  ls_plan_init(&plan, "run", 4);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 1, 0, 3);
  struct ls_makespan_run run = {&plan, NULL, 5};
  struct ls_makespan_runs runs = {&run, 1};
  scarce_require("ls_makespan_fit", try_fit, &runs);
  ls_plan_close(&plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_survive),
      cmocka_unit_test(calibrations_survive),
      cmocka_unit_test(makespan_fits_survive),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
