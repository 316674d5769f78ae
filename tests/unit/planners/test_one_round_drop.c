#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "planners/star/one_round.h"
#include "planners/star/one_round_drop.h"
#include "planners/star/reduced_star.h"
#include "umr_fixture.h"

enum { SEEDS = 200, WORKERS_MAX = 120 };

static void fill_workers(struct ls_random *random, struct ls_star_worker *workers, size_t count) {
  double send = pow(10, between(random, -4, 0)), rate = pow(10, between(random, -3, 0));
  for (size_t i = 0; i < count; i++) {
    workers[i] = (struct ls_star_worker){
        .send_latency_s = send * ls_random_real(random),
        .send_per_unit_s = ls_random_below(random, 10) == 0 ? 0 : rate * between(random, 0.1, 2),
        .delay_s = ls_random_real(random),
        .compute_latency_s = 0.5 * ls_random_real(random),
        .compute_per_unit_s = ls_random_below(random, 20) == 0 ? 0 : between(random, 0.2, 5),
        .number = (uint32_t)i};
    if (!(workers[i].send_per_unit_s + workers[i].compute_per_unit_s > 0)) {
      workers[i].compute_per_unit_s = 1;
    }
  }
}

/* Both ways drop the same workers, one after the other from the same beginning. */
static void the_workers_are_those_dropped_one_by_one(void **state) {
  (void)state;
  size_t none = 0, some = 0, most = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    struct ls_star_worker workers[WORKERS_MAX];
    double units[WORKERS_MAX], scratch[4 * WORKERS_MAX];
    bool is_dropped[WORKERS_MAX];
    ls_random_init(&random, seed, "drop");
    size_t count = 2 + ls_random_below(&random, WORKERS_MAX - 1);
    fill_workers(&random, workers, count);
    double load = pow(10, between(&random, 0, 5));
    size_t used = ls_one_round_sizes(workers, count, load, scratch, units);
    assert_int_equal(ls_one_round_drop(workers, count, load, is_dropped, NULL), LS_OK);
    for (size_t i = 0; i < count; i++) {
      if (is_dropped[i] != !(units[i] > 0)) {
        fail_msg("seed %llu: worker %zu of %zu gets %g", (unsigned long long)seed, i, count,
                 units[i]);
      }
    }
    none += used == count;
    some += used < count;
    most += used < count / 2;
  }
  assert_true(none > 0 && some > 0 && most > 0);
}

/* Hours, one by one. */
static void many_workers_are_dropped_in_no_time(void **state) {
  enum { MANY = 20000 };
  (void)state;
  struct ls_random random;
  struct scene scene;
  struct ls_plan plan;
  ls_random_init(&random, 1, "many");
  open_grid(&scene, MANY, 1e4, 0.1, 0.01);
  for (size_t i = 0; i < MANY; i++) {
    struct ls_worker_model *worker = &scene.platform.workers[i];
    worker->costs[LS_OPERATION_TRANSFER].latency_s *= between(&random, 0.5, 1.5);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s *= between(&random, 0.5, 1.5);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s *= between(&random, 0.5, 1.5);
  }
  plan_valid(&scene, "one-round", &plan);
  assert_true(plan.chunks_count < MANY / 10);
  for (size_t i = 0; i < plan.chunks_count; i++) {
    assert_true(is_close(plan.chunks[i].compute_end_s, plan.makespan_s, 1e-9));
  }
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void the_last_worker_is_kept(void **state) {
  struct ls_star_worker workers[3] = {
      {5, 1, 0, 9, 1, 0, 1}, {4, 1, 0, 7, 1, 1, 1}, {5, 1, 0, 8, 1, 2, 1}};
  bool is_dropped[3];
  (void)state;
  assert_int_equal(ls_one_round_drop(workers, 3, 1e-3, is_dropped, NULL), LS_OK);
  assert_int_equal(is_dropped[0] + is_dropped[1] + is_dropped[2], 2);
  assert_int_equal(ls_one_round_drop(workers, 1, 1e-3, is_dropped, NULL), LS_OK);
  assert_false(is_dropped[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_workers_are_those_dropped_one_by_one),
      cmocka_unit_test(many_workers_are_dropped_in_no_time),
      cmocka_unit_test(the_last_worker_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
