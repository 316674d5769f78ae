/* The workers of each iteration as a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/report.h"

static void each_iteration_is_a_row(void **state) {
  struct ls_sizing_row rows[] = {{.units = 32,
                                  .wanted = 8,
                                  .granted = 7,
                                  .present = 6.5,
                                  .seconds = 2,
                                  .efficiency = 0.5,
                                  .asp = 4,
                                  .ideal_from = 3,
                                  .ideal_to = 5},
                                 {.iteration = 1, .units = 9, .wanted = 4, .granted = 4}};
  const struct ls_sizing_course course = {.rows = rows, .count = 2};
  struct ls_bytes text = {0};
  (void)state;
  ls_report_sizing(&course, &text);
  assert_string_equal(
      ls_bytes_text(&text),
      "  iteration   units  wanted  granted  present    time s  effic.     EER s    asp  ideal\n"
      "          1      32       8        7     6.50         2   50.0%         4      4  3-5\n"
      "          2       9       4        4     0.00         0    0.0%         0\n");
  ls_bytes_close(&text);
}

/* The first, the last, and what lies between them at equal distances. */
static void of_many_iterations_some_are_shown(void **state) {
  static struct ls_sizing_row rows[49];
  const struct ls_sizing_course course = {.rows = rows, .count = 49};
  struct ls_bytes text = {0};
  (void)state;
  for (uint32_t i = 0; i < 49; i++) rows[i].iteration = i;
  ls_report_sizing(&course, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "\n          1 "));
  assert_null(strstr(ls_bytes_text(&text), "\n          2 "));
  assert_non_null(strstr(ls_bytes_text(&text), "\n          3 "));
  assert_non_null(strstr(ls_bytes_text(&text), "\n         49 "));
  assert_non_null(strstr(ls_bytes_text(&text), "25 of 49 iterations"));
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_iteration_is_a_row),
                                     cmocka_unit_test(of_many_iterations_some_are_shown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
