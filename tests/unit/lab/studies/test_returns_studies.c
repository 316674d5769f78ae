/* The published figures of the paper on loads with return messages, and the study of gaps. */
#include "study_fixture.h"

static void exact_figures_are_met(void **state) {
  (void)state;
  static const char *const names[] = {"returns-fig3", "returns-fig4"};
  for (size_t i = 0; i < 2; i++) {
    struct ls_study_options options = {.seed = 1, .processes = 1};
    struct ls_study_report report;
    run_study(names[i], &options, NULL, &report);
    expect_all_met(names[i], &report);
    assert_true(report.figures_count >= 3);
    assert_true(report.drawings_count >= 3);
    for (size_t j = 0; j < report.drawings_count; j++)
      assert_non_null(strstr(ls_bytes_text(&report.drawings[j].svg), "<svg"));
    ls_study_report_close(&report);
  }
}

static void curves_are_met_with_fifty_platforms_a_point(void **state) {
  (void)state;
  static const char *const names[] = {"returns-fig7", "returns-fig8", "returns-fig9"};
  for (size_t i = 0; i < 3; i++) {
    struct ls_study_options options = {.seed = 1, .processes = 1};
    struct ls_study_report report;
    run_study(names[i], &options, NULL, &report);
    expect_all_met(names[i], &report);
    assert_true(count_judged(&report) >= 7);
    assert_int_equal(report.drawings_count, 1);
    ls_study_report_close(&report);
  }
}

static void gaps_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 1, .seed = 2, .processes = 1};
  struct ls_study_report alone, shared;
  run_study("returns-gap", &options, NULL, &alone);
  expect_all_met("returns-gap", &alone);
  options.processes = 3;
  run_study("returns-gap", &options, NULL, &shared);
  expect_same_reports(&alone, &shared);
  ls_study_report_close(&alone);
  ls_study_report_close(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_figures_are_met),
      cmocka_unit_test(curves_are_met_with_fifty_platforms_a_point),
      cmocka_unit_test(gaps_are_the_same_on_any_number_of_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
