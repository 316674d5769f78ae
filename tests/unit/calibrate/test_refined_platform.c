/* What new measurements change of a platform, and what they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "model/windows.h"

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* Computing of one worker: latency + per_unit * units, of each of these sizes three times. */
static void measure(struct ls_measurements *measurements, const char *name, struct ls_cost law,
                    const double *sizes, size_t count) {
  struct ls_measurement item = {.measured = LS_OPERATION_COMPUTE};
  assert_int_equal(ls_measurements_worker(measurements, name, strlen(name), &item.worker, NULL),
                   LS_OK);
  for (size_t i = 0; i < 3 * count; i++) {
    item.units = sizes[i % count];
    item.seconds = ls_cost_time(&law, item.units);
    assert_int_equal(ls_measurements_add(measurements, &item, NULL), LS_OK);
  }
}

struct rig {
  struct ls_measurements measurements;
  struct ls_calibration calibration;
  struct ls_platform measured, platform;
};

static void open_rig(struct rig *rig) {
  const struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_error err = {0};
  if (ls_calibrate(&rig->measurements, &options, &rig->calibration, &err) != LS_OK ||
      ls_calibration_platform(&rig->calibration, &rig->measurements, 0, &rig->measured, &err) !=
          LS_OK)
    fail_msg("%s", err.text);
  assert_int_equal(ls_platform_init(&rig->platform, 2, NULL), LS_OK);
  struct ls_worker_model *worker = &rig->platform.workers[0];
  worker->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 0.5};
  worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.125, 0};
  worker->price_per_s = 3;
  rig->platform.prepare.latency_s = 0.25;
}

static enum ls_status refine(struct rig *rig, size_t place, struct ls_refinement *done) {
  struct ls_renewal renewal = {&rig->calibration, &rig->measured, &place};
  return ls_calibration_refine(&renewal, &rig->platform, done, NULL);
}

static void close_rig(struct rig *rig) {
  ls_platform_close(&rig->platform);
  ls_platform_close(&rig->measured);
  ls_calibration_close(&rig->calibration);
  ls_measurements_close(&rig->measurements);
}

static void what_was_measured_is_renewed_and_nothing_else(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "worker-0", (struct ls_cost){2, 0.25}, (double[]){1, 4, 9, 20}, 4);
  open_rig(&rig);
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  assert_int_equal(done.renewed, 1);
  assert_int_equal(done.kept, 1);
  assert_int_equal(done.added + done.scaled, 0);
  const struct ls_worker_model *worker = &rig.platform.workers[0];
  assert_true(is_near(worker->costs[LS_OPERATION_COMPUTE].latency_s, 2));
  assert_true(is_near(worker->costs[LS_OPERATION_COMPUTE].per_unit_s, 0.25));
  assert_true(is_near(worker->costs[LS_OPERATION_TRANSFER].latency_s, 0.125));
  assert_true(is_near(worker->price_per_s, 3));
  assert_true(is_near(rig.platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s, 1));
  assert_true(is_near(rig.platform.prepare.latency_s, 0.25));
  close_rig(&rig);
}

/* Chunks of 4 units took 6 s: twice what 1 + 0.5 * 4 says. */
static void chunks_of_one_size_scale_latency_and_rate(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "worker-0", (struct ls_cost){0, 1.5}, (double[]){4}, 1);
  open_rig(&rig);
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  assert_int_equal(done.scaled, 1);
  assert_true(is_near(rig.platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s, 2));
  assert_true(is_near(rig.platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s, 1));
  close_rig(&rig);
}

static void a_new_worker_is_added_as_measured(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "fresh", (struct ls_cost){0, 2}, (double[]){3}, 1);
  open_rig(&rig);
  assert_int_equal(refine(&rig, SIZE_MAX, &done), LS_OK);
  assert_int_equal(done.added, 1);
  assert_int_equal(done.kept, 2);
  assert_int_equal(rig.platform.workers_count, 3);
  assert_string_equal(rig.platform.workers[2].name, "fresh");
  assert_true(is_near(rig.platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s, 2));
  assert_int_equal(ls_platform_check(&rig.platform, NULL), LS_OK);
  close_rig(&rig);
}

/* Chunks of 60 to 90 units lie in the second window. */
static void of_several_windows_the_measured_one_is_renewed(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  struct ls_window windows[2] = {{.from = 1, .to = 40}, {.from = 50, .to = 100}};
  measure(&rig.measurements, "worker-0", (struct ls_cost){2, 0.25}, (double[]){60, 70, 80, 90}, 4);
  open_rig(&rig);
  for (size_t k = 0; k < 2; k++) windows[k].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 0.5};
  struct ls_worker_model *worker = &rig.platform.workers[0];
  assert_int_equal(ls_platform_set_windows(&rig.platform, worker, windows, 2, NULL), LS_OK);
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  assert_int_equal(done.renewed, 1);
  assert_int_equal(worker->windows_count, 2);
  assert_true(is_near(worker->windows[0].costs[LS_OPERATION_COMPUTE].per_unit_s, 0.5));
  assert_true(is_near(worker->windows[1].costs[LS_OPERATION_COMPUTE].per_unit_s, 0.25));
  assert_true(is_near(worker->windows[1].costs[LS_OPERATION_COMPUTE].latency_s, 2));
  /* The cheapest one is another one now. */
  assert_true(is_near(worker->costs[LS_OPERATION_COMPUTE].per_unit_s, 0.25));
  assert_int_equal(ls_platform_check(&rig.platform, NULL), LS_OK);
  close_rig(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_several_windows_the_measured_one_is_renewed),
      cmocka_unit_test(what_was_measured_is_renewed_and_nothing_else),
      cmocka_unit_test(chunks_of_one_size_scale_latency_and_rate),
      cmocka_unit_test(a_new_worker_is_added_as_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
