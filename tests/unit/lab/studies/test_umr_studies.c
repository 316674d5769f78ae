/* The published figures of the UMR paper, on samples that take moments; the whole grid is for
 * `loadstar-lab study umr-table2`. */
#include "study_fixture.h"

/* Studies, a sample for a quick run, and how many drawings and judged figures they have at least.
 */
static const struct row {
  const char *name;
  uint64_t sample;
  size_t drawings, judged;
} rows[] = {
    {"umr-table2", 1500, 0, 75}, {"umr-table3", 1500, 0, 70}, {"umr-fig4", 60, 1, 0},
    {"umr-fig5", 60, 1, 0},      {"umr-fig6", 60, 1, 0},      {"umr-fig7", 60, 1, 0},
    {"umr-fig8", 60, 1, 1},      {"umr-fig9", 0, 1, 17},      {"umr-fig10", 0, 1, 16},
    {"umr-fig11", 40, 1, 11},    {"umr-fig12", 0, 1, 16},     {"umr-no-latency", 60, 0, 10},
    {"umr-gains", 100, 1, 2},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void samples_meet_what_is_published(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    struct ls_study_options options = {.sample = rows[i].sample, .seed = 3, .processes = 1};
    struct ls_study_report report;
    run_study(rows[i].name, &options, NULL, &report);
    expect_all_met(rows[i].name, &report);
    assert_true(count_judged(&report) >= rows[i].judged);
    assert_int_equal(report.drawings_count, rows[i].drawings);
    for (size_t j = 0; j < report.drawings_count; j++) {
      assert_non_null(strstr(ls_bytes_text(&report.drawings[j].svg), "<polyline"));
      assert_null(strstr(ls_bytes_text(&report.drawings[j].svg), "nan"));
    }
    ls_study_report_close(&report);
  }
}

/* Every mean is judged, by its own standard error. */
static void figure_11_is_judged_by_its_own_error(void **state) {
  (void)state;
  struct ls_study_options options = {.seed = 1, .processes = 2};
  struct ls_study_report report;
  run_study("umr-fig11", &options, NULL, &report);
  expect_all_met("umr-fig11", &report);
  assert_int_equal(count_judged(&report), 10 + 2);
  for (size_t i = 0; i < report.figures_count; i++)
    assert_false(report.figures[i].expected.tolerance > 0.016);
  ls_study_report_close(&report);
}

static void reports_are_the_same_on_any_number_of_processes(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    struct ls_study_options options = {.sample = rows[i].sample, .seed = 8, .processes = 1};
    struct ls_study_report alone, shared;
    run_study(rows[i].name, &options, NULL, &alone);
    options.processes = 3;
    run_study(rows[i].name, &options, NULL, &shared);
    expect_same_reports(&alone, &shared);
    ls_study_report_close(&alone);
    ls_study_report_close(&shared);
  }
}

static void both_replays_give_the_same_table(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 400, .seed = 5, .processes = 2};
  struct ls_study_report batch, general;
  run_study("umr-table2", &options, "replay=batch", &batch);
  run_study("umr-table2", &options, "replay=general", &general);
  expect_same_reports(&batch, &general);
  ls_study_report_close(&batch);
  ls_study_report_close(&general);
}

static void the_seed_decides_the_sample(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 200, .seed = 1, .processes = 1};
  struct ls_study_report first, second;
  run_study("umr-table3", &options, NULL, &first);
  options.seed = 2;
  run_study("umr-table3", &options, NULL, &second);
  assert_string_not_equal(ls_bytes_text(&first.text), ls_bytes_text(&second.text));
  ls_study_report_close(&first);
  ls_study_report_close(&second);
}

/* A sample is judged by wider tolerances, and the report says so; the wins of a table sum up. */
static void a_sampled_table_is_consistent(void **state) {
  (void)state;
  struct ls_study_options options = {.sample = 300, .seed = 4, .processes = 1};
  struct ls_study_report report;
  static const char *const names[] = {"UMR",  "MI-1", "MI-2", "MI-3", "MI-4",
                                      "MI-5", "MI-6", "MI-7", "MI-8", "One-Batch"};
  double ranks = 0;
  run_study("umr-table2", &options, NULL, &report);
  assert_non_null(strstr(ls_bytes_text(&report.text), "widened by four standard errors"));
  assert_non_null(strstr(ls_bytes_text(&report.text), "300 configurations"));
  for (size_t i = 0; i < 10; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s: rank", names[i]);
    ranks += find_figure(&report, name);
    snprintf(name, sizeof name, "%s: degradation from best, %%", names[i]);
    assert_true(find_figure(&report, name) >= 0);
  }
  assert_true(fabs(ranks - 45) < 1e-9);
  ls_study_report_close(&report);
}

/* The error of five cases is not known, so they are shown and not judged. */
static void tiny_samples_are_not_judged(void **state) {
  (void)state;
  static const char *const names[] = {"umr-table2", "umr-table3", "umr-no-latency", "umr-fig11"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct ls_study_options options = {.sample = 5, .seed = 1, .processes = 1};
    struct ls_study_report report;
    run_study(names[i], &options, NULL, &report);
    assert_true(report.figures_count > 0);
    assert_int_equal(count_judged(&report), 0);
    ls_study_report_close(&report);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_meet_what_is_published),
      cmocka_unit_test(figure_11_is_judged_by_its_own_error),
      cmocka_unit_test(reports_are_the_same_on_any_number_of_processes),
      cmocka_unit_test(both_replays_give_the_same_table),
      cmocka_unit_test(the_seed_decides_the_sample),
      cmocka_unit_test(a_sampled_table_is_consistent),
      cmocka_unit_test(tiny_samples_are_not_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
