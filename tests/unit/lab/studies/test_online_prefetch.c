/* Strategies over the prefetch: Figures 5.5 to 5.8 of the thesis on Monitor. */
#include "study_fixture.h"

static void statements_hold_over_ten_draws(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 10, .seed = 1, .processes = 2};
  struct ls_study_report report;
  run_study("online-prefetch", &options, NULL, &report);
  expect_all_met("online-prefetch", &report);
  assert_int_equal(count_judged(&report), 21);
  assert_int_equal(report.drawings_count, 2);
  ls_study_report_close(&report);
}

static void any_number_of_processes_gives_the_same(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 2, .seed = 1, .processes = 1};
  struct ls_study_report alone, shared;
  run_study("online-prefetch", &options, NULL, &alone);
  options.processes = 3;
  run_study("online-prefetch", &options, NULL, &shared);
  expect_same_reports(&alone, &shared);
  ls_study_report_close(&alone);
  ls_study_report_close(&shared);
}

/* The means of two draws may contradict a statement; the recomputed means know what chance leaves.
 */
static void statements_are_not_judged_by_a_few_draws(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    struct ls_study_options options = {.sample = 2, .seed = seed, .processes = 1};
    struct ls_study_report report;
    run_study("online-prefetch", &options, NULL, &report);
    expect_all_met("online-prefetch", &report);
    assert_int_equal(count_judged(&report), 7);
    ls_study_report_close(&report);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_hold_over_ten_draws),
      cmocka_unit_test(any_number_of_processes_gives_the_same),
      cmocka_unit_test(statements_are_not_judged_by_a_few_draws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
