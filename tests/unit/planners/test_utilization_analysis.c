#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

static void the_printed_rule_stands_beside_the_best(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_grid(&platform, 8, (struct ls_cost){1, 0.5}, (struct ls_cost){10, 1});
  json_t *findings = analyse_with(&platform, 0, "mu", "{\"period\": 12.9}", &why);
  expect_number(findings, "utilization", 1.9534883720930232);
  expect_number(findings, "idle", (2 - 1.9534883720930232) * 12.9);
  expect_number(findings, "utilization_theorem_8", 1.949612403100775);
  json_decref(findings);
  ls_platform_close(&platform);
}

static void costs_of_nothing_are_not_covered(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_grid(&platform, 2, (struct ls_cost){1, 0}, (struct ls_cost){10, 1});
  assert_null(analyse_with(&platform, 0, "mu", "{\"period\": 12.9}", &why));
  assert_non_null(strstr(why.text, "worker 0"));
  ls_platform_close(&platform);
}

static void a_period_must_be_given(void **state) {
  struct ls_platform platform;
  struct ls_planner_setup setup = {.platform = &platform};
  struct ls_findings findings = {0};
  struct ls_planner_reason why;
  struct ls_error err = {0};
  (void)state;
  scow_grid(&platform, 2, (struct ls_cost){1, 0.5}, (struct ls_cost){10, 1});
  const struct ls_analysis *analysis = ls_analysis_find("mu");
  ls_arguments_init(&setup.arguments, analysis->parameters);
  assert_int_equal(ls_analysis_run(analysis, &setup, &findings, &why, &err), LS_EINVAL);
  assert_string_equal(err.text, "period is missing, analysis mu needs seconds > 0");
  ls_findings_close(&findings);
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_printed_rule_stands_beside_the_best),
      cmocka_unit_test(costs_of_nothing_are_not_covered),
      cmocka_unit_test(a_period_must_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
