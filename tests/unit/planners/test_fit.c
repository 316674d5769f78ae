#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fit_fixture.h"
#include "model/validate.h"
#include "planners/fit.h"

static void limit_all(struct ls_platform *platform, double from, double to, double room) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    platform->workers[i].window_from = from;
    platform->workers[i].window_to = to;
    platform->workers[i].room_units = room;
  }
}

static void a_plan_that_lies_within_is_not_touched(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 2);
  assert_false(ls_fit_is_needed(&platform));
  limit_all(&platform, 10, 30, 30);
  assert_true(ls_fit_is_needed(&platform));
  open_plan(&plan, (const double[]){10, 30}, 2);
  const struct ls_plan_chunk *chunks = plan.chunks;
  assert_int_equal(ls_fit_replay(&plan, &platform, false, NULL), LS_OK);
  assert_ptr_equal(plan.chunks, chunks);
  assert_int_equal(plan.parameters_count, 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void large_chunks_become_several_in_rounds_of_their_own(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 2);
  limit_all(&platform, 5, 20, (double)INFINITY);
  open_plan(&plan, (const double[]){50, 30}, 2);
  require_fitted(&plan, &platform, false);
  assert_int_equal(plan.chunks_count, 5);
  static const uint32_t workers[] = {0, 1, 0, 1, 0}, rounds[] = {0, 0, 1, 1, 2};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(plan.chunks[i].worker, workers[i]);
    assert_int_equal(plan.chunks[i].round, rounds[i]);
  }
  assert_true(ls_plan_get(&plan, "fitted", 0) > 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void small_chunks_grow_or_are_left_out(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  double units[3];
  (void)state;
  open_platform(&platform, 3);
  limit_all(&platform, 10, 40, (double)INFINITY);
  open_plan(&plan, (const double[]){30, 20, 2}, 3);
  require_fitted(&plan, &platform, false);
  ls_plan_units(&plan, 3, units);
  assert_true(units[2] >= 10 - 1e-9 && units[0] > units[1]);
  ls_plan_close(&plan);
  open_plan(&plan, (const double[]){9, 8, 2}, 3);
  require_fitted(&plan, &platform, false);
  assert_int_equal(plan.chunks_count, 1);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void a_load_that_no_chunks_are_is_refused_by_name(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 1);
  limit_all(&platform, 60, 70, (double)INFINITY);
  open_plan(&plan, (const double[]){100}, 1);
  assert_int_equal(ls_fit_replay(&plan, &platform, false, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(
      strstr(plan.why, "worker 0: a chunk of 100 units is outside its window, 60 to 70"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Nothing delays the second chunk, so the worker would hold both. */
static void a_worker_gets_no_more_in_all_than_its_room_where_it_would_hold_more(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  double units[2];
  (void)state;
  open_platform(&platform, 2);
  platform.workers[0].room_units = 50;
  platform.workers[0].window_to = 30;
  ls_plan_init(&plan, "test", 100);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(&plan, i % 2, i / 2, i % 2 == 0 ? 30 : 20);
  require_fitted(&plan, &platform, false);
  ls_plan_units(&plan, 2, units);
  assert_true(units[0] <= 50 * (1 + 1e-9));
  ls_plan_close(&plan);
  platform.workers[1].room_units = 40;
  ls_plan_init(&plan, "test", 100);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(&plan, i % 2, i / 2, i % 2 == 0 ? 30 : 20);
  assert_int_equal(ls_fit_replay(&plan, &platform, false, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "its room is"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Computing keeps up with sending, so chunks of half a room never meet a third one. */
static void smaller_chunks_over_more_rounds_keep_a_room_that_empties(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.5;
    platform.workers[i].room_units = 6;
  }
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    double units[2];
    open_plan(&plan, (const double[]){20, 16}, 2);
    require_fitted(&plan, &platform, is_whole);
    ls_plan_units(&plan, 2, units);
    assert_true(fabs(units[0] - 20) < 1e-9 && fabs(units[1] - 16) < 1e-9);
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

static void results_return_in_their_order_all_the_same(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 3);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.1;
    platform.workers[i].costs[LS_OPERATION_REPLY].per_unit_s = 0.1;
  }
  limit_all(&platform, 10, 50, (double)INFINITY);
  open_plan(&plan, (const double[]){60, 38, 2}, 3);
  for (size_t i = 0; i < 3; i++) ls_plan_add_return(&plan, 2 - i);
  ls_plan_set_flag(&plan, "proven", true);
  require_fitted(&plan, &platform, false);
  assert_int_equal(plan.chunks_count, 3);
  for (size_t i = 0; i < 3; i++) assert_int_equal(plan.returns[i], 2 - i);
  assert_false(ls_plan_get(&plan, "proven", 1) > 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void whole_units_stay_whole(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "fit");
  for (int turn = 0; turn < 500; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double units[5] = {0}, made_s;
    open_platform(&platform, 5);
    for (size_t i = 0; i < 5; i++) {
      platform.workers[i].window_from = 4 * ls_random_real(&random);
      platform.workers[i].window_to =
          platform.workers[i].window_from + 20 * ls_random_real(&random);
      units[i] = (double)ls_random_below(&random, 60);
    }
    platform.workers[4].window_to = (double)INFINITY;
    units[4] += 20;
    open_plan(&plan, units, 5);
    assert_int_equal(ls_fit_makespan(&plan, &platform, true, &made_s, NULL), LS_OK);
    assert_true(isnan(plan.makespan_s));
    require_fitted(&plan, &platform, true);
    assert_true(fabs(made_s - plan.makespan_s) <= 1e-12 * made_s);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void require_text(const struct ls_plan *plan, const char *name, const char *json) {
  for (size_t i = 0; i < plan->parameters_count; i++)
    if (strcmp(plan->parameters[i].name, name) == 0)
      assert_string_equal(plan->parameters[i].json, json);
}

/* A planner's words on its own sizes are said of these, once, or not any more. */
static void what_was_said_of_other_sizes_is_said_anew_once(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_platform(&platform, 3);
  for (size_t i = 0; i < 3; i++) platform.workers[i].costs[LS_OPERATION_REPLY].per_unit_s = 0.1;
  platform.workers[0].window_to = 10;
  platform.workers[2].window_from = 8;
  open_plan(&plan, (const double[]){12, 6, 2}, 3);
  for (size_t i = 0; i < 3; i++) ls_plan_add_return(&plan, 2 - i);
  ls_plan_set(&plan, "predicted_makespan", 12);
  ls_plan_set(&plan, "search_gap", 0.25);
  ls_plan_set(&plan, "makespan_at_least", 11);
  ls_plan_set(&plan, "makespan_at_most", 13);
  ls_plan_set(&plan, "linear_makespan_and_latencies", 13);
  ls_plan_set_list(&plan, "enrolled", (const uint32_t[]){0, 1, 2}, 3);
  ls_plan_set_list(&plan, "send_order", (const uint32_t[]){0, 1, 2}, 3);
  ls_plan_set_list(&plan, "return_order", (const uint32_t[]){2, 1, 0}, 3);
  require_fitted(&plan, &platform, false);
  double gap = ls_plan_get(&plan, "search_gap", 0);
  assert_true(fabs(gap - (1.25 * plan.makespan_s / 12 - 1)) < 1e-12);
  assert_true(fabs(ls_plan_get(&plan, "throughput", 0) * plan.makespan_s - plan.load) < 1e-9);
  assert_false(ls_plan_has(&plan, "makespan_at_most"));
  assert_false(ls_plan_has(&plan, "linear_makespan_and_latencies"));
  assert_true(ls_plan_has(&plan, "makespan_at_least"));
  assert_int_equal(plan.chunks_count, 3);
  require_fitted(&plan, &platform, false);
  assert_true(ls_plan_get(&plan, "search_gap", 0) <= gap);
  ls_plan_close(&plan);
  /* A worker less. */
  open_plan(&plan, (const double[]){6, 1, 0.1}, 3);
  for (size_t i = 0; i < 3; i++) ls_plan_add_return(&plan, 2 - i);
  ls_plan_set_list(&plan, "enrolled", (const uint32_t[]){0, 1, 2}, 3);
  ls_plan_set_list(&plan, "send_order", (const uint32_t[]){0, 1, 2}, 3);
  ls_plan_set_list(&plan, "return_order", (const uint32_t[]){2, 1, 0}, 3);
  require_fitted(&plan, &platform, false);
  require_text(&plan, "enrolled", "[0, 1]");
  require_text(&plan, "send_order", "[0, 1]");
  require_text(&plan, "return_order", "[1, 0]");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* A worker that takes 8 units at a time, and holds no two of such chunks, may get one. */
static void a_share_is_one_of_whole_chunks(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  double units[2];
  (void)state;
  open_platform(&platform, 2);
  platform.workers[0].window_from = 1;
  platform.workers[0].window_to = 41;
  platform.workers[1].window_from = platform.workers[1].window_to = 8;
  platform.workers[1].room_units = 15;
  open_plan(&plan, (const double[]){26, 24}, 2);
  require_fitted(&plan, &platform, false);
  ls_plan_units(&plan, 2, units);
  assert_true(units[1] <= 8 * (1 + 1e-9));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_that_lies_within_is_not_touched),
      cmocka_unit_test(large_chunks_become_several_in_rounds_of_their_own),
      cmocka_unit_test(small_chunks_grow_or_are_left_out),
      cmocka_unit_test(a_load_that_no_chunks_are_is_refused_by_name),
      cmocka_unit_test(a_worker_gets_no_more_in_all_than_its_room_where_it_would_hold_more),
      cmocka_unit_test(smaller_chunks_over_more_rounds_keep_a_room_that_empties),
      cmocka_unit_test(results_return_in_their_order_all_the_same),
      cmocka_unit_test(whole_units_stay_whole),
      cmocka_unit_test(what_was_said_of_other_sizes_is_said_anew_once),
      cmocka_unit_test(a_share_is_one_of_whole_chunks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
