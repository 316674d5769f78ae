/* Shrinking rounds at the end of umr-scow. */
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

/* Any platform, window, kind of result: what is tried beside is tried last. */
static void open_drawn(struct ls_platform *platform, struct ls_random *random, int turn) {
  scow_open(platform, random, (enum scow_kind)(turn % 3), 8);
  double faster = star_draw(random, 0.3, 2);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_TRANSFER].per_unit_s *= faster;
    if (turn % 5 == 1) costs[LS_OPERATION_REPLY].latency_s = 0.05;
    if (turn % 5 == 2) costs[LS_OPERATION_REPLY].per_unit_s = 0.01;
  }
  if (turn % 7 == 3) platform->ports = LS_PORTS_ONE;
}

static void a_plan_with_them_is_never_longer(void **state) {
  struct ls_random random;
  size_t better = 0, three_phases = 0;
  (void)state;
  ls_random_init(&random, 1, "falling");
  for (int turn = 0; turn < 24; turn++) {
    struct ls_platform platform;
    struct ls_plan plan, other;
    bool is_whole = turn % 2, has_window = turn % 4 >= 2;
    double load = floor(star_draw(&random, 50, 800));
    open_drawn(&platform, &random, turn);
    scow_plan(&platform, load, is_whole,
              has_window ? "umr-scow:window=1-15,tail=none" : "umr-scow:tail=none", &other);
    scow_plan(&platform, load, is_whole, has_window ? "umr-scow:window=1-15" : "umr-scow", &plan);
    assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
    if (!(plan.makespan_s <= other.makespan_s * (1 + 1e-12)))
      fail_msg("turn %d: %.17g s, without shrinking rounds %.17g s", turn, plan.makespan_s,
               other.makespan_s);
    assert_false(ls_plan_has(&other, "falling_rounds"));
    bool is_better = plan.makespan_s < other.makespan_s * (1 - 1e-6);
    assert_true(!is_better || ls_plan_get(&plan, "falling_rounds", 0) >= 1);
    better += is_better;
    three_phases += is_better && ls_plan_repeats(&plan);
    for (size_t i = 0; i < plan.chunks_count && has_window; i++)
      assert_true(plan.chunks[i].units <= 15 * (1 + 1e-9));
    ls_plan_close(&plan);
    ls_plan_close(&other);
    ls_platform_close(&platform);
  }
  assert_true(better >= 4);
  assert_true(three_phases >= 1);
}

/* Of identical workers and real units the rounds are those of UMR2, all sent without a pause. */
static void they_are_umr2_where_workers_are_left(void **state) {
  static const double bandwidths[] = {11, 22, 34};
  (void)state;
  for (size_t i = 0; i < sizeof bandwidths / sizeof *bandwidths; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    scow_published(&platform, 60, bandwidths[i]);
    double umr2_s = scow_makespan(&platform, 1000, false, "umr2");
    double scow_s = scow_makespan(&platform, 1000, false, "scow");
    scow_plan(&platform, 1000, false, "umr-scow", &plan);
    assert_true(plan.makespan_s <= umr2_s * (1 + 1e-9));
    assert_true(plan.makespan_s < 0.98 * scow_s);
    uint32_t first =
        (uint32_t)ls_plan_rounds(&plan) - (uint32_t)ls_plan_get(&plan, "falling_rounds", 0);
    double before = HUGE_VAL, sent_s = 0;
    for (size_t k = 0; k < plan.chunks_count; k++) {
      const struct ls_plan_chunk *chunk = &plan.chunks[k];
      expect_near(chunk->transfer_start_s, sent_s, 1e-9);
      sent_s = chunk->transfer_end_s;
      if (chunk->round < first) continue;
      assert_true(chunk->units <= before * (1 + 1e-9));
      before = chunk->units;
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* A window keeps chunks small, a large load repeats, and the end is shared by twice the workers. */
static void a_window_gives_all_phases(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  bool is_used[60] = {false};
  size_t used = 0;
  (void)state;
  scow_published(&platform, 60, 11);
  scow_plan(&platform, 10000, true, "umr-scow:window=1-20", &plan);
  assert_true(ls_plan_repeats(&plan) && plan.repeat.times > 30);
  assert_true(ls_plan_get(&plan, "falling_rounds", 0) >= 2);
  assert_false(ls_plan_has(&plan, "spmd"));
  for (size_t i = 0; i < plan.chunks_count; i++) is_used[plan.chunks[i].worker] = true;
  for (size_t i = 0; i < 60; i++) used += is_used[i];
  assert_true(used >= 20 && (double)used > ls_plan_get(&plan, "full_workers", 0) + 5);
  /* The shrinking end gains some seconds, whatever the load: a hundredth of half of it. */
  const char *without = "umr-scow:window=1-20,tail=none";
  assert_true(plan.makespan_s < scow_makespan(&platform, 10000, true, without));
  assert_true(scow_makespan(&platform, 5000, true, "umr-scow:window=1-20") <
              0.99 * scow_makespan(&platform, 5000, true, without));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* One result of each worker: of its last chunk, wherever that is. */
static void results_come_once_of_each_worker(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_published(&platform, 20, 11);
  for (size_t i = 0; i < 20; i++) platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.01;
  scow_plan(&platform, 5000, true, "umr-scow:window=1-20", &plan);
  assert_true(ls_plan_get(&plan, "falling_rounds", 0) >= 1);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  size_t last[20];
  for (size_t i = 0; i < 20; i++) last[i] = SIZE_MAX;
  for (size_t i = 0; i < plan.chunks_count; i++) last[plan.chunks[i].worker] = i;
  size_t used = 0;
  for (size_t i = 0; i < 20; i++) used += last[i] != SIZE_MAX;
  assert_int_equal(plan.returns_count, used);
  for (size_t i = 0; i < plan.returns_count; i++) {
    assert_true(plan.returns[i] >= plan.repeat.to);
    assert_int_equal(plan.returns[i], last[plan.chunks[plan.returns[i]].worker]);
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Nothing is shortened that was not found. */
static void without_a_schedule_there_is_none(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_search search;
  struct ls_budget budget = {0};
  (void)state;
  scow_published(&platform, 3, 11);
  scow_star(&platform, &star);
  struct ls_planner_setup setup = {.platform = &platform, .load = 10};
  assert_int_equal(ls_scow_search_open(&search, &setup, &star, &budget, NULL), LS_OK);
  assert_int_equal(ls_scow_search_falling(&search, NULL), LS_OK);
  assert_true(isinf(search.best_s));
  assert_int_equal(budget.work, 0);
  ls_scow_search_close(&search);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_with_them_is_never_longer),
      cmocka_unit_test(they_are_umr2_where_workers_are_left),
      cmocka_unit_test(a_window_gives_all_phases),
      cmocka_unit_test(results_come_once_of_each_worker),
      cmocka_unit_test(without_a_schedule_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
