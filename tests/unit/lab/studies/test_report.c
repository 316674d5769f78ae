#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/study.h"

static void text_is_collected_however_long(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  char *large = malloc(5000);
  assert_non_null(large);
  memset(large, 'x', 4999);
  large[4999] = '\0';
  ls_study_print(&report, "%d and %s\n", 3, "four");
  ls_study_print(&report, "%s", large);
  assert_int_equal(report.text.length, strlen("3 and four\n") + 4999);
  assert_memory_equal(ls_bytes_text(&report.text), "3 and four\nxxx", 14);
  assert_int_equal(report.failure.status, LS_OK);
  free(large);
  ls_study_report_close(&report);
}

static bool compare(struct ls_study_report *report, const char *name, double expected, double ours,
                    double tolerance) {
  return ls_study_compare(report, name, ls_study_near(LS_STUDY_PRINTED, expected, tolerance), ours);
}

static void a_figure_within_its_tolerance_is_met(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  assert_true(compare(&report, "near", 1.00, 1.004, 0.005));
  /* 1.1 - 1 is a little more than 0.1 in binary numbers; that must not decide. */
  assert_true(compare(&report, "on the edge", 1, 1.1, 0.1));
  assert_true(compare(&report, "exactly", 7, 7, 0));
  assert_false(compare(&report, "too much", 1.00, 1.006, 0.005));
  assert_false(compare(&report, "too little", 1.00, 0.994, 0.005));
  assert_int_equal(report.figures_count, 5);
  assert_int_equal(ls_study_missed(&report), 2);
  assert_string_equal(report.figures[3].name, "too much");
  assert_true(ls_study_figure_is_judged(&report.figures[3]));
  assert_false(ls_study_figure_is_met(&report.figures[3]));
  ls_study_report_close(&report);
}

static void a_bound_is_met_on_its_side(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  struct ls_study_expected most = ls_study_at_most(LS_STUDY_SPECIFIED, 1.2),
                           least = ls_study_at_least(LS_STUDY_SPECIFIED, 1.2);
  assert_true(ls_study_compare(&report, "below", most, 1.1));
  assert_true(ls_study_compare(&report, "on it", most, 1.2));
  assert_false(ls_study_compare(&report, "above", most, 1.21));
  assert_true(ls_study_compare(&report, "above", least, 1.21));
  assert_false(ls_study_compare(&report, "below", least, 1.1));
  assert_false(ls_study_compare(&report, "no number", most, (double)NAN));
  assert_false(ls_study_compare(&report, "no number", least, (double)NAN));
  assert_int_equal(ls_study_missed(&report), 4);
  ls_study_report_close(&report);
}

/* Whose a value is stays with it, and what is not judged says why. */
static void what_is_not_judged_says_why(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  struct ls_study_expected judged = ls_study_near(LS_STUDY_RECOMPUTED, 1, 0.1);
  ls_study_show(&report, "ours alone", 3);
  assert_true(ls_study_compare(&report, "shown only",
                               ls_study_unjudged(LS_STUDY_PRINTED, 1, "its images are lost"), 3));
  assert_true(ls_study_compare(&report, "a few cases", ls_study_judged_if(false, judged), 3));
  assert_true(ls_study_compare(&report, "fewer still",
                               ls_study_near(LS_STUDY_SPECIFIED, 1, (double)NAN), 3));
  assert_false(ls_study_compare(&report, "all cases", ls_study_judged_if(true, judged), 3));
  struct ls_study_expected lost = ls_study_unjudged(LS_STUDY_PRINTED, 1, "its images are lost");
  assert_true(ls_study_compare(&report, "few, and shown only", ls_study_judged_if(false, lost), 3));
  assert_string_equal(report.figures[5].expected.why_not, "its images are lost");
  assert_int_equal(ls_study_missed(&report), 1);
  assert_null(report.figures[0].expected.why_not);
  assert_string_equal(report.figures[1].expected.why_not, "its images are lost");
  for (size_t i = 2; i < 4; i++)
    assert_string_equal(report.figures[i].expected.why_not, "too few cases take part");
  for (size_t i = 0; i < 4; i++) assert_false(ls_study_figure_is_judged(&report.figures[i]));
  static const char *const origins[] = {"", "printed", "recomputed", "specified", "recomputed"};
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(ls_study_origin_names[report.figures[i].expected.origin], origins[i]);
  ls_study_report_close(&report);
}

static void a_value_of_ours_that_is_no_number_misses(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  assert_false(compare(&report, "nan", 1, (double)NAN, 0.1));
  assert_false(compare(&report, "infinite", 1, (double)INFINITY, 0.1));
  assert_int_equal(ls_study_missed(&report), 2);
  ls_study_report_close(&report);
}

static void a_drawing_is_taken_over(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  struct ls_bytes svg = {0};
  ls_bytes_append_text(&svg, "<svg/>");
  ls_study_draw(&report, "a.svg", &svg);
  assert_null(svg.data);
  assert_int_equal(report.drawings_count, 1);
  assert_string_equal(report.drawings[0].name, "a.svg");
  assert_string_equal(ls_bytes_text(&report.drawings[0].svg), "<svg/>");
  ls_study_report_close(&report);
  assert_int_equal(report.drawings_count, 0);
}

static void a_drawing_that_ran_out_of_memory_fails_the_report(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  struct ls_bytes svg = {.failed = true};
  ls_study_draw(&report, "a.svg", &svg);
  assert_int_equal(report.drawings_count, 0);
  assert_int_equal(report.failure.status, LS_ENOMEM);
  /* Sticky: what comes later does not hide it. */
  ls_study_print(&report, "more");
  assert_int_equal(report.failure.status, LS_ENOMEM);
  ls_study_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_collected_however_long),
      cmocka_unit_test(a_figure_within_its_tolerance_is_met),
      cmocka_unit_test(a_bound_is_met_on_its_side),
      cmocka_unit_test(what_is_not_judged_says_why),
      cmocka_unit_test(a_value_of_ours_that_is_no_number_misses),
      cmocka_unit_test(a_drawing_is_taken_over),
      cmocka_unit_test(a_drawing_that_ran_out_of_memory_fails_the_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
