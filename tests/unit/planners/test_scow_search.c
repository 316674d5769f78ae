#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "model/validate.h"
#include "planners/scow/scow_search.h"
#include "scow_fixture.h"

static void a_search_keeps_its_best(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_search search;
  struct ls_budget budget = {0};
  (void)state;
  scow_published(&platform, 12, 11);
  scow_star(&platform, &star);
  struct ls_planner_setup setup = {.platform = &platform, .load = 1000, .is_whole = true};
  assert_int_equal(ls_scow_search_open(&search, &setup, &star, &budget, NULL), LS_OK);
  assert_true(isinf(search.best_s));
  assert_int_equal(ls_scow_search_single(&search, NULL), LS_OK);
  double single_s = search.best_s;
  assert_int_equal(search.best.keep, 0);
  assert_int_equal(ls_scow_search_period(&search, 8.03, SIZE_MAX, true, NULL), LS_OK);
  assert_true(search.best_s < single_s && search.best.keep > 0);
  double best_s = search.best_s;
  assert_int_equal(ls_scow_search_period(&search, 60, SIZE_MAX, true, NULL), LS_OK);
  expect_near(search.best_s, best_s, 0);
  /* Nothing fits into a period of nothing. */
  assert_int_equal(ls_scow_search_period(&search, 0.01, SIZE_MAX, true, NULL), LS_OK);
  expect_near(search.best_s, best_s, 0);
  ls_scow_search_close(&search);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* One result of each worker: they end apart, and the plan is that much shorter. */
static void constant_results_return_once_each(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_published(&platform, 11, 11);
  for (size_t i = 0; i < 11; i++) platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.2;
  scow_plan(&platform, 1000, false, "scow", &plan);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  assert_int_equal(plan.returns_count, 11);
  double ends[11], first_s = HUGE_VAL, last_s = 0;
  for (size_t i = 0; i < 11; i++) {
    ends[i] = plan.chunks[plan.returns[i]].compute_end_s;
    first_s = fmin(first_s, ends[i]);
    last_s = fmax(last_s, ends[i]);
  }
  assert_true(last_s - first_s > 1);
  assert_true(plan.makespan_s < last_s + 0.5);
  ls_plan_close(&plan);
  /* Millions of chunks are a body and what is left, with one result of each worker. */
  scow_plan(&platform, 1e8, true, "scow:window=1-50", &plan);
  assert_true(ls_plan_repeats(&plan) && plan.returns_count == 11);
  assert_true(plan.chunks_count < 50 && ls_plan_messages(&plan) > 1000000);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static bool stop_at_once(void *context) {
  (void)context;
  return true;
}

static void little_work_gives_a_plan_all_the_same(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_published(&platform, 12, 11);
  struct ls_planner_setup setup = {
      .platform = &platform, .load = 1000, .budget = {.stop = stop_at_once}};
  ls_arguments_init(&setup.arguments, ls_planner_find("scow")->parameters);
  assert_int_equal(ls_planner_run(ls_planner_find("scow"), &setup, NULL, &plan, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "stopped", 0) > 0);
  expect_near(ls_plan_get(&plan, "replays", 0), 1, 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_search_keeps_its_best),
      cmocka_unit_test(constant_results_return_once_each),
      cmocka_unit_test(little_work_gives_a_plan_all_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
