/* The published figures of the thesis on iterated batches. */
#include "study_fixture.h"

static const struct row {
  const char *name;
  uint64_t sample;
  size_t judged;
} rows[] = {{"adaptive-table-4-1", 0, 14},       {"adaptive-table-4-2", 0, 14},
            {"adaptive-table-5-1", 8, 2},        {"adaptive-table-5-2", 2, 2},
            {"adaptive-loss-probability", 0, 1}, {"adaptive-orders", 0, 6}};
enum { ROWS = sizeof rows / sizeof *rows };

static void published_figures_are_met(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    struct ls_study_options options = {.sample = rows[i].sample, .seed = 3, .processes = 1};
    struct ls_study_report report;
    run_study(rows[i].name, &options, NULL, &report);
    expect_all_met(rows[i].name, &report);
    assert_int_equal(count_judged(&report), rows[i].judged);
    ls_study_report_close(&report);
  }
}

static void reports_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 2, .seed = 8, .processes = 1};
  struct ls_study_report alone, shared;
  run_study("adaptive-table-5-1", &options, NULL, &alone);
  options.processes = 3;
  run_study("adaptive-table-5-1", &options, NULL, &shared);
  expect_same_reports(&alone, &shared);
  ls_study_report_close(&alone);
  ls_study_report_close(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_figures_are_met),
      cmocka_unit_test(reports_are_the_same_on_any_number_of_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
