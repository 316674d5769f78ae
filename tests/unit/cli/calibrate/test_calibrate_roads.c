#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/calibrate/calibrate_journal.h"
#include "cli/calibrate/calibrate_roads.h"
#include "journal_of_runs.h"

static struct ls_roads_run made_runs[] = {{"monday", 10, 11, 10.1},
                                          {"tuesday", 20, (double)NAN, (double)NAN}};

static struct ls_roads make_roads(void) {
  return (struct ls_roads){.runs = made_runs,
                           .count = 2,
                           .is_held_out = true,
                           .fit = {.transfer_latency_s = 0.25, .compute_factor = 1.5}};
}

static void people_see_both_roads_beside_what_happened(void **state) {
  (void)state;
  struct ls_roads roads = make_roads();
  struct ls_bytes out = {0};
  ls_roads_write_text(&roads, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "each run is predicted from the others"));
  assert_non_null(strstr(text, "11    +10.00 %         10.1     +1.00 %\n"));
  assert_non_null(
      strstr(text, "tuesday                                20            -           -"));
  assert_non_null(strstr(text, "a transfer takes +0.25 s a chunk"));
  assert_non_null(strstr(text, "multiplied by 1.5000\n"));
  ls_bytes_close(&out);
}

static void machines_read_both_roads(void **state) {
  (void)state;
  struct ls_roads roads = make_roads();
  struct ls_bytes out = {0};
  double happened, by_makespans, factor;
  ls_roads_write_json(&roads, &out);
  json_t *document = json_loads(ls_bytes_text(&out), 0, NULL);
  assert_non_null(document);
  assert_int_equal(json_unpack(document, "{s:F, s:[{s:F, s:F}]}", "compute_factor", &factor, "runs",
                               "happened", &happened, "by_makespans", &by_makespans),
                   0);
  assert_true(fabs(factor - 1.5) <= 0 && fabs(happened - 10) <= 0 &&
              fabs(by_makespans - 10.1) <= 0);
  json_decref(document);
  ls_bytes_close(&out);
}

/* This journal tells results, but of no chunk when it was sent. */
static void runs_that_tell_no_chunks_are_refused(void **state) {
  (void)state;
  const char *const paths[] = {journal_path, file_path};
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_platform platform;
  struct ls_roads roads;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t count = 1; count <= 2; count++) {
    struct ls_error err = {0};
    struct ls_roads_setup setup = {paths, count, &options, 0};
    assert_int_equal(ls_roads_compare(&setup, &platform, &roads, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, count == 1 ? "nothing that could be predicted" : file_path));
  }
  ls_platform_close(&platform);
}

enum { RUNS = 6 };

struct runs {
  char paths[RUNS][80];
  const char *names[RUNS];
  struct ls_platform platform; /* by measurements */
};

static void open_runs(struct runs *runs, double transfer_latency_s) {
  struct ls_platform truth = make_truth(transfer_latency_s);
  struct ls_measurements measurements = {.items = NULL};
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_calibration calibration;
  uint64_t failed = 0;
  for (size_t i = 0; i < RUNS; i++) {
    snprintf(runs->paths[i], sizeof runs->paths[i], "%s/run-%zu", folder, i);
    runs->names[i] = runs->paths[i];
    make_run_of(runs->paths[i], &truth, (uint64_t)4 << i, i);
    assert_int_equal(ls_calibrate_journal_read(&measurements, runs->paths[i], &failed, NULL),
                     LS_OK);
  }
  assert_int_equal(ls_calibrate(&measurements, &options, &calibration, NULL), LS_OK);
  assert_int_equal(ls_calibration_platform(&calibration, &measurements, 0, &runs->platform, NULL),
                   LS_OK);
  ls_calibration_close(&calibration);
  ls_measurements_close(&measurements);
  ls_platform_close(&truth);
}

static void close_runs(struct runs *runs) {
  for (size_t i = 0; i < RUNS; i++) unlink(runs->paths[i]);
  ls_platform_close(&runs->platform);
}

/* No measurement tells how long messages take, but the runs are longer for it. */
static void a_latency_that_nobody_measured_comes_back(void **state) {
  (void)state;
  struct runs runs;
  struct ls_roads roads;
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  struct ls_error err = {0};
  open_runs(&runs, 1);
  struct ls_roads_setup setup = {runs.names, RUNS, &options, 0};
  if (ls_roads_compare(&setup, &runs.platform, &roads, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(roads.fit.error_before > 0.3);
  assert_true(roads.fit.error_after < 1e-4);
  assert_true(fabs(roads.fit.transfer_latency_s - 1) <= 1e-3);
  assert_true(fabs(runs.platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s - 1) <= 1e-3);
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
  struct ls_calibration_options options = {.tolerance = (double)NAN};
  open_runs(&runs, 0);
  for (size_t window = 1; window <= 2; window++) {
    struct ls_roads_setup setup = {runs.names, RUNS, &options, window};
    assert_int_equal(ls_roads_compare(&setup, &runs.platform, &roads, NULL), LS_OK);
    /* There is one only: the second says nothing. */
    for (size_t i = 0; i < RUNS; i++)
      assert_int_equal(isnan(roads.runs[i].by_measurements_s), window == 2);
    ls_roads_close(&roads);
  }
  close_runs(&runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(people_see_both_roads_beside_what_happened),
      cmocka_unit_test(machines_read_both_roads),
      cmocka_unit_test(a_latency_that_nobody_measured_comes_back),
      cmocka_unit_test(the_window_that_was_asked_for_is_compared),
      cmocka_unit_test(runs_that_tell_no_chunks_are_refused),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
