/* The tables and examples of the thesis on periodic schedules. */
#include "study_fixture.h"

static void judged_numbers_are_met(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t judged;
  } studies[] = {
      {"scow-table6-2", 40}, {"scow-table6-3", 4}, {"scow-table6-4", 17}, {"scow-examples", 8}};
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
  assert_true(find_figure(&report, "B = 22: PERIODIC, s") > 56);
  assert_true(report.figures_count > count_judged(&report) + 6);
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(judged_numbers_are_met),
      cmocka_unit_test(what_does_not_reproduce_is_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
