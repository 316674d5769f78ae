/* The tables and examples of the thesis on periodic schedules. */
#include <stdlib.h>

#include "study_fixture.h"

static void judged_numbers_are_met(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t judged;
  } studies[] = {{"scow-table6-2", 40},    {"scow-table6-3", 4}, {"scow-table6-4", 29},
                 {"scow-table6-5", 2},     {"scow-examples", 8}, {"scow-motif", 13},
                 {"scow-multi-master", 19}};
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
    struct ls_study_options options = {.seed = 1, .processes = 1};
    struct ls_study_report report;
    run_study(studies[i].name, &options, NULL, &report);
    expect_all_met(studies[i].name, &report);
    assert_true(count_judged(&report) >= studies[i].judged);
    ls_study_report_close(&report);
  }
}

/* What cannot come out stands beside what does, with a reason. */
static void what_does_not_reproduce_is_shown(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 1, .processes = 1};
  struct ls_study_report report;
  run_study("scow-table6-2", &options, NULL, &report);
  assert_true(find_figure(&report, "B = 33: UMR by formula, s") > 41);
  assert_true(fabs(find_figure(&report, "B = 22: PERIODIC, s") - 53.4346) < 1e-4);
  assert_true(report.figures_count > count_judged(&report) + 6);
  ls_study_report_close(&report);
}

/* More masters help until each has the workers that it can feed, and not beyond what the workers
 * can do. */
static void masters_divide_the_time_while_they_limit(void **state) {
  (void)state;
  static const char *const names[] = {"1", "2", "6", "13", "27", "54", "82", "103", "206", "412"};
  struct ls_study_options options = {.seed = 1, .processes = 1};
  struct ls_study_report report;
  double before_s = HUGE_VAL, one_s = 0;
  run_study("scow-multi-master", &options, NULL, &report);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s masters, level 5 alone, s", names[i]);
    double makespan_s = find_figure(&report, name), masters = strtod(names[i], NULL);
    if (i == 0) one_s = makespan_s;
    assert_true(makespan_s < before_s);
    if (masters < 50) assert_true(makespan_s < 1.1 * one_s / masters);
    before_s = makespan_s;
  }
  assert_true(before_s > one_s / 54);
  assert_int_equal(report.drawings_count, 1);
  /* The row of longest times cannot be times of the levels alone. */
  double full_s = find_figure(&report, "level 5: ends, nothing eliminated at one master, s") -
                  find_figure(&report, "level 4: ends, even shares, s");
  assert_true(full_s < 0.5068);
  ls_study_report_close(&report);
}

/* UMR's chunks leave the window, where a task costs six times as much to send: so its runs took
 * five times as long as within it. */
static void leaving_the_window_costs_what_the_thesis_measured(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 1, .processes = 1};
  struct ls_study_report report;
  run_study("scow-motif", &options, NULL, &report);
  double within_s = find_figure(&report, "m = 20: SCOW within the window, s");
  double beyond_s = find_figure(&report, "m = 20: UMR as it ran, by the laws of [500,2500], s");
  assert_true(beyond_s > 4.5 * within_s);
  assert_true(find_figure(&report, "m = 20: UMR: smallest chunk") > 500);
  assert_int_equal(report.drawings_count, 1);
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(judged_numbers_are_met),
      cmocka_unit_test(what_does_not_reproduce_is_shown),
      cmocka_unit_test(masters_divide_the_time_while_they_limit),
      cmocka_unit_test(leaving_the_window_costs_what_the_thesis_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
