#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

static void the_sizes_are_the_load(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why;
  (void)state;
  scow_published(&platform, 4, 5);
  json_t *findings = analyse_with(&platform, 23, "last-round",
                                  "{\"units\": [7, 7, 0, 3.5], \"period\": 7.03}", &why);
  const json_t *sizes = json_object_get(findings, "z");
  double sum = 7 * json_number_value(json_object_get(findings, "auxiliary_workers"));
  for (size_t i = 0; i < 4; i++) sum += json_number_value(json_array_get(sizes, i));
  assert_int_equal(json_array_size(sizes), 4);
  expect_near(json_number_value(json_array_get(sizes, 2)), 0, 0);
  if (json_number_value(json_object_get(findings, "auxiliary_workers")) <= 2)
    expect_near(sum, 23, 1e-9);
  json_decref(findings);
  ls_platform_close(&platform);
}

static void arguments_are_checked_by_name(void **state) {
  static const char *const wrong[][2] = {
      {"{\"period\": 7}", "units is missing, expected a number for each of 4 workers"},
      {"{\"period\": 7, \"units\": [1, 2]}", "units has 2 numbers"},
      {"{\"period\": 7, \"units\": [0, 0, 0, 0]}", "units: no worker has units"},
      {"{\"units\": [1, 1, 1, 1]}", "period is missing, analysis last-round needs seconds > 0"},
      {"{\"period\": 0, \"units\": [1, 1, 1, 1]}", "period is 0, analysis last-round needs"}};
  struct ls_platform platform;
  (void)state;
  scow_published(&platform, 4, 11);
  const struct ls_analysis *analysis = ls_analysis_find("last-round");
  for (size_t i = 0; i < 5; i++) {
    struct ls_planner_setup setup = {.platform = &platform, .load = 10};
    struct ls_findings findings = {0};
    struct ls_planner_reason why;
    struct ls_error err = {0};
    ls_arguments_init(&setup.arguments, analysis->parameters);
    read_analysis_arguments(analysis, wrong[i][0], &setup.arguments);
    assert_int_equal(ls_analysis_run(analysis, &setup, &findings, &why, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i][1]));
    ls_arguments_close(&setup.arguments);
    ls_findings_close(&findings);
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sizes_are_the_load),
      cmocka_unit_test(arguments_are_checked_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
