/* The workers of each iteration as a drawing. */
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

static void wanted_granted_and_present_are_lines(void **state) {
  struct ls_sizing_row rows[] = {{.wanted = 8, .granted = 6, .present = 5.5},
                                 {.iteration = 1, .wanted = 4, .granted = 6, .present = 6},
                                 {.iteration = 2, .wanted = 3, .granted = 3, .present = 3}};
  const struct ls_sizing_course course = {.rows = rows, .count = 3};
  struct ls_bytes out = {0};
  (void)state;
  ls_report_sizing_plot(&course, "thinning", &out);
  assert_false(out.failed);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(count_text(text, "<polyline"), 3);
  assert_non_null(strstr(text, ">thinning<"));
  assert_non_null(strstr(text, ">wanted<"));
  assert_non_null(strstr(text, ">granted<"));
  assert_non_null(strstr(text, ">at work, mean<"));
  assert_non_null(strstr(text, ">iteration<"));
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wanted_granted_and_present_are_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
