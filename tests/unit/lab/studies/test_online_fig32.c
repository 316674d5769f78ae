/* Figure 3.2 of the thesis on Monitor. */
#include "study_fixture.h"

static void the_figure_follows_from_its_rules(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 1, .processes = 1};
  struct ls_study_report report;
  run_study("online-figure-3-2", &options, NULL, &report);
  expect_all_met("online-figure-3-2", &report);
  assert_int_equal(count_judged(&report), 9);
  /* The four numbers that contradict the figure's own rule are shown beside ours. */
  assert_non_null(strstr(ls_bytes_text(&report.text), "7 3 2(1) 1(2) 1(2)"));
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_figure_follows_from_its_rules)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
