#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/star/one_round.h"
#include "umr_fixture.h"

enum { SEEDS = 300, WORKERS_MAX = 12 };

/* Property 5. */
static void all_used_workers_end_together(void **state) {
  (void)state;
  size_t dropped = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_plan plan;
    open_scene(&scene, seed, WORKERS_MAX);
    plan_valid(&scene, "one-round", &plan);
    assert_true(plan.chunks_count >= 1);
    for (size_t i = 0; i < plan.chunks_count; i++) {
      assert_int_equal(plan.chunks[i].round, 0);
      assert_true(is_close(plan.chunks[i].compute_end_s, plan.makespan_s, 1e-9));
    }
    dropped += plan.chunks_count < scene.workers.count;
    ls_plan_close(&plan);
    close_scene(&scene);
  }
  assert_true(dropped > 0);
}

/* Latencies and units of the first worker with units decide. */
static double find_end(const struct ls_star_worker *workers, const double *units) {
  size_t i = 0;
  while (!(units[i] > 0)) i++;
  return workers[i].send_latency_s + units[i] * workers[i].send_per_unit_s + workers[i].delay_s +
         workers[i].compute_latency_s + units[i] * workers[i].compute_per_unit_s;
}

static void the_end_is_that_of_the_first_chunk(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    double units[WORKERS_MAX], scratch[4 * WORKERS_MAX];
    open_scene(&scene, seed, WORKERS_MAX);
    size_t used =
        ls_one_round_sizes(scene.workers.items, scene.workers.count, scene.load, scratch, units);
    size_t counted = 0;
    for (size_t i = 0; i < scene.workers.count; i++) counted += units[i] > 0;
    assert_int_equal(counted, used);
    require_close(&scene, "the end", find_end(scene.workers.items, units),
                  makespan_of(&scene, "one-round"), 1e-9);
    close_scene(&scene);
  }
}

/* A delay that only one worker has makes the same workers different ones. */
static void identical_workers_get_the_chunks_of_different_ones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    double units[2][WORKERS_MAX], scratch[4 * WORKERS_MAX];
    open_scene(&scene, seed, WORKERS_MAX);
    size_t count = scene.workers.count;
    if (scene.is_identical && count > 1) {
      (void)ls_one_round_sizes(scene.workers.items, count, scene.load, scratch, units[0]);
      scene.workers.items[0].delay_s += 1e-13;
      (void)ls_one_round_sizes(scene.workers.items, count, scene.load, scratch, units[1]);
      for (size_t i = 0; i < count; i++) {
        assert_true(fabs(units[0][i] - units[1][i]) <= 1e-9 * scene.load);
      }
    }
    close_scene(&scene);
  }
}

/* Identical workers lose the last one first; all others used get more than it would have. */
static void of_identical_workers_the_first_are_used(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 50, 55, 0.9, 0.9);
  plan_valid(&scene, "one-round", &plan);
  assert_int_equal(plan.chunks_count, 41);
  for (size_t i = 0; i < plan.chunks_count; i++) {
    assert_int_equal(plan.chunks[i].worker, i);
    if (i > 0) assert_true(plan.chunks[i].units < plan.chunks[i - 1].units);
  }
  ls_plan_close(&plan);
  close_scene(&scene);
}

/* Worker 1 cannot even start before the others are done. */
static void a_worker_that_would_come_too_late_is_left_out(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 3, 10, 0, 0);
  scene.load = 3;
  scene.platform.workers[1].delay_s = 100;
  plan_valid(&scene, "one-round", &plan);
  assert_int_equal(plan.chunks_count, 2);
  assert_int_equal(plan.chunks[0].worker, 0);
  assert_int_equal(plan.chunks[1].worker, 2);
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void free_communication_shares_by_speed(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 2, 1e300, 0, 0);
  scene.platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s =
      scene.platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  scene.platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.25;
  plan_valid(&scene, "one-round", &plan);
  assert_true(is_close(plan.chunks[0].units, 200, 1e-12));
  assert_true(is_close(plan.chunks[1].units, 800, 1e-12));
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void a_worker_that_costs_nothing_per_unit_is_refused(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 3, 10, 0.1, 0.1);
  scene.platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  plan_valid(&scene, "one-round", &plan);
  ls_plan_close(&plan);
  scene.platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  plan_as(&scene, "one-round", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "worker 1"));
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void an_argument_is_refused(void **state) {
  struct ls_planner_setup setup = {.load = 1};
  const struct ls_planner *planner;
  struct ls_error err;
  (void)state;
  assert_int_equal(ls_planner_parse("one-round:2", &planner, &setup, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "takes no argument"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_used_workers_end_together),
      cmocka_unit_test(the_end_is_that_of_the_first_chunk),
      cmocka_unit_test(identical_workers_get_the_chunks_of_different_ones),
      cmocka_unit_test(of_identical_workers_the_first_are_used),
      cmocka_unit_test(a_worker_that_would_come_too_late_is_left_out),
      cmocka_unit_test(free_communication_shares_by_speed),
      cmocka_unit_test(a_worker_that_costs_nothing_per_unit_is_refused),
      cmocka_unit_test(an_argument_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
