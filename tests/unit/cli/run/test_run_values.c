#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_options.h"
#include "cli/run/run_values.h"

static void speeds_are_read_in_their_order_and_replace_others(void **state) {
  (void)state;
  double *speeds = NULL;
  size_t count = 0;
  assert_int_equal(ls_run_speeds_read("1,0.5,1e-6", &speeds, &count, NULL), LS_OK);
  assert_int_equal(count, 3);
  assert_true(fabs(speeds[0] - 1) < 1e-15 && fabs(speeds[1] - 0.5) < 1e-15);
  assert_int_equal(ls_run_speeds_read("0.25", &speeds, &count, NULL), LS_OK);
  assert_int_equal(count, 1);
  assert_true(fabs(speeds[0] - 0.25) < 1e-15);
  free(speeds);
}

static void load_patterns_have_a_name_and_perhaps_a_duration(void **state) {
  (void)state;
  struct ls_load_pattern pattern = {.busy = 0.25};
  assert_int_equal(ls_run_load_pattern_read("seven", &pattern, NULL), LS_OK);
  assert_int_equal(pattern.kind, LS_PATTERN_SEVEN);
  assert_true(fabs(pattern.duration_s - 60) <= 0 && fabs(pattern.busy - 0.25) <= 0);
  assert_int_equal(ls_run_load_pattern_read("low-high-low:7.5", &pattern, NULL), LS_OK);
  assert_int_equal(pattern.kind, LS_PATTERN_LOW_HIGH_LOW);
  assert_true(fabs(pattern.duration_s - 7.5) <= 0);
  struct ls_error err = {0};
  assert_int_equal(ls_run_load_pattern_read("low", &pattern, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "--load-pattern is 'low', expected one of high-low, random, low-high-low, "
                      "high-low-high, low-random-low, low-high, random-low-random, seven, and "
                      "perhaps :SECONDS");
  assert_int_equal(ls_run_load_pattern_read("random:x", &pattern, &err), LS_EINVAL);
  assert_int_equal(pattern.kind, LS_PATTERN_LOW_HIGH_LOW);
}

static void bad_speeds_are_named_and_leave_what_was_there(void **state) {
  (void)state;
  static const char *const bad[] = {"", ",", "1,", "0", "1,nan", "1.5", "-1", "1,,1", "1 ,1"};
  double *speeds = NULL;
  size_t count = 0;
  assert_int_equal(ls_run_speeds_read("0.5", &speeds, &count, NULL), LS_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_run_speeds_read(bad[i], &speeds, &count, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--speeds"));
    assert_int_equal(count, 1);
    assert_true(fabs(speeds[0] - 0.5) < 1e-15);
  }
  free(speeds);
}

static void speeds_are_limited_in_number(void **state) {
  (void)state;
  struct ls_error err = {0};
  double *speeds = NULL;
  size_t count = 0, length = 2 * LS_RUN_WORKERS_MAX;
  char *text = malloc(length + 2);
  assert_non_null(text);
  for (size_t i = 0; i <= length; i++) text[i] = i % 2 == 0 ? '1' : ',';
  text[length + 1] = '\0';
  assert_int_equal(ls_run_speeds_read(text, &speeds, &count, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "expected at most"));
  text[length - 1] = '\0';
  assert_int_equal(ls_run_speeds_read(text, &speeds, &count, NULL), LS_OK);
  assert_int_equal(count, LS_RUN_WORKERS_MAX);
  free(speeds);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speeds_are_read_in_their_order_and_replace_others),
      cmocka_unit_test(load_patterns_have_a_name_and_perhaps_a_duration),
      cmocka_unit_test(bad_speeds_are_named_and_leave_what_was_there),
      cmocka_unit_test(speeds_are_limited_in_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
