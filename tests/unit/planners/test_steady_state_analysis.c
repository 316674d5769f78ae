#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

static void rates_stand_by_worker(void **state) {
  static const double send[] = {4, 1, 3, 2}, compute[] = {1, 3, 2, 6};
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0, 1}, (struct ls_cost){0, 1});
  for (size_t i = 0; i < 4; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = send[i];
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = compute[i];
  }
  json_t *findings = analyse_platform(&platform, 0, "steady-state", &why);
  expect_number(findings, "throughput", 11.0 / 18);
  expect_number(findings, "full_workers", 2);
  const json_t *rates = json_object_get(findings, "rates");
  expect_near(json_number_value(json_array_get(rates, 0)), 0, 0);
  expect_near(json_number_value(json_array_get(rates, 1)), 1.0 / 3, 1e-12);
  expect_near(json_number_value(json_array_get(rates, 2)), 1.0 / 9, 1e-12);
  json_decref(findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_stand_by_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
