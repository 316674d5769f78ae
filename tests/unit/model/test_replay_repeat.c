/* The replay of plans that repeat, beside the replay of the same chunks written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "model/replay.h"

static bool is_near(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void expect_chunk(uint64_t seed, const struct ls_plan_chunk *got,
                         const struct ls_plan_chunk *flat) {
  bool is_same = is_near(got->send_start_s, flat->send_start_s) &&
                 is_near(got->transfer_start_s, flat->transfer_start_s) &&
                 is_near(got->transfer_end_s, flat->transfer_end_s) &&
                 is_near(got->compute_start_s, flat->compute_start_s) &&
                 is_near(got->compute_end_s, flat->compute_end_s) &&
                 is_near(got->reply_start_s, flat->reply_start_s) &&
                 is_near(got->reply_end_s, flat->reply_end_s);
  if (!is_same)
    fail_msg("seed %llu: a chunk ends at %.17g and %.17g, replies at %.17g and %.17g",
             (unsigned long long)seed, got->compute_end_s, flat->compute_end_s, got->reply_start_s,
             flat->reply_start_s);
}

/* Prologue, first play, last play and epilogue are those of the flat replay, and so is the end. */
static void expect_flat(uint64_t seed, struct ls_plan *plan, const struct ls_platform *platform) {
  struct ls_plan flat;
  double makespan_s = 0;
  assert_int_equal(ls_plan_unfolded(plan, UINT64_MAX, &flat, NULL), LS_OK);
  assert_int_equal(ls_replay(&flat, platform, NULL), LS_OK);
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  assert_int_equal(ls_replay_makespan(plan, platform, &makespan_s, NULL), LS_OK);
  assert_true(makespan_s == plan->makespan_s);
  if (!is_near(plan->makespan_s, flat.makespan_s))
    fail_msg("seed %llu: makespan is %.17g, the flat one's %.17g", (unsigned long long)seed,
             plan->makespan_s, flat.makespan_s);
  size_t skipped = flat.chunks_count - plan->chunks_count;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    size_t index = i < plan->repeat.to ? i : i + skipped;
    expect_chunk(seed, &plan->chunks[i], &flat.chunks[index]);
    if (ls_plan_times(plan, i) == 1) continue;
    assert_true(is_near(plan->repeat.last_end_s[i - plan->repeat.from],
                        flat.chunks[i + skipped].compute_end_s));
  }
  ls_plan_close(&flat);
}

static double draw_cost(struct ls_random *random, double scale) {
  return ls_random_below(random, 3) == 0 ? 0 : scale * ls_random_real(random);
}

static void draw_platform(struct ls_random *random, struct ls_platform *platform) {
  bool is_compute_bound = ls_random_below(random, 2) == 0;
  bool has_replies = ls_random_below(random, 2) == 0;
  assert_int_equal(ls_platform_init(platform, 1 + ls_random_below(random, 4), NULL), LS_OK);
  platform->ports = (enum ls_ports)ls_random_below(random, 3);
  platform->prepare.latency_s = draw_cost(random, 0.2);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double speed = is_compute_bound ? 2 : 0.5;
    worker->costs[LS_OPERATION_SEND].latency_s = draw_cost(random, 0.3);
    worker->costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){draw_cost(random, 0.3), draw_cost(random, 0.3)};
    worker->costs[LS_OPERATION_RECEIVE].per_unit_s = draw_cost(random, 0.1);
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){draw_cost(random, 0.3), speed * ls_random_real(random)};
    if (has_replies)
      worker->costs[LS_OPERATION_REPLY] =
          (struct ls_cost){draw_cost(random, 0.2), draw_cost(random, 0.1)};
    worker->delay_s = draw_cost(random, 1);
  }
}

static void draw_plan(struct ls_random *random, const struct ls_platform *platform,
                      struct ls_plan *plan) {
  size_t counts[3] = {ls_random_below(random, 6), 1 + ls_random_below(random, 6),
                      ls_random_below(random, 6)};
  size_t count = counts[0] + counts[1] + counts[2];
  ls_plan_init(plan, "test", 1);
  for (size_t i = 0; i < count; i++)
    ls_plan_add(plan, (uint32_t)ls_random_below(random, platform->workers_count), 0,
                0.5 + 4 * ls_random_real(random));
  ls_plan_repeat(plan, counts[0], counts[0] + counts[1], 1 + ls_random_below(random, 150));
}

