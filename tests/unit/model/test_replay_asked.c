#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/replay.h"
#include "model/replay_asked.h"

enum { WORKERS = 3, CHUNKS = 60 };

/* Transfers of 1 s; a unit takes as many seconds as its worker has a number, and a half a chunk. */
static struct ls_platform make_platform(void) {
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < WORKERS; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, 0};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1 + (double)i};
  }
  return platform;
}

static void add(struct ls_plan *plan, uint32_t worker, double units) {
  plan->load += units;
  ls_plan_add(plan, worker, 0, units);
}

/* 4 units arrive at 1 and end at 5.5; the third of them does at 4.5. */
static void a_chunk_is_sent_when_its_worker_has_come_so_far(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  const double asked[] = {0, 3, 4, 9};
  struct ls_plan plan;
  ls_plan_init(&plan, "run", 0);
  add(&plan, 0, 4);
  add(&plan, 0, 2);
  add(&plan, 0, 1);
  add(&plan, 0, 1);
  assert_int_equal(ls_replay_asked(&plan, &platform, asked, NULL), LS_OK);
  assert_true(fabs(plan.chunks[0].compute_end_s - 5.5) <= 1e-12);
  assert_true(fabs(plan.chunks[1].send_start_s - 4.5) <= 1e-12);
  assert_true(fabs(plan.chunks[1].compute_start_s - 5.5) <= 1e-12);
  assert_true(fabs(plan.chunks[2].send_start_s - 5.5) <= 1e-12);
  /* More than there was: when all of it has ended. */
  assert_true(fabs(plan.chunks[3].send_start_s - plan.chunks[2].compute_end_s) <= 1e-12);
  assert_true(fabs(plan.makespan_s - plan.chunks[3].compute_end_s) <= 1e-12);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The record has the slow worker first; here the fast one asks earlier, and does not wait for it.
 */
static void who_asks_first_is_served_first(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  const double asked[] = {0, 0, 2, 2};
  struct ls_plan plan;
  ls_plan_init(&plan, "run", 0);
  add(&plan, 2, 2);
  add(&plan, 0, 2);
  add(&plan, 2, 1);
  add(&plan, 0, 1);
  assert_int_equal(ls_replay_asked(&plan, &platform, asked, NULL), LS_OK);
  assert_true(fabs(plan.chunks[3].send_start_s - 4.5) <= 1e-12);
  assert_true(fabs(plan.chunks[2].send_start_s - 7.5) <= 1e-12);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static struct ls_plan make_plan(uint64_t seed, double *asked, bool is_asked) {
  struct ls_random random;
  struct ls_plan plan;
  double sent[WORKERS] = {0};
  ls_random_init(&random, seed, "chunks");
  ls_plan_init(&plan, "run", 0);
  for (size_t i = 0; i < CHUNKS; i++) {
    uint32_t worker = (uint32_t)ls_random_below(&random, WORKERS);
    asked[i] = is_asked ? sent[worker] : 0;
    double units = (double)(1 + ls_random_below(&random, 9));
    sent[worker] += units;
    add(&plan, worker, units);
  }
  return plan;
}

/* Who asks for all at once is sent all at once, worker by worker in the same order. */
static void asking_at_the_start_is_a_plain_replay(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  for (uint64_t seed = 0; seed < 20; seed++) {
    double asked[CHUNKS];
    struct ls_plan plan = make_plan(seed, asked, false), plain = make_plan(seed, asked, false);
    assert_int_equal(ls_replay_asked(&plan, &platform, asked, NULL), LS_OK);
    assert_int_equal(ls_replay(&plain, &platform, NULL), LS_OK);
    assert_true(fabs(plan.makespan_s - plain.makespan_s) <= 1e-9);
    ls_plan_close(&plan);
    ls_plan_close(&plain);
  }
  ls_platform_close(&platform);
}

/* Everybody asks when it has nothing more: no chunk waits at a worker, and all last longer. */
static void asking_late_never_lets_chunks_wait(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  for (uint64_t seed = 0; seed < 20; seed++) {
    double asked[CHUNKS], free_s[WORKERS] = {0};
    struct ls_plan plan = make_plan(seed, asked, true);
    assert_int_equal(ls_replay_asked(&plan, &platform, asked, NULL), LS_OK);
    for (size_t i = 0; i < CHUNKS; i++) {
      const struct ls_plan_chunk *chunk = &plan.chunks[i];
      assert_true(chunk->send_start_s >= free_s[chunk->worker] - 1e-9);
      assert_true(fabs(chunk->compute_start_s - chunk->transfer_end_s) <= 1e-9);
      free_s[chunk->worker] = chunk->compute_end_s;
    }
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

static void where_nobody_can_ask_the_plain_replay_tells(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  double asked[CHUNKS];
  struct ls_plan plan = make_plan(1, asked, true), plain = make_plan(1, asked, true);
  assert_true(ls_replay_can_ask(&plan, &platform));
  platform.workers[1].costs[LS_OPERATION_REPLY].latency_s = 0.1;
  assert_false(ls_replay_can_ask(&plan, &platform));
  assert_int_equal(ls_replay_asked(&plan, &platform, asked, NULL), LS_OK);
  assert_int_equal(ls_replay(&plain, &platform, NULL), LS_OK);
  assert_true(fabs(plan.makespan_s - plain.makespan_s) <= 0);
  ls_plan_close(&plan);
  ls_plan_close(&plain);
  ls_platform_close(&platform);
}

static void a_worker_that_is_not_there_is_refused(void **state) {
  (void)state;
  struct ls_platform platform = make_platform();
  const double asked[] = {0};
  struct ls_error err = {0};
  struct ls_plan plan;
  ls_plan_init(&plan, "run", 0);
  add(&plan, WORKERS, 4);
  assert_int_equal(ls_replay_asked(&plan, &platform, asked, &err), LS_EINVAL);
  assert_string_equal(err.text, "chunk 0: worker is 3, must be below 3");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_is_sent_when_its_worker_has_come_so_far),
      cmocka_unit_test(who_asks_first_is_served_first),
      cmocka_unit_test(asking_at_the_start_is_a_plain_replay),
      cmocka_unit_test(asking_late_never_lets_chunks_wait),
      cmocka_unit_test(where_nobody_can_ask_the_plain_replay_tells),
      cmocka_unit_test(a_worker_that_is_not_there_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
