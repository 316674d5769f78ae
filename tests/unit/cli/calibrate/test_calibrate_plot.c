#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate_fixture.h"
#include "cli/calibrate/calibrate_plot.h"

static size_t count_words(const char *text, const char *word) {
  size_t count = 0;
  for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) count++;
  return count;
}

/* Elements that begin also end: what a browser refuses otherwise. */
static void the_drawing_has_points_laws_windows_and_residuals(void **state) {
  (void)state;
  struct fixture fixture;
  struct ls_bytes out = {0};
  fixture_open(&fixture);
  assert_int_equal(ls_calibrate_draw(&fixture.result, &out, NULL), LS_OK);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(count_words(text, "<svg "), 3);
  assert_int_equal(count_words(text, "</svg>"), 3);
  assert_int_equal(count_words(text, "<g "), count_words(text, "</g>"));
  assert_non_null(strstr(text, "windows of 1 to 10, 11 to 20 units; the first of 2 groups"));
  assert_non_null(strstr(text, "compute, law"));
  assert_non_null(strstr(text, "What the measurements miss their laws by"));
  assert_null(strstr(text, "nan"));
  ls_bytes_close(&out);
  fixture_close(&fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_drawing_has_points_laws_windows_and_residuals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
