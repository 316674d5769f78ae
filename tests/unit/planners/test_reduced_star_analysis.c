#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"

/* S/B of 0.5, 0.2, 0.6: in order 1, 0, 2, of which the first two stay below 1. */
static void workers_are_ordered_and_selected_by_the_ratio(void **state) {
  static const double ratios[] = {0.5, 0.2, 0.6};
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = ratios[i];
  json_t *findings = analyse_platform(&platform, 0, "reduced-star", &why);
  expect_number(findings, "theta", 1 / 1.3);
  assert_true(json_is_true(json_object_get(findings, "exact")));
  assert_true(json_is_false(json_object_get(findings, "identical")));
  const json_t *order = json_object_get(findings, "by_ratio");
  static const int expected[] = {1, 0, 2};
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(json_integer_value(json_array_get(order, i)), expected[i]);
  assert_int_equal(json_array_size(json_object_get(findings, "selected")), 2);
  json_decref(findings);
  platform.prepare.per_unit_s = 0.1;
  findings = analyse_platform(&platform, 0, "reduced-star", &why);
  assert_true(json_is_false(json_object_get(findings, "exact")));
  json_decref(findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_are_ordered_and_selected_by_the_ratio)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
