/* The studies of calibration: intervals that hold the truth, windows that are found. */
#include "study_fixture.h"

static const char *const names[] = {"calibrate-recovery", "scow-affine-window"};
enum { NAMES = sizeof names / sizeof *names };

static void what_is_specified_is_met(void **state) {
  (void)state;
  for (size_t i = 0; i < NAMES; i++) {
    struct ls_study_options options = {.sample = 100, .seed = 4, .processes = 1};
    struct ls_study_report report;
    run_study(names[i], &options, NULL, &report);
    expect_all_met(names[i], &report);
    assert_true(count_judged(&report) >= 10);
    ls_study_report_close(&report);
  }
}

static void figures_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  for (size_t i = 0; i < NAMES; i++) {
    struct ls_study_options options = {.sample = 20, .seed = 2, .processes = 1};
    struct ls_study_report alone, shared;
    run_study(names[i], &options, NULL, &alone);
    options.processes = 3;
    run_study(names[i], &options, NULL, &shared);
    expect_same_reports(&alone, &shared);
    ls_study_report_close(&alone);
    ls_study_report_close(&shared);
  }
}

/* A rate that the machine's drift has spoilt is shown as such. */
static void a_drift_with_growing_sizes_spoils_the_rate(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 100, .seed = 1, .processes = 1};
  struct ls_study_report report;
  run_study("calibrate-recovery", &options, NULL, &report);
  assert_true(find_figure(&report,
                          "2 % noise, drift of 5 %, growing sizes: rate within its "
                          "interval") < 0.6);
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_specified_is_met),
      cmocka_unit_test(figures_are_the_same_on_any_number_of_processes),
      cmocka_unit_test(a_drift_with_growing_sizes_spoils_the_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
