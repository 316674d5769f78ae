#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

/* Theorem 9: T_i = i kappa / (lambda - i). */
static void identical_workers_follow_the_closed_form(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_published(&platform, 60, 11);
  json_t *findings = analyse_platform(&platform, 0, "pump", &why);
  const json_t *workers = json_object_get(findings, "workers");
  const json_t *periods = json_object_get(findings, "periods");
  assert_int_equal(json_array_size(workers), 9);
  for (size_t k = 0; k < 9; k++) {
    double i = (double)json_integer_value(json_array_get(workers, k));
    expect_near(i, (double)k + 2, 0);
    expect_near(json_number_value(json_array_get(periods, k)), i * 0.3 / (11 - i), 1e-9);
  }
  const json_t *cells = json_object_get(findings, "partition");
  const json_t *last = json_array_get(cells, json_array_size(cells) - 1);
  assert_true(json_is_null(json_object_get(last, "to")));
  assert_int_equal(json_integer_value(json_object_get(last, "full_workers")), 10);
  json_decref(findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identical_workers_follow_the_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
