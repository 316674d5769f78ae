/* test_drawn_plans.c: plans beside policies: which are taken, and why others are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "cli/drawn_plans.h"
#include "formats/platform_line.h"

static struct ls_platform open_platform(const char *line) {
  struct ls_platform platform;
  struct ls_error err = {.text = ""};
  if (ls_platform_read_line(&platform, (struct ls_text){line, strlen(line), "line"}, &err) != LS_OK)
    fail_msg("%s", err.text);
  return platform;
}

static void a_plan_of_a_planner_has_whole_units(void **state) {
  struct ls_platform platform = open_platform("3x(compute=0.1+1x, transfer=0.01+0.1x)");
  struct ls_drawn_plans plans = {0};
  struct ls_planner_limits limits = {.has_load = true, .load = 100};
  struct ls_error err = {.text = ""};
  (void)state;
  assert_int_equal(ls_drawn_plans_add_planner(&plans, "umr", &platform, &limits, &err), LS_OK);
  assert_int_equal(plans.count, 1);
  assert_string_equal(plans.names[0], "umr");
  for (size_t i = 0; i < plans.plans[0].chunks_count; i++) {
    double units = plans.plans[0].chunks[i].units;
    assert_true(units >= 1 && (double)(uint64_t)units >= units);
  }
  assert_int_equal(ls_drawn_plans_add_planner(&plans, "umrr", &platform, &limits, &err), LS_EINVAL);
  ls_drawn_plans_close(&plans);
  ls_platform_close(&platform);
}

static void a_planner_that_does_not_apply_says_why(void **state) {
  struct ls_platform platform =
      open_platform("(compute=1x,transfer=0.1x);(compute=2x,transfer=0.1x)");
  struct ls_drawn_plans plans = {0};
  struct ls_planner_limits limits = {.has_load = true, .load = 100};
  struct ls_error err = {.text = ""};
  (void)state;
  assert_int_equal(ls_drawn_plans_add_planner(&plans, "mi:3", &platform, &limits, &err), LS_OK);
  assert_int_equal(plans.count, 0);
  assert_non_null(strstr(ls_bytes_text(&plans.refusals), "mi:3: not applicable: "));
  ls_drawn_plans_close(&plans);
  ls_platform_close(&platform);
}

static void a_run_has_its_policies_and_the_plans(void **state) {
  static const char *const policies[] = {"ss", "gss"}, *const names[] = {"star"};
  struct ls_platform platform = open_platform("2x(compute=1x)");
  struct ls_policy_run run = {.grid = {.policies = {policies, 2}, .platform_names = {names, 1}}};
  struct ls_drawn_plans plans = {0};
  struct ls_planner_limits limits = {.has_load = true, .load = 10};
  struct ls_error err = {.text = ""};
  (void)state;
  assert_int_equal(ls_drawn_plans_add_planner(&plans, "one-round", &platform, &limits, &err),
                   LS_OK);
  assert_int_equal(ls_drawn_plans_join(&plans, true, &run, &err), LS_OK);
  assert_int_equal(run.grid.policies.count, 3);
  assert_null(ls_policy_grid_plan(&run.grid, 1));
  assert_ptr_equal(ls_policy_grid_plan(&run.grid, 2), &plans.plans[0]);
  ls_drawn_plans_close(&plans);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_of_a_planner_has_whole_units),
      cmocka_unit_test(a_planner_that_does_not_apply_says_why),
      cmocka_unit_test(a_run_has_its_policies_and_the_plans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