static void replay_of_a_body_is_that_of_its_chunks_written_out(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 3000; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    ls_random_init(&random, seed, "repeat");
    draw_platform(&random, &platform);
    draw_plan(&random, &platform, &plan);
    if (ls_plan_repeats(&plan)) expect_flat(seed, &plan, &platform);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Some chunks behind the body return, in any order; or none. */
static void draw_returns(struct ls_random *random, struct ls_plan *plan) {
  size_t order[8], count = 0, behind = plan->chunks_count - plan->repeat.to;
  for (size_t i = 0; i < behind; i++) {
    size_t place = ls_random_below(random, count + 1);
    if (ls_random_below(random, 4) == 0) continue;
    order[count++] = order[place];
    order[place] = plan->repeat.to + i;
  }
  ls_plan_order_returns(plan);
  for (size_t i = 0; i < count; i++) ls_plan_add_return(plan, order[i]);
  assert_int_equal(ls_plan_finish(plan, NULL), LS_OK);
}

static void ordered_returns_are_those_of_the_chunks_written_out(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 3000; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    ls_random_init(&random, seed, "ordered");
    draw_platform(&random, &platform);
    draw_plan(&random, &platform, &plan);
    if (ls_plan_repeats(&plan)) {
      draw_returns(&random, &plan);
      expect_flat(seed, &plan, &platform);
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Times of a few tenths and thirds, so that results are ready when a transfer is: rounding, which
 * differs between sums and products, must not decide who goes first. */
static double draw_tie(struct ls_random *random) {
  static const double values[] = {0, 0.1, 0.2, 0.3, 1.0 / 3, 0.7, 1};
  return values[ls_random_below(random, 7)];
}

static void ties_are_ties_however_their_times_are_summed(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    ls_random_init(&random, seed, "ties");
    draw_platform(&random, &platform);
    platform.ports = LS_PORTS_ONE;
    platform.prepare.latency_s = draw_tie(&random);
    for (size_t i = 0; i < platform.workers_count; i++) {
      platform.workers[i].delay_s = draw_tie(&random);
      for (int o = LS_OPERATION_OF_WORKER; o < LS_OPERATION_COUNT; o++)
        platform.workers[i].costs[o] = (struct ls_cost){draw_tie(&random), draw_tie(&random)};
    }
    draw_plan(&random, &platform, &plan);
    for (size_t i = 0; i < plan.chunks_count; i++)
      plan.chunks[i].units = 1 + floor(plan.chunks[i].units);
    if (ls_plan_repeats(&plan)) plan.repeat.times *= 1 + 10 * ls_random_below(&random, 2);
    if (ls_plan_repeats(&plan)) expect_flat(seed, &plan, &platform);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Two replays of the same chunks that differed by a tie: 2105.97 s and 2106.17 s. */
static void a_tie_after_hundreds_of_plays_is_one(void **state) {
  static const uint32_t workers[] = {1, 1, 1, 0, 0, 1, 1, 1, 1};
  static const double units[] = {2, 4, 2, 2, 4, 4, 4, 2, 2};
  const double third = 1.0 / 3;
  const struct ls_cost costs[2][LS_OPERATION_COUNT] = {{[LS_OPERATION_SEND] = {third, third},
                                                        [LS_OPERATION_TRANSFER] = {third, 0},
                                                        [LS_OPERATION_COMPUTE] = {0.3, 1},
                                                        [LS_OPERATION_REPLY] = {third, 0.2}},
                                                       {[LS_OPERATION_SEND] = {third, third},
                                                        [LS_OPERATION_TRANSFER] = {0.3, 0.2},
                                                        [LS_OPERATION_RECEIVE] = {0.2, 0.7},
                                                        [LS_OPERATION_COMPUTE] = {third, 0},
                                                        [LS_OPERATION_REPLY] = {third, 0}}};
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.ports = LS_PORTS_ONE;
  platform.prepare.latency_s = 1;
  platform.workers[0].delay_s = 0.7;
  for (size_t i = 0; i < 2; i++)
    memcpy(platform.workers[i].costs, costs[i], sizeof platform.workers[i].costs);
  ls_plan_init(&plan, "test", 1);
  for (size_t i = 0; i < 9; i++) ls_plan_add(&plan, workers[i], 0, units[i]);
  ls_plan_repeat(&plan, 4, 7, 261);
  expect_flat(2162, &plan, &platform);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The backlog of a long prologue is worked off at 0.01 s a play, far behind the first plays. */
static void late_change_of_the_bottleneck_is_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.99;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1.3;
  ls_plan_init(&plan, "test", 1);
  ls_plan_add(&plan, 1, 0, 1);
  for (int i = 0; i < 10; i++) ls_plan_add(&plan, 0, 0, 0.01);
  ls_plan_add(&plan, 0, 0, 7);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 1, 0, 0.25);
  ls_plan_add(&plan, 0, 0, 3);
  ls_plan_repeat(&plan, 12, 14, 5000);
  expect_flat(0, &plan, &platform);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Both workers compute for 2 s a play, the network is busy for 0.5 s of them: results come back at
 * the pace of the workers, while what is sent waits for them. */
static void results_at_the_pace_of_the_workers_settle(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.125;
    platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.25;
  }
  ls_plan_init(&plan, "test", 4);
  ls_plan_add(&plan, 1, 0, 1);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 1, 0, 2);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, 1, 3, 1000);
  expect_flat(0, &plan, &platform);
  plan.repeat.times = 1000000000000;
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(is_near(plan.makespan_s, 2e12 + 1 + 0.125 + 0.25));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void million_plays_end_where_the_rates_say(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.125;
  ls_plan_init(&plan, "test", 4e12);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 1, 0, 2);
  ls_plan_repeat(&plan, 0, 2, 1000000000000);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  /* Compute-bound: worker 1 begins at 0.5 s. */
  assert_true(fabs(plan.makespan_s - (0.5 + 2e12)) <= 1e-3);
  struct ls_plan_share shares[2];
  ls_plan_shares(&plan, &platform, shares);
  assert_true(fabs(shares[0].last_s - (0.25 + 2e12)) <= 1e-3);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void chunks_that_cannot_be_played_are_named(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 6);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 7, 0, 1);
  ls_plan_repeat(&plan, 0, 2, 3);
  assert_int_equal(ls_replay(&plan, &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "chunk 1: worker is 7"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replay_of_a_body_is_that_of_its_chunks_written_out),
      cmocka_unit_test(ordered_returns_are_those_of_the_chunks_written_out),
      cmocka_unit_test(ties_are_ties_however_their_times_are_summed),
      cmocka_unit_test(a_tie_after_hundreds_of_plays_is_one),
      cmocka_unit_test(late_change_of_the_bottleneck_is_seen),
      cmocka_unit_test(results_at_the_pace_of_the_workers_settle),
      cmocka_unit_test(million_plays_end_where_the_rates_say),
      cmocka_unit_test(chunks_that_cannot_be_played_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
