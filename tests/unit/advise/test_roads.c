#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "advise/roads.h"
#include "course_of_runs.h"

enum { RUNS = 6 };

struct runs {
  struct ls_run_course courses[RUNS];
  struct ls_calibration_options options;
  struct ls_platform platform; /* by measurements */
};

static struct ls_roads_setup make_setup(const struct runs *runs, size_t window) {
  return (struct ls_roads_setup){runs->courses, RUNS, &runs->options, window};
}

static void open_runs(struct runs *runs, double transfer_latency_s) {
  struct ls_platform truth = make_truth(transfer_latency_s);
  runs->options = (struct ls_calibration_options){.tolerance = (double)NAN};
  for (size_t i = 0; i < RUNS; i++) runs->courses[i] = make_course_of(&truth, (uint64_t)4 << i, i);
  struct ls_roads_setup setup = make_setup(runs, 0);
  assert_int_equal(ls_roads_by_measurements(&setup, SIZE_MAX, &runs->platform, NULL), LS_OK);
  ls_platform_close(&truth);
}

static void close_runs(struct runs *runs) {
  for (size_t i = 0; i < RUNS; i++) ls_run_course_close(&runs->courses[i]);
  ls_platform_close(&runs->platform);
}

/* What the workers computed, to the last digit; of transfers nothing was measured. */
static void measurements_make_the_platform_that_was(void **state) {
  (void)state;
  struct runs runs;
  open_runs(&runs, 1);
  assert_int_equal(runs.platform.workers_count, RUN_WORKERS);
  for (size_t i = 0; i < RUN_WORKERS; i++) {
    const struct ls_cost *costs = runs.platform.workers[i].costs;
    assert_true(fabs(costs[LS_OPERATION_COMPUTE].latency_s - 0.5) <= 1e-9);
    assert_true(fabs(costs[LS_OPERATION_COMPUTE].per_unit_s - 0.1) <= 1e-9);
    assert_true(fabs(costs[LS_OPERATION_TRANSFER].latency_s) <= 0);
  }
  close_runs(&runs);
}

/* No measurement tells how long messages take, but the runs are longer for it. */
static void a_latency_that_nobody_measured_comes_back(void **state) {
  (void)state;
  struct runs runs;
  struct ls_roads roads;
  struct ls_error err = {0};
  open_runs(&runs, 1);
  struct ls_roads_setup setup = make_setup(&runs, 0);
  if (ls_roads_compare(&setup, &runs.platform, &roads, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(roads.fit.error_before > 0.3);
  assert_true(roads.fit.error_after < 1e-4);
  assert_true(fabs(roads.fit.transfer_latency_s - 1) <= 1e-3);
  assert_true(fabs(runs.platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s - 1) <= 1e-3);
  assert_true(roads.is_held_out && roads.count == RUNS);
  for (size_t i = 0; i < RUNS; i++) {
    const struct ls_roads_run *run = &roads.runs[i];
    assert_true(run->by_measurements_s < 0.99 * run->happened_s);
    assert_true(fabs(run->by_makespans_s / run->happened_s - 1) <= 1e-3);
  }
  ls_roads_close(&roads);
  close_runs(&runs);
}

/* The runs that are held out are predicted from the window that the platform is of. */
static void the_window_that_was_asked_for_is_compared(void **state) {
  (void)state;
  struct runs runs;
  struct ls_roads roads;
  open_runs(&runs, 0);
  for (size_t window = 1; window <= 2; window++) {
    struct ls_roads_setup setup = make_setup(&runs, window);
    assert_int_equal(ls_roads_compare(&setup, &runs.platform, &roads, NULL), LS_OK);
    /* There is one only: the second says nothing. */
    for (size_t i = 0; i < RUNS; i++)
      assert_int_equal(isnan(roads.runs[i].by_measurements_s), window == 2);
    ls_roads_close(&roads);
  }
  close_runs(&runs);
}

static void a_run_that_computed_nothing_is_named(void **state) {
  (void)state;
  struct runs runs;
  struct ls_roads roads;
  struct ls_error err = {0};
  open_runs(&runs, 0);
  size_t ended = runs.courses[2].ended_count;
  runs.courses[2].ended_count = 0;
  struct ls_roads_setup setup = make_setup(&runs, 0);
  assert_int_equal(ls_roads_compare(&setup, &runs.platform, &roads, &err), LS_EINVAL);
  assert_string_equal(err.text, "run 3: the run computed nothing that could be predicted");
  runs.courses[2].ended_count = ended;
  close_runs(&runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measurements_make_the_platform_that_was),
      cmocka_unit_test(a_latency_that_nobody_measured_comes_back),
      cmocka_unit_test(the_window_that_was_asked_for_is_compared),
      cmocka_unit_test(a_run_that_computed_nothing_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
