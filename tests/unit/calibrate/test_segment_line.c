#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/segment_line.h"

enum { SIZES = 90 };

static void a_line_is_found_beside_outliers(void **state) {
  (void)state;
  double units[SIZES], seconds[SIZES], deviations[SIZES], scratch[LS_SEGMENT_PAIRS_MAX];
  for (size_t i = 0; i < SIZES; i++) {
    units[i] = (double)i;
    seconds[i] = 3 + 0.5 * units[i] + (i % 7 == 0 ? 40 : 0);
    deviations[i] = 0.1;
  }
  struct ls_segment_data data = {units, seconds, deviations};
  struct ls_cost line = ls_segment_line(&data, 10, SIZES, NULL, scratch);
  assert_true(fabs(line.per_unit_s - 0.5) <= 1e-9 && fabs(line.latency_s - 3) <= 1e-9);
  assert_true(fabs(ls_segment_residual(&data, 14, &line) - 400) <= 1e-6);
}

static void what_is_left_out_does_not_count(void **state) {
  (void)state;
  double units[20], seconds[20], deviations[20], scratch[LS_SEGMENT_PAIRS_MAX];
  bool is_left_out[20];
  for (size_t i = 0; i < 20; i++) {
    units[i] = (double)i;
    is_left_out[i] = i % 3 != 0;
    seconds[i] = is_left_out[i] ? 100 * units[i] : 1 + 2 * units[i];
    deviations[i] = 1;
  }
  struct ls_segment_data data = {units, seconds, deviations};
  struct ls_cost line = ls_segment_line(&data, 0, 20, is_left_out, scratch);
  assert_true(fabs(line.per_unit_s - 2) <= 1e-9 && fabs(line.latency_s - 1) <= 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_found_beside_outliers),
      cmocka_unit_test(what_is_left_out_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
