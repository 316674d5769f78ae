#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/validate.h"
#include "planners/returns/returns.h"
#include "returns_fixture.h"

static void too_many_workers_are_sent_to_the_search(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  struct ls_plan plan;
  ls_random_init(&random, 161, "exact");
  returns_make(&returns, &random, 13, 0, false);
  returns_plan(&returns, "returns-exact", 1, false, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "returns-search"));
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

struct patience {
  int asked, most;
};

static bool lose_patience(void *context) {
  struct patience *patience = context;
  return ++patience->asked > patience->most;
}

/* Whenever it is stopped there is a valid plan, with a gap that holds the optimum. */
static void a_stopped_search_gives_a_plan_and_its_gap(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 162, "exact");
  for (int most = 0; most < 40; most += 3) {
    struct ls_returns returns;
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_error err;
    struct patience patience = {.most = most};
    returns_make(&returns, &random, 6, (size_t)most, false);
    returns_platform(&returns, &platform);
    struct ls_planner_setup setup = {.platform = &platform,
                                     .load = 50,
                                     .budget = {.stop = lose_patience, .stop_context = &patience}};
    assert_int_equal(ls_planner_run(ls_planner_find("returns-exact"), &setup, NULL, &plan, &err),
                     LS_OK);
    if (ls_validate_plan(&plan, &platform, &err) != LS_OK) fail_msg("%s", err.text);
    double gap = ls_plan_get(&plan, "search_gap", (double)NAN);
    double found = ls_plan_get(&plan, "throughput", (double)NAN);
    double best = returns_throughput(&returns, "returns-exact");
    assert_true(gap >= 0);
    assert_true(found <= best * (1 + 1e-9) && found * (1 + gap) >= best * (1 - 1e-9));
    bool is_proven = ls_plan_get(&plan, "proven", (double)NAN) > 0;
    assert_int_equal(is_proven, patience.asked <= most);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
    ls_returns_close(&returns);
  }
}

/* Figure 4: neither FIFO nor LIFO; Figure 3: FIFO. */
static void it_says_which_kind_attains_the_optimum(void **state) {
  (void)state;
  struct ls_returns returns;
  struct ls_plan plan;
  returns_take(&returns, returns_figure4, 3);
  returns_plan(&returns, "returns-exact", 1, false, &plan);
  expect_near(ls_plan_get(&plan, "fifo_attains", (double)NAN), 0, 0);
  expect_near(ls_plan_get(&plan, "lifo_attains", (double)NAN), 0, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
  returns_take(&returns, returns_figure3, 3);
  returns_plan(&returns, "returns-exact", 1, false, &plan);
  expect_near(ls_plan_get(&plan, "fifo_attains", (double)NAN), 1, 0);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_many_workers_are_sent_to_the_search),
      cmocka_unit_test(a_stopped_search_gives_a_plan_and_its_gap),
      cmocka_unit_test(it_says_which_kind_attains_the_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
