/* Which of UMR, RUMR and factoring wins when predictions err. */
#include "study_fixture.h"

static void judged_numbers_are_met_whatever_the_seed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    struct ls_study_options options = {.seed = seed, .processes = 1};
    struct ls_study_report report;
    run_study("rumr-errors", &options, NULL, &report);
    expect_all_met("rumr-errors", &report);
    assert_int_equal(count_judged(&report), 15);
    assert_int_equal(report.drawings_count, 1);
    ls_study_report_close(&report);
  }
}

/* The larger the error, the more RUMR gains on UMR's plan. */
static void robustness_pays_more_the_larger_the_error(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 3, .processes = 2};
  struct ls_study_report report;
  double before = HUGE_VAL;
  run_study("rumr-errors", &options, NULL, &report);
  for (int i = 0; i < 6; i++) {
    char name[64];
    snprintf(name, sizeof name, "error %g: RUMR over UMR", 0.05 * (2 * i));
    double ratio = find_figure(&report, name);
    assert_true(ratio < before);
    before = ratio;
  }
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(judged_numbers_are_met_whatever_the_seed),
      cmocka_unit_test(robustness_pays_more_the_larger_the_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
