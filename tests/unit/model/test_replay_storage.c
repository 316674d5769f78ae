/* Readers that share a storage, in the replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../../support/bound_of.h"
#include "base/random.h"
#include "model/metrics.h"
#include "model/replay.h"
#include "model/replay_asked.h"
#include "model/validate.h"

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* Every worker stages for 2 s and computes for 3 s, whatever the chunk. */
static void open_platform(struct ls_platform *platform, size_t workers, uint64_t readers) {
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
  platform->storage_readers = readers;
  for (size_t i = 0; i < workers; i++) {
    platform->workers[i].costs[LS_OPERATION_STAGE] = (struct ls_cost){2, 0};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 0};
  }
}

static void add_chunks(struct ls_plan *plan, size_t count, size_t workers) {
  ls_plan_init(plan, "test", (double)count);
  for (size_t i = 0; i < count; i++) ls_plan_add(plan, (uint32_t)(i % workers), 0, 1);
}

static double play(const struct ls_platform *platform, struct ls_plan *plan) {
  double makespan_s = 0;
  struct ls_error err = {0};
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  assert_int_equal(ls_replay_makespan(plan, platform, &makespan_s, NULL), LS_OK);
  assert_true(makespan_s == plan->makespan_s);
  if (ls_validate_plan(plan, platform, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(makespan_s >= bound_of(platform, plan->load).bound_s * (1 - 1e-9));
  return makespan_s;
}

static void readers_wait_for_a_place(void **state) {
  (void)state;
  const double expected_s[] = {5, 9, 7, 5};
  for (uint64_t readers = 0; readers <= 3; readers++) {
    struct ls_platform platform;
    struct ls_plan plan;
    open_platform(&platform, 3, readers);
    add_chunks(&plan, 3, 3);
    assert_true(is_near(play(&platform, &plan), expected_s[readers]));
    assert_true(is_near(plan.chunks[2].stage_start_s, readers == 1 ? 4 : readers == 2 ? 2 : 0));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Worker 0 has three chunks, worker 1 one: it comes second, when the first of the other is done. */
static void who_asks_first_is_served_first(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 1);
  platform.stage_ahead = 3;
  ls_plan_init(&plan, "test", 4);
  for (size_t i = 0; i < 3; i++) ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 1, 0, 1);
  assert_true(is_near(play(&platform, &plan), 12));
  const double starts_s[] = {0, 4, 6, 2};
  for (size_t i = 0; i < 4; i++) assert_true(is_near(plan.chunks[i].stage_start_s, starts_s[i]));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Chunks go round over the workers: one place at the storage, or one network that carries what they
 * would read. */
static void one_place_is_one_port(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    struct ls_random random;
    struct ls_platform reading, sent;
    struct ls_plan plan, other;
    ls_random_init(&random, seed, "storage");
    size_t workers = 2 + (size_t)ls_random_below(&random, 4);
    open_platform(&reading, workers, 1);
    open_platform(&sent, workers, 0);
    reading.stage_ahead = LS_STAGE_AHEAD_MOST;
    for (size_t i = 0; i < workers; i++) {
      struct ls_cost cost = {ls_random_real(&random), ls_random_real(&random)};
      reading.workers[i].costs[LS_OPERATION_STAGE] = cost;
      sent.workers[i].costs[LS_OPERATION_STAGE] = (struct ls_cost){0, 0};
      sent.workers[i].costs[LS_OPERATION_TRANSFER] = cost;
      reading.workers[i].costs[LS_OPERATION_COMPUTE].latency_s =
          sent.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = 3 * ls_random_real(&random);
    }
    size_t count = 1 + (size_t)ls_random_below(&random, 20);
    add_chunks(&plan, count, workers);
    add_chunks(&other, count, workers);
    if (!is_near(play(&reading, &plan), play(&sent, &other)))
      fail_msg("seed %llu: %.17g by one place, %.17g by one port", (unsigned long long)seed,
               plan.makespan_s, other.makespan_s);
    for (size_t i = 0; i < count; i++)
      assert_true(is_near(plan.chunks[i].compute_end_s, other.chunks[i].compute_end_s));
    ls_plan_close(&plan);
    ls_plan_close(&other);
    ls_platform_close(&reading);
    ls_platform_close(&sent);
  }
}

/* Chunk 1 cannot be sent before the result of chunk 0 has passed, which is computed once it is
 * read. */
static void results_on_one_port_wait_for_what_is_read(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 1);
  platform.ports = LS_PORTS_ONE;
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_SEND] = (struct ls_cost){6, 0};
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.5, 0};
    platform.workers[i].costs[LS_OPERATION_REPLY] = (struct ls_cost){4, 0};
  }
  add_chunks(&plan, 2, 2);
  /* Chunk 0: sent 0..6, 6..6.5, read to 8.5, computed to 11.5, back 11.5..15.5. Chunk 1: sent to
   * 12, transfer 15.5..16, read to 18, computed to 21, back to 25. */
  assert_true(is_near(play(&platform, &plan), 25));
  assert_true(is_near(plan.chunks[1].transfer_start_s, 15.5));
  ls_plan_order_returns(&plan);
  ls_plan_add_return(&plan, 1);
  ls_plan_add_return(&plan, 0);
  /* In the other order chunk 1 goes at 12: read to 14.5, computed to 17.5, back to 21.5, and 25.5.
   */
  assert_true(is_near(play(&platform, &plan), 25.5));
  /* In both directions at once, latencies side by side: both results leave at 17.5. */
  platform.ports = LS_PORTS_MULTI;
  assert_true(is_near(play(&platform, &plan), 21.5));
  assert_false(ls_replay_can_ask(&plan, &platform));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* A chunk that needs no reading waits for none, but keeps its turn at its worker. */
static void who_reads_nothing_takes_no_place(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 3, 1);
  platform.workers[2].costs[LS_OPERATION_STAGE] = (struct ls_cost){0, 0};
  add_chunks(&plan, 6, 3);
  assert_true(is_near(play(&platform, &plan), 11));
  assert_true(isnan(plan.chunks[2].stage_start_s));
  assert_true(is_near(plan.chunks[5].compute_end_s, 6));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_wait_for_a_place),
      cmocka_unit_test(who_asks_first_is_served_first),
      cmocka_unit_test(one_place_is_one_port),
      cmocka_unit_test(results_on_one_port_wait_for_what_is_read),
      cmocka_unit_test(who_reads_nothing_takes_no_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
