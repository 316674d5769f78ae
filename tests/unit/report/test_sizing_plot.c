/* The iterations as a drawing of three panels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/report.h"

static size_t count_text(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) count++;
  return count;
}

static void workers_efficiency_and_time_are_lines_of_three_panels(void **state) {
  struct ls_sizing_row rows[] = {
      {.wanted = 8, .granted = 6, .present = 5.5, .efficiency = 0.5, .seconds = 40},
      {.iteration = 1, .wanted = 4, .granted = 6, .present = 6, .efficiency = 0.8, .seconds = 32},
      {.iteration = 2, .wanted = 3, .granted = 3, .present = 3, .efficiency = 1, .seconds = 50}};
  const struct ls_sizing_course course = {.rows = rows, .count = 3};
  struct ls_bytes out = {0};
  (void)state;
  ls_report_sizing_plot(&course, "thinning", &out);
  assert_false(out.failed);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(count_text(text, "<polyline"), 5);
  assert_int_equal(count_text(text, "<g transform="), 3);
  assert_int_equal(count_text(text, "<svg"), count_text(text, "</svg>"));
  assert_non_null(strstr(text, ">efficiency<"));
  assert_non_null(strstr(text, ">percent<"));
  assert_non_null(strstr(text, ">time<"));
  assert_non_null(strstr(text, ">seconds<"));
  assert_non_null(strstr(text, ">thinning<"));
  assert_non_null(strstr(text, ">wanted<"));
  assert_non_null(strstr(text, ">granted<"));
  assert_non_null(strstr(text, ">at work, mean<"));
  assert_non_null(strstr(text, ">iteration<"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_efficiency_and_time_are_lines_of_three_panels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
