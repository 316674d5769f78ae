#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "planners/planner.h"

/* The list ends, also while it holds nothing. */
static void every_planner_is_found_by_its_name(void **state) {
  (void)state;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    assert_ptr_equal(ls_planner_find(ls_planners[i]->name), ls_planners[i]);
    assert_true(strlen(ls_planners[i]->summary) > 0);
    assert_true(strlen(ls_planners[i]->reference) > 0);
    assert_non_null(ls_planners[i]->plan);
  }
}

static void an_unknown_planner_is_not_found(void **state) {
  (void)state;
  assert_null(ls_planner_find("no-such-planner"));
  assert_null(ls_planner_find(""));
}

/* One worker's share of a round is so many times the other's that it is no number. */
static void a_plan_that_loses_the_load_is_no_plan(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.003;
  platform.workers[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){2.5, 0};
  platform.workers[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){3, 1e-311};
  struct ls_planner_setup setup = {.platform = &platform, .load = 100};
  assert_int_equal(ls_planner_run(ls_planner_find("one-round"), &setup, NULL, &plan, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "one-round: the chunks are 0 units together, the load is 100"));
  ls_plan_close(&plan);
  assert_int_equal(ls_planner_run(ls_planner_find("best"), &setup, NULL, &plan, &err), LS_OK);
  assert_true(plan.makespan_s > 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* They would plan as if inputs cost nothing. */
static void no_planner_covers_workers_that_read_their_input(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0.05};
  platform.workers[1].costs[LS_OPERATION_STAGE].latency_s = 0.001;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    struct ls_planner_setup setup = {.platform = &platform, .load = 100};
    struct ls_plan plan;
    assert_int_equal(ls_planner_run(ls_planners[i], &setup, NULL, &plan, NULL), LS_OK);
    assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
    assert_non_null(strstr(plan.why, "stage"));
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

/* Whoever rounds: scow called it costs that are too far apart, periodic windows. */
static void half_a_unit_is_no_load_of_whole_units(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.3, 1};
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0.05};
  }
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    struct ls_planner_setup setup = {.platform = &platform, .load = 1000.5, .is_whole = true};
    struct ls_plan plan;
    struct ls_error err = {0};
    ls_arguments_init(&setup.arguments, ls_planners[i]->parameters);
    assert_int_equal(ls_planner_run(ls_planners[i], &setup, NULL, &plan, &err), LS_EINVAL);
    assert_string_equal(err.text, "load is 1000.5, must be a whole number <= 2^53 for whole units");
    ls_arguments_close(&setup.arguments);
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_planner_is_found_by_its_name),
      cmocka_unit_test(an_unknown_planner_is_not_found),
      cmocka_unit_test(no_planner_covers_workers_that_read_their_input),
      cmocka_unit_test(half_a_unit_is_no_load_of_whole_units),
      cmocka_unit_test(a_plan_that_loses_the_load_is_no_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
