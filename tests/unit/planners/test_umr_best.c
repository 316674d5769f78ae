#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "umr_fixture.h"

enum { SEEDS = 150 };

/* Target 1. */
static void it_is_never_worse_than_umr(void **state) {
  (void)state;
  size_t better = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    double best_s = makespan_of(&scene, "umr-best"), umr_s = makespan_of(&scene, "umr");
    assert_true(best_s <= umr_s * (1 + 1e-12));
    assert_true(best_s <= makespan_of(&scene, "umr:1,selection=none") * (1 + 1e-12));
    better += best_s < umr_s * (1 - 1e-6);
    close_scene(&scene);
  }
  assert_true(better > 0);
}

/* It chooses by what rounding leaves; 50 rounds of a few units each are among the candidates. */
static void it_is_never_worse_than_umr_in_whole_units(void **state) {
  size_t better = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    double load = 1 + (double)(seed * seed % 300);
    double best_s = whole_makespan_of(&scene, load, "umr-best");
    double umr_s = whole_makespan_of(&scene, load, "umr");
    assert_true(best_s <= umr_s * (1 + 1e-12));
    better += best_s < umr_s * (1 - 1e-6);
    close_scene(&scene);
  }
  assert_true(better > 0);
}

/* Ten equal workers, 200 units: rounded by itself, each of 50 rounds went to the first workers, and
 * the plan took 58.1 s. */
static void equal_workers_keep_equal_shares(void **state) {
  struct scene scene;
  (void)state;
  open_grid(&scene, 10, 20, 0, 0.01);
  assert_true(whole_makespan_of(&scene, 200, "umr") < 20.7);
  assert_true(whole_makespan_of(&scene, 200, "umr-best") < 20.7);
  assert_true(whole_makespan_of(&scene, 200, "xmi") < 20.7);
  close_scene(&scene);
}

/* Every number of rounds in the platform's order and of the selection is among what it tries. */
static void no_number_of_rounds_is_better(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS / 5; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 6);
    double best_s = makespan_of(&scene, "umr-best"), least_s = HUGE_VAL;
    for (int rounds = 1; rounds <= 50; rounds++) {
      for (int set = 0; set < 2; set++) {
        struct ls_plan plan;
        char text[48];
        snprintf(text, sizeof text, "umr:%d,selection=%s", rounds, set == 0 ? "none" : "paper");
        plan_as(&scene, text, &plan);
        if (plan.outcome == LS_PLAN_OK) least_s = fmin(least_s, plan.makespan_s);
        ls_plan_close(&plan);
      }
    }
    assert_true(best_s <= least_s * (1 + 1e-12));
    if (scene.is_identical) require_close(&scene, "umr-best", best_s, least_s, 1e-12);
    close_scene(&scene);
  }
}

static void the_published_worst_case_is_cured(void **state) {
  struct scene scene;
  (void)state;
  open_grid(&scene, 15, 16, 0, 0.18);
  assert_true(is_close(makespan_of(&scene, "umr"), 106.29216383720133, 1e-9));
  assert_true(makespan_of(&scene, "umr-best") <= 83.11916174859721 * (1 + 1e-9));
  close_scene(&scene);
}

static bool stop_later(void *context) {
  return ++*(int *)context > 3;
}

static void plan_with(struct ls_planner_setup *setup, struct ls_plan *plan) {
  const struct ls_planner *planner;
  assert_int_equal(ls_planner_parse("umr-best", &planner, setup, NULL), LS_OK);
  assert_int_equal(ls_planner_run(planner, setup, NULL, plan, NULL), LS_OK);
  assert_int_equal(plan->outcome, LS_PLAN_OK);
}

static void a_stopped_search_says_so(void **state) {
  struct scene scene;
  struct ls_plan plan;
  int asked = 0;
  (void)state;
  open_grid(&scene, 5, 10, 0.1, 0.05);
  struct ls_planner_setup setup = {.platform = &scene.platform,
                                   .load = 1000,
                                   .budget = {.stop = stop_later, .stop_context = &asked}};
  plan_with(&setup, &plan);
  assert_true(ls_plan_get(&plan, "stopped", 0) > 0);
  assert_true(is_close(ls_plan_get(&plan, "replays", 0), 3, 0));
  ls_plan_close(&plan);
  setup.budget.stop = NULL;
  setup.budget.work_max = 1;
  plan_with(&setup, &plan);
  assert_true(ls_plan_get(&plan, "stopped", 0) > 0);
  assert_int_equal(plan.chunks_count, 5);
  ls_plan_close(&plan);
  setup.budget.work_max = 0;
  plan_with(&setup, &plan);
  assert_true(ls_plan_get(&plan, "stopped", 0) <= 0);
  ls_plan_close(&plan);
  close_scene(&scene);
}

/* The selection keeps only a worker to which sending is free: there are no uniform rounds for it
 * alone, but one round there is. */
static void a_set_without_theta_gets_one_round(void **state) {
  struct scene scene;
  (void)state;
  open_grid(&scene, 2, 0.5, 0.1, 0.1);
  scene.platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  assert_true(makespan_of(&scene, "umr-best") <= 0.1 + 0.1 + 1000 + 1e-9);
  close_scene(&scene);
}

static void what_umr_refuses_is_refused(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 2, 10, 0.1, 0.1);
  scene.platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  plan_as(&scene, "umr-best", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "worker 1: compute.per_unit"));
  ls_plan_close(&plan);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_never_worse_than_umr),
      cmocka_unit_test(it_is_never_worse_than_umr_in_whole_units),
      cmocka_unit_test(equal_workers_keep_equal_shares),
      cmocka_unit_test(no_number_of_rounds_is_better),
      cmocka_unit_test(the_published_worst_case_is_cured),
      cmocka_unit_test(a_stopped_search_says_so),
      cmocka_unit_test(a_set_without_theta_gets_one_round),
      cmocka_unit_test(what_umr_refuses_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
