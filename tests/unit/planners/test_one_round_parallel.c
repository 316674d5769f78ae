#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "star_fixture.h"

/* Section 6.4 of the paper: nLat + (W/B) N^(alpha-1) + cLat + W/(S N), and what the replay says. */
static void equal_workers_end_when_the_formula_says(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "parallel");
  for (size_t turn = 0; turn < 300; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double load = star_draw(&random, 1, 1000);
    star_open(&platform, &random, STAR_IDENTICAL, 60);
    platform.ports = LS_PORTS_MULTI;
    platform.ports_alpha = turn % 10 == 0 ? 0 : turn % 10 == 1 ? 1 : ls_random_real(&random);
    const struct ls_worker_model *worker = &platform.workers[0];
    double count = (double)platform.workers_count;
    double expected_s = worker->costs[LS_OPERATION_TRANSFER].latency_s +
                        load * worker->costs[LS_OPERATION_TRANSFER].per_unit_s *
                            pow(count, platform.ports_alpha - 1) +
                        worker->costs[LS_OPERATION_COMPUTE].latency_s +
                        load * worker->costs[LS_OPERATION_COMPUTE].per_unit_s / count;
    star_plan(&platform, load, "one-round-parallel", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_int_equal(plan.chunks_count, platform.workers_count);
    if (!(fabs(plan.makespan_s / expected_s - 1) < 1e-9)) {
      fail_msg("turn %zu: replayed %.17g, formula %.17g", turn, plan.makespan_s, expected_s);
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* The estimate for different workers counts every message as sharing with all others all the time:
 * the replay can only be earlier. */
static void different_workers_end_no_later_than_estimated(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "parallel");
  for (size_t turn = 0; turn < 300; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    star_open(&platform, &random, STAR_DIFFERENT, 12);
    platform.ports = LS_PORTS_MULTI;
    platform.ports_alpha = ls_random_real(&random);
    star_plan(&platform, 40, "one-round-parallel", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    double units = 0, slowdown = pow((double)plan.chunks_count, platform.ports_alpha);
    for (size_t i = 0; i < plan.chunks_count; i++) {
      const struct ls_plan_chunk *chunk = &plan.chunks[i];
      const struct ls_worker_model *worker = &platform.workers[chunk->worker];
      units += chunk->units;
      assert_true(chunk->units > 0);
      assert_true(chunk->compute_end_s <=
                  (worker->costs[LS_OPERATION_TRANSFER].latency_s + worker->delay_s +
                   worker->costs[LS_OPERATION_COMPUTE].latency_s +
                   chunk->units * (worker->costs[LS_OPERATION_TRANSFER].per_unit_s * slowdown +
                                   worker->costs[LS_OPERATION_COMPUTE].per_unit_s)) *
                      (1 + 1e-9));
    }
    assert_true(fabs(units - 40) < 1e-9 * 40);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* No worker gets a chunk that could not even begin before the others end. */
static void a_worker_that_is_too_far_away_gets_nothing(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  platform.ports = LS_PORTS_MULTI;
  platform.workers[1].delay_s = 1000;
  star_plan(&platform, 20, "one-round-parallel", &plan);
  assert_int_equal(plan.chunks_count, 2);
  assert_int_equal(plan.chunks[1].worker, 2);
  assert_true(fabs(plan.makespan_s - 10) < 1e-9);
  assert_true(ls_plan_get(&plan, "workers_dropped", 0) > 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void assert_refused(const struct ls_platform *platform, const char *why) {
  struct ls_plan plan;
  star_plan(platform, 20, "one-round-parallel", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, why));
  ls_plan_close(&plan);
}

static void a_master_that_sends_one_by_one_is_refused(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  assert_refused(&platform, "ports must be multi-port");
  platform.ports = LS_PORTS_ONE;
  assert_refused(&platform, "ports must be multi-port");
  platform.ports = LS_PORTS_MULTI;
  platform.ports_limit = 2;
  assert_refused(&platform, "only 2 of 3 transfers");
  platform.ports_limit = 3;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  assert_refused(&platform, "worker 1 takes no time");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_workers_end_when_the_formula_says),
      cmocka_unit_test(different_workers_end_no_later_than_estimated),
      cmocka_unit_test(a_worker_that_is_too_far_away_gets_nothing),
      cmocka_unit_test(a_master_that_sends_one_by_one_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
