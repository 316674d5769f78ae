#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

static void a_constraint_costs_something(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_published(&platform, 60, 22);
  json_t *mp = analyse_platform(&platform, 1000, "optimum", &why);
  json_t *pwu = analyse_with(&platform, 1000, "optimum", "{\"constraint\": \"pwu\"}", &why);
  expect_number(pwu, "model_makespan", 53.70423444976075);
  expect_number(pwu, "workers", 20);
  assert_true(json_number_value(json_object_get(mp, "model_makespan")) <= 53.70423444976076);
  json_decref(mp);
  json_decref(pwu);
  ls_platform_close(&platform);
}

static void a_load_without_a_period_is_said_so(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_published(&platform, 60, 22);
  json_t *findings = analyse_platform(&platform, 0.5, "optimum", &why);
  assert_true(json_is_false(json_object_get(findings, "found")));
  json_decref(findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constraint_costs_something),
      cmocka_unit_test(a_load_without_a_period_is_said_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
