/* Strategies over the prefetch: Figures 5.5 to 5.8 of the thesis on Monitor. */
#include "study_fixture.h"

static void statements_hold_on_a_sample(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 3, .seed = 1, .processes = 1};
  struct ls_study_report alone, shared;
  run_study("online-prefetch", &options, NULL, &alone);
  expect_all_met("online-prefetch", &alone);
  assert_int_equal(count_judged(&alone), 11);
  assert_int_equal(alone.drawings_count, 2);
  options.processes = 3;
  run_study("online-prefetch", &options, NULL, &shared);
  expect_same_reports(&alone, &shared);
  ls_study_report_close(&alone);
  ls_study_report_close(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(statements_hold_on_a_sample)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
