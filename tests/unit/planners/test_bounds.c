#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"

static void work_over_speed_and_the_link_are_told(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.05;
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5;
  }
  json_t *findings = analyse_platform(&platform, 100, "bounds", &why);
  expect_number(findings, "speed", 8);
  expect_number(findings, "network", 20);
  assert_true(json_number_value(json_object_get(findings, "lower_bound")) >= 12.5);
  assert_true(json_string_length(json_object_get(findings, "bound")) > 0);
  json_decref(findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(work_over_speed_and_the_link_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
