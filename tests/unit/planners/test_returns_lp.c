#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_program.h"
#include "returns_fixture.h"

/* Runs returns-lp with lists as JSON; the status, and the throughput when it is LS_OK. */
static enum ls_status run_lp(const struct ls_returns *returns, const char *sends, const char *back,
                             const char *rows, double *throughput, struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  returns_platform(returns, &platform);
  assert_int_equal(ls_planner_parse("returns-lp", &planner, &setup, err), LS_OK);
  enum ls_status status = LS_OK;
  if (sends != NULL)
    status = ls_arguments_set(&setup.arguments, planner->parameters, "send_order", sends, err);
  if (status == LS_OK && back != NULL)
    status = ls_arguments_set(&setup.arguments, planner->parameters, "return_order", back, err);
  if (status == LS_OK && rows != NULL)
    status = ls_arguments_set(&setup.arguments, planner->parameters, "rows", rows, err);
  if (status == LS_OK) {
    status = ls_planner_run(planner, &setup, NULL, &plan, err);
    *throughput = ls_plan_get(&plan, "throughput", (double)NAN);
    ls_plan_close(&plan);
  }
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
  return status;
}

static void rows_of_unused_workers_count_when_asked(void **state) {
  (void)state;
  struct ls_returns returns;
  double throughput;
  returns_take(&returns, returns_trap, 3);
  assert_int_equal(run_lp(&returns, "[0,1,2]", "[2,0,1]", "all", &throughput, NULL), LS_OK);
  expect_near(throughput, 0.5, 1e-12);
  assert_int_equal(run_lp(&returns, "[0,1,2]", "[2,0,1]", NULL, &throughput, NULL), LS_OK);
  expect_near(throughput, 0.625, 1e-12);
  ls_returns_close(&returns);
}

static void absent_orders_are_fifo_as_listed(void **state) {
  (void)state;
  struct ls_returns returns;
  double throughput;
  returns_take(&returns, returns_figure3, 3);
  assert_int_equal(run_lp(&returns, NULL, NULL, NULL, &throughput, NULL), LS_OK);
  expect_near(throughput, 0.5, 1e-12);
  assert_int_equal(run_lp(&returns, "[0]", NULL, NULL, &throughput, NULL), LS_OK);
  expect_near(throughput, 1.0 / 3, 1e-12);
  assert_int_equal(run_lp(&returns, NULL, "[2,1,0]", NULL, &throughput, NULL), LS_OK);
  expect_near(throughput, 61.0 / 135, 1e-12);
  ls_returns_close(&returns);
}

/* A program of 100,000 workers would have 10^10 numbers. */
static void orders_of_too_many_workers_are_refused(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  double throughput;
  struct ls_random random;
  ls_random_init(&random, 1, "many");
  returns_make(&returns, &random, 2001, 0, false);
  returns_plan(&returns, "returns-lp", 1, false, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "2001 workers"));
  ls_plan_close(&plan);
  /* Of many some may be listed. */
  assert_int_equal(run_lp(&returns, "[2000,7]", NULL, NULL, &throughput, NULL), LS_OK);
  assert_true(throughput > 0);
  struct ls_scenario scenario;
  struct ls_error err = {0};
  assert_int_equal(ls_scenario_open(&scenario, returns.count, NULL), LS_OK);
  scenario.count = returns.count;
  assert_int_equal(ls_returns_program(&returns, &scenario, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "2001 workers"));
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
}

static void wrong_orders_are_named(void **state) {
  (void)state;
  static const struct {
    const char *sends, *back, *word;
  } wrong[] = {
      {"[0,1,3]", NULL, "send_order[2] is 3"},
      {"[0,1,1]", NULL, "send_order[2]: worker 1 is listed twice"},
      {"[0,1]", "[0,2]", "return_order[1] is 2"},
      {"[0,1]", "[0]", "return_order lists 1"},
      {"[0,1]", "[0,0]", "return_order[1]: worker 0 is listed twice"},
      {"[0,1,2,0]", NULL, "send_order lists 4"},
  };
  struct ls_returns returns;
  struct ls_error err;
  double throughput;
  returns_take(&returns, returns_figure3, 3);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(run_lp(&returns, wrong[i].sends, wrong[i].back, NULL, &throughput, &err),
                     LS_EINVAL);
    if (strstr(err.text, wrong[i].word) == NULL) fail_msg("%s: %s", wrong[i].word, err.text);
  }
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_unused_workers_count_when_asked),
      cmocka_unit_test(absent_orders_are_fifo_as_listed),
      cmocka_unit_test(orders_of_too_many_workers_are_refused),
      cmocka_unit_test(wrong_orders_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
