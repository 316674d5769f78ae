#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "studies/study.h"

static const double none = (double)NAN;

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

static void a_figure_within_its_tolerance_is_met(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  assert_true(ls_study_compare(&report, "near", 1.00, 1.004, 0.005));
  /* 1.1 - 1 is a little more than 0.1 in binary numbers; that must not decide. */
  assert_true(ls_study_compare(&report, "on the edge", 1, 1.1, 0.1));
  assert_true(ls_study_compare(&report, "exactly", 7, 7, 0));
  assert_false(ls_study_compare(&report, "too much", 1.00, 1.006, 0.005));
  assert_false(ls_study_compare(&report, "too little", 1.00, 0.994, 0.005));
  assert_int_equal(report.figures_count, 5);
  assert_int_equal(ls_study_missed(&report), 2);
  assert_string_equal(report.figures[3].name, "too much");
  assert_true(ls_study_figure_is_judged(&report.figures[3]));
  assert_false(ls_study_figure_is_met(&report.figures[3]));
  ls_study_report_close(&report);
}

static void without_a_published_value_or_a_tolerance_nothing_is_judged(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  assert_true(ls_study_compare(&report, "for information", none, 3, 0.1));
  assert_true(ls_study_compare(&report, "shown only", 1, 3, none));
  assert_false(ls_study_figure_is_judged(&report.figures[0]));
  assert_false(ls_study_figure_is_judged(&report.figures[1]));
  assert_int_equal(ls_study_missed(&report), 0);
  ls_study_report_close(&report);
}

static void a_value_of_ours_that_is_no_number_misses(void **state) {
  (void)state;
  struct ls_study_report report = {0};
  assert_false(ls_study_compare(&report, "nan", 1, none, 0.1));
  assert_false(ls_study_compare(&report, "infinite", 1, (double)INFINITY, 0.1));
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
      cmocka_unit_test(without_a_published_value_or_a_tolerance_nothing_is_judged),
      cmocka_unit_test(a_value_of_ours_that_is_no_number_misses),
      cmocka_unit_test(a_drawing_is_taken_over),
      cmocka_unit_test(a_drawing_that_ran_out_of_memory_fails_the_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
