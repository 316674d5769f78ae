/* Monitor over its parameters: Figures 5.3 and 5.4 of the thesis. */
#include "study_fixture.h"

static void statements_hold_over_all_draws(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 1, .processes = 2};
  struct ls_study_report report;
  run_study("online-parameters", &options, NULL, &report);
  expect_all_met("online-parameters", &report);
  assert_int_equal(count_judged(&report), 10);
  assert_int_equal(report.drawings_count, 2);
  ls_study_report_close(&report);
}

static void a_few_draws_are_not_judged_and_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 2, .seed = 5, .processes = 1};
  struct ls_study_report alone, shared;
  run_study("online-parameters", &options, NULL, &alone);
  assert_int_equal(count_judged(&alone), 0);
  options.processes = 3;
  run_study("online-parameters", &options, NULL, &shared);
  expect_same_reports(&alone, &shared);
  ls_study_report_close(&alone);
  ls_study_report_close(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_hold_over_all_draws),
      cmocka_unit_test(a_few_draws_are_not_judged_and_are_the_same_on_any_number_of_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
