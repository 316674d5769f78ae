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
  struct ls_renewal renewal = {&rig->measurements, &rig->calibration, &rig->measured, &place};
  return ls_calibration_refine(&renewal, &rig->platform, done, NULL);
}

static void close_rig(struct rig *rig) {
  ls_platform_close(&rig->platform);
  ls_platform_close(&rig->measured);
  ls_calibration_close(&rig->calibration);
  ls_measurements_close(&rig->measurements);
}

/* The ports stay unless links were seen to be otherwise. */
static void links_that_were_seen_change_the_ports(void **state) {
  (void)state;
  static const struct {
    enum ls_links links;
    enum ls_ports before, after;
  } cases[] = {{LS_LINKS_UNKNOWN, LS_PORTS_ONE, LS_PORTS_ONE},
               {LS_LINKS_SHARED, LS_PORTS_ONE, LS_PORTS_ONE},
               {LS_LINKS_SEPARATE, LS_PORTS_TWO, LS_PORTS_MULTI},
               {LS_LINKS_UNKNOWN, LS_PORTS_MULTI, LS_PORTS_MULTI},
               {LS_LINKS_SHARED, LS_PORTS_MULTI, LS_PORTS_TWO}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig rig = {.measurements = {.count = 0}};
    struct ls_refinement done;
    measure(&rig.measurements, "worker-0", (struct ls_cost){2, 0.25}, (double[]){1, 4}, 2);
    rig.measurements.links = cases[i].links;
    open_rig(&rig);
    rig.platform.ports = cases[i].before;
    rig.platform.ports_alpha = 0;
    assert_int_equal(refine(&rig, 0, &done), LS_OK);
    assert_int_equal(rig.platform.ports, cases[i].after);
    if (cases[i].links == LS_LINKS_SEPARATE) {
      assert_int_equal(rig.measured.ports, LS_PORTS_MULTI);
      assert_true(rig.measured.ports_alpha <= 0 && rig.platform.ports_alpha <= 0);
    }
    close_rig(&rig);
  }
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

static void give_windows(struct rig *rig, size_t worker, const double ends[4]) {
  struct ls_window windows[2] = {{.from = ends[0], .to = ends[1]},
                                 {.from = ends[2], .to = ends[3]}};
  for (size_t k = 0; k < 2; k++) windows[k].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 0.5};
  assert_int_equal(
      ls_platform_set_windows(&rig->platform, &rig->platform.workers[worker], windows, 2, NULL),
      LS_OK);
}

static void expect_law(const struct ls_window *window, double latency_s, double per_unit_s) {
  assert_true(is_near(window->costs[LS_OPERATION_COMPUTE].latency_s, latency_s));
  assert_true(is_near(window->costs[LS_OPERATION_COMPUTE].per_unit_s, per_unit_s));
}

/* Small chunks have one law, large ones another; those of 10 lie in no window. */
static void each_window_is_renewed_by_its_own_chunks(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "worker-0", (struct ls_cost){0.25, 2}, (double[]){1, 2, 3, 6, 8}, 5);
  measure(&rig.measurements, "worker-0", (struct ls_cost){70, 1}, (double[]){10}, 1);
  measure(&rig.measurements, "worker-0", (struct ls_cost){3, 0.75}, (double[]){13, 25}, 2);
  open_rig(&rig);
  give_windows(&rig, 0, (double[]){1, 8, 12, (double)INFINITY});
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  expect_law(&rig.platform.workers[0].windows[0], 0.25, 2);
  expect_law(&rig.platform.workers[0].windows[1], 3, 0.75);
  assert_int_equal(done.renewed, 1);
  assert_int_equal(done.kept, 1);
  assert_int_equal(done.windows_count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(done.windows[i].renewed, 1);
    assert_int_equal(done.windows[i].kept, 0);
  }
  assert_true(is_near(done.windows[0].to, 8) && is_near(done.windows[1].from, 12));
  assert_int_equal(ls_platform_check(&rig.platform, NULL), LS_OK);
  close_rig(&rig);
}

/* Two chunks in one window, and those of another one all of 4 units: twice what the law says. */
static void a_window_with_few_chunks_keeps_its_law(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "worker-0", (struct ls_cost){0, 1.5}, (double[]){4}, 1);
  measure(&rig.measurements, "worker-0", (struct ls_cost){0, 9}, (double[]){20}, 1);
  rig.measurements.count--; /* two of them */
  open_rig(&rig);
  give_windows(&rig, 0, (double[]){1, 8, 12, 40});
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  expect_law(&rig.platform.workers[0].windows[0], 2, 1);
  expect_law(&rig.platform.workers[0].windows[1], 1, 0.5);
  assert_int_equal(done.scaled, 1);
  assert_int_equal(done.windows[0].renewed, 1);
  assert_int_equal(done.windows[1].renewed, 0);
  assert_int_equal(done.windows[1].kept, 1);
  close_rig(&rig);
}

static void a_worker_without_chunks_in_its_windows_is_kept(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  measure(&rig.measurements, "worker-0", (struct ls_cost){0, 1.5}, (double[]){9, 10, 11}, 3);
  open_rig(&rig);
  give_windows(&rig, 0, (double[]){1, 8, 12, 40});
  assert_int_equal(refine(&rig, 0, &done), LS_OK);
  assert_int_equal(done.renewed, 0);
  assert_int_equal(done.kept, 2);
  for (size_t i = 0; i < 2; i++) expect_law(&rig.platform.workers[0].windows[i], 1, 0.5);
  close_rig(&rig);
}

/* Two chunks of each: four of one law, in windows that both have. */
static void workers_that_are_alike_tell_of_each_other(void **state) {
  (void)state;
  struct rig rig = {.measurements = {.count = 0}};
  struct ls_refinement done;
  const char *const names[] = {"worker-0", "worker-1"};
  for (size_t i = 0; i < 2; i++) {
    measure(&rig.measurements, names[i], (struct ls_cost){2, 0.25}, (double[]){15, 20, 25, 30}, 4);
    measure(&rig.measurements, names[i], (struct ls_cost){2, 0.25}, (double[]){i > 0 ? 3 : 6}, 1);
    rig.measurements.count--;
  }
  open_rig(&rig);
  assert_int_equal(rig.calibration.groups_count, 1);
  for (size_t i = 0; i < 2; i++) give_windows(&rig, i, (double[]){1, 8, 12, 40});
  struct ls_renewal renewal = {&rig.measurements, &rig.calibration, &rig.measured,
                               (size_t[]){0, 1}};
  assert_int_equal(ls_calibration_refine(&renewal, &rig.platform, &done, NULL), LS_OK);
  assert_int_equal(done.renewed, 2);
  assert_int_equal(done.windows_count, 2);
  assert_int_equal(done.windows[0].renewed, 2);
  for (size_t i = 0; i < 2; i++) expect_law(&rig.platform.workers[i].windows[0], 2, 0.25);
  close_rig(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_several_windows_the_measured_one_is_renewed),
      cmocka_unit_test(each_window_is_renewed_by_its_own_chunks),
      cmocka_unit_test(a_window_with_few_chunks_keeps_its_law),
      cmocka_unit_test(a_worker_without_chunks_in_its_windows_is_kept),
      cmocka_unit_test(workers_that_are_alike_tell_of_each_other),
      cmocka_unit_test(links_that_were_seen_change_the_ports),
      cmocka_unit_test(what_was_measured_is_renewed_and_nothing_else),
      cmocka_unit_test(chunks_of_one_size_scale_latency_and_rate),
      cmocka_unit_test(a_new_worker_is_added_as_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
