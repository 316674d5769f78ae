#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "scow_fixture.h"

/* Example 1 of the thesis, its laws recovered. */
static void open_example(struct ls_platform *platform) {
  static const struct ls_cost send[] = {{1, 1.6}, {1, 1.7}, {1, 1.9}};
  static const struct ls_cost compute[] = {{2, 3}, {2, 4}, {1, 2}};
  scow_grid(platform, 3, send[0], compute[0]);
  for (size_t i = 1; i < 3; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = send[i];
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = compute[i];
  }
}

static void the_example_comes_out(void **state) {
  static const struct {
    const char *arguments;
    double total;
  } published[] = {{"{\"period\": 7}", 3},
                   {"{\"period\": 9}", 4.083333333333333},
                   {"{\"period\": 27}", 14.605263157894736}};
  struct ls_platform platform;
  (void)state;
  open_example(&platform);
  for (size_t i = 0; i < 3; i++) {
    struct ls_planner_reason why;
    json_t *findings = analyse_with(&platform, 0, "mp", published[i].arguments, &why);
    expect_number(findings, "total", published[i].total);
    assert_true(json_is_true(json_object_get(findings, "proven")));
    assert_int_equal(json_array_size(json_object_get(findings, "greedy_units")), 3);
    json_decref(findings);
  }
  ls_platform_close(&platform);
}

static void a_period_must_be_given(void **state) {
  struct ls_platform platform;
  struct ls_planner_setup setup = {.platform = &platform};
  struct ls_findings findings = {0};
  struct ls_planner_reason why;
  struct ls_error err = {0};
  (void)state;
  open_example(&platform);
  const struct ls_analysis *analysis = ls_analysis_find("mp");
  ls_arguments_init(&setup.arguments, analysis->parameters);
  assert_int_equal(ls_analysis_run(analysis, &setup, &findings, &why, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "period"));
  ls_findings_close(&findings);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_comes_out),
      cmocka_unit_test(a_period_must_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
