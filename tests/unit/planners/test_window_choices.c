/* test_window_choices.c: of several windows of each worker a plan keeps to the ones that end first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay.h"
#include "model/validate.h"
#include "model/windows.h"
#include "planners/analysis.h"
#include "planners/planner.h"
#include "planners/window_choices.h"

/* Small chunks start soon, large ones cost half as much a unit. */
static void give_windows(struct ls_platform *platform, size_t worker, double compute_s) {
  struct ls_window windows[2] = {{.from = 1, .to = 40}, {.from = 50, .to = 1000}};
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.1, compute_s};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){20, compute_s / 2};
  for (size_t i = 0; i < 2; i++)
    windows[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.01, 0.02};
  assert_int_equal(ls_platform_set_windows(platform, &platform->workers[worker], windows, 2, NULL),
                   LS_OK);
}

static void open_platform(struct ls_platform *platform, size_t workers) {
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
  for (size_t i = 0; i < workers; i++) give_windows(platform, i, 1);
}

static void plan_as(const struct ls_platform *platform, double load, const char *name,
                    struct ls_plan *plan) {
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  const struct ls_planner *planner;
  struct ls_error err = {0};
  assert_int_equal(ls_planner_parse(name, &planner, &setup, &err), LS_OK);
  if (ls_planner_run(planner, &setup, NULL, plan, &err) != LS_OK) fail_msg("%s", err.text);
  ls_arguments_close(&setup.arguments);
}

static const char *find_windows(const struct ls_plan *plan) {
  for (size_t i = 0; i < plan->parameters_count; i++)
    if (strcmp(plan->parameters[i].name, "windows") == 0) return plan->parameters[i].json;
  return "";
}

static void little_goes_into_small_chunks_and_much_into_large_ones(void **state) {
  (void)state;
  static const char *const names[] = {"umr", "scow", "best", "xmi", "one-round"};
  struct ls_platform platform;
  open_platform(&platform, 3);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct ls_plan small, large;
    plan_as(&platform, 60, names[i], &small);
    plan_as(&platform, 2000, names[i], &large);
    assert_int_equal(small.outcome, LS_PLAN_OK);
    assert_int_equal(large.outcome, LS_PLAN_OK);
    assert_string_equal(find_windows(&small),
                        "[{\"worker\": 0, \"workers\": 3, \"from\": 1, \"to\": 40}]");
    assert_string_equal(find_windows(&large),
                        "[{\"worker\": 0, \"workers\": 3, \"from\": 50, \"to\": 1000}]");
    assert_int_equal(ls_validate_plan(&small, &platform, NULL), LS_OK);
    assert_int_equal(ls_validate_plan(&large, &platform, NULL), LS_OK);
    ls_plan_close(&small);
    ls_plan_close(&large);
  }
  ls_platform_close(&platform);
}

/* The plan is none worse than that of any platform with one window of each worker: two workers of
 * unlike kinds have four. */
static void all_combinations_of_few_kinds_are_tried(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  give_windows(&platform, 1, 6);
  for (double load = 30; load < 2000; load *= 1.7) {
    struct ls_plan plan, one;
    double least_s = (double)INFINITY;
    plan_as(&platform, load, "one-round", &plan);
    for (size_t n = 0; n < 4; n++) {
      struct ls_worker_model workers[2];
      struct ls_platform left = platform;
      memcpy(workers, platform.workers, sizeof workers);
      ls_worker_take_window(&workers[0], n % 2);
      ls_worker_take_window(&workers[1], n / 2);
      left.workers = workers;
      plan_as(&left, load, "one-round", &one);
      if (one.outcome == LS_PLAN_OK) least_s = fmin(least_s, one.makespan_s);
      ls_plan_close(&one);
    }
    assert_true(isfinite(least_s) == (plan.outcome == LS_PLAN_OK));
    if (isfinite(least_s)) assert_true(fabs(plan.makespan_s - least_s) <= 1e-12 * least_s);
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

/* Ten kinds have 1024 combinations: the cheapest windows, and the n-th of all. */
static void many_kinds_are_planned_too(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 10);
  for (size_t i = 0; i < 10; i++) give_windows(&platform, i, 1 + 0.1 * (double)i);
  for (double load = 100; load < 1e5; load *= 10) {
    struct ls_plan plan;
    plan_as(&platform, load, "umr-best", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
    assert_non_null(strstr(find_windows(&plan), load < 500 ? "\"to\": 40" : "\"to\": 1000"));
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

static void a_refusal_gives_the_reason_of_the_planner(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2);
  plan_as(&platform, 100, "mi", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_string_equal(plan.why, "the number of installments is not given (mi:X)");
  ls_plan_close(&plan);
  /* Less than the least chunk. */
  plan_as(&platform, 0.5, "one-round", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "outside its window, 50 to 1000"));
  assert_non_null(strstr(plan.why, "; nor in other windows"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Only in the windows that were taken. */
static void nothing_is_proven_of_several_windows(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) {
    struct ls_window windows[2];
    memcpy(windows, platform.workers[i].windows, sizeof windows);
    for (size_t k = 0; k < 2; k++) windows[k].costs[LS_OPERATION_REPLY].per_unit_s = 0.01;
    assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[i], windows, 2, NULL),
                     LS_OK);
  }
  plan_as(&platform, 300, "returns-exact", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "proven", 1) <= 0);
  assert_false(ls_plan_has(&plan, "search_gap"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void an_analysis_takes_the_window_of_least_cost(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_one_window left;
  struct ls_findings findings = {.lines = {0}}, one = {.lines = {0}};
  struct ls_planner_reason why;
  open_platform(&platform, 2);
  struct ls_planner_setup setup = {.platform = &platform, .load = 100};
  const struct ls_analysis *analysis = ls_analysis_find("bounds");
  assert_int_equal(ls_analysis_run(analysis, &setup, &findings, &why, NULL), LS_OK);
  assert_int_equal(ls_one_window_open(&left, &platform, NULL), LS_OK);
  assert_true(left.platform.workers[1].window_from == 50);
  setup.platform = &left.platform;
  assert_int_equal(ls_analysis_run(analysis, &setup, &one, &why, NULL), LS_OK);
  assert_non_null(strstr(ls_bytes_text(&findings.json), "\"windows\": \"least cost\", "));
  assert_non_null(strstr(ls_bytes_text(&findings.json), ls_bytes_text(&one.json)));
  ls_one_window_close(&left);
  ls_findings_close(&findings);
  ls_findings_close(&one);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(little_goes_into_small_chunks_and_much_into_large_ones),
      cmocka_unit_test(all_combinations_of_few_kinds_are_tried),
      cmocka_unit_test(many_kinds_are_planned_too),
      cmocka_unit_test(a_refusal_gives_the_reason_of_the_planner),
      cmocka_unit_test(nothing_is_proven_of_several_windows),
      cmocka_unit_test(an_analysis_takes_the_window_of_least_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
