/* test_master.c: iterations of a run from their first unit to the report. */
#include "master_fixture.h"

static void every_unit_is_merged_once_under_every_policy(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed) continue;
    for (size_t workers = 1; workers <= 3; ++workers) {
      struct tally tally = {.units = 501, .iterations = 1, .threads_count = workers};
      struct ls_master_options options = make_options(&tally, &joint_app, ls_chunkings[i]->name);
      struct ls_master_report report;
      struct ls_error err = {0};
      if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
      expect_once(&tally, 1);
      assert_int_equal(tally.sum, 501 * 500 / 2);
      assert_int_equal(report.units_done, 501);
      assert_int_equal(report.workers_count, workers);
      assert_true(report.makespan_s > 0);
      ls_master_report_close(&report);
    }
  }
}

static void declared_times_reach_the_order(void **state) {
  double times[50];
  (void)state;
  for (size_t i = 0; i < 50; ++i) times[i] = (double)i;
  struct tally tally = {.units = 50, .iterations = 2, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  struct ls_error err = {0};
  options.config.ordering = ls_ordering_find("lptf");
  options.times = times;
  options.times_count = 50;
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 2);
  ls_master_report_close(&report);
  times[7] = -1;
  tally = (struct tally){.units = 50, .iterations = 1};
  assert_int_equal(run(&options, &tally, &report, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 7"));
  ls_master_report_close(&report);
}

static void workers_wanted_are_noted_for_each_iteration(void **state) {
  (void)state;
  struct tally tally = {.units = 2, .iterations = 3, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  options.config.sizing = ls_sizing_find("fixed");
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 3);
  assert_int_equal(report.wanted_count, 3);
  for (size_t i = 0; i < 3; ++i) assert_int_equal(report.wanted[i], 2);
  ls_master_report_close(&report);
}

static void every_iteration_is_complete_before_the_next(void **state) {
  (void)state;
  struct tally tally = {.units = 97, .iterations = 4, .threads_count = 2};
  struct ls_master_options options = make_options(&tally, &sound_app, "gss");
  options.config.ordering = ls_ordering_find("random");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  expect_once(&tally, 4);
  assert_int_equal(report.units_done, 4 * 97);
  ls_master_report_close(&report);
}

static void zero_units_are_a_finished_run(void **state) {
  (void)state;
  struct tally tally = {.units = 0, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "fac2");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  assert_int_equal(report.units_done, 0);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_merged_once_under_every_policy),
      cmocka_unit_test(declared_times_reach_the_order),
      cmocka_unit_test(workers_wanted_are_noted_for_each_iteration),
      cmocka_unit_test(every_iteration_is_complete_before_the_next),
      cmocka_unit_test(zero_units_are_a_finished_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
