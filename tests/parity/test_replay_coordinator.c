/* Two players of one plan: the replay of the model, and the coordinator that follows it in virtual
 * time.  For plans of whole units they must agree, or one of them is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/validate.h"
#include "model/windows.h"
#include "simulate/simulate.h"

enum { WORKERS_MAX = 6, CHUNKS_MAX = 40, UNITS_MAX = 12, TIES_FROM = 3000 /* seed */ };

struct pair { /* for both players */
  struct ls_platform platform;
  struct ls_plan plan;
  uint64_t units;
};

static double draw(struct ls_random *random, double most) {
  return most * ls_random_real(random);
}

static struct ls_cost draw_cost(struct ls_random *random, double latency_s, double per_unit_s) {
  struct ls_cost cost = {0, 0};
  if (ls_random_below(random, 2)) cost.latency_s = draw(random, latency_s);
  if (ls_random_below(random, 2)) cost.per_unit_s = draw(random, per_unit_s);
  return cost;
}

static void draw_platform(struct pair *pair, struct ls_random *random, bool has_replies) {
  struct ls_platform *platform = &pair->platform;
  struct ls_error err = {0};
  if (ls_platform_init(platform, 1 + ls_random_below(random, WORKERS_MAX), &err) != LS_OK)
    fail_msg("%s", err.text);
  platform->ports = ls_random_below(random, 2) ? LS_PORTS_ONE : LS_PORTS_TWO;
  platform->prepare = draw_cost(random, 0.1, 0.02);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_SEND] = draw_cost(random, 0.2, 0.05);
    worker->costs[LS_OPERATION_TRANSFER] = draw_cost(random, 0.4, 0.2);
    worker->delay_s = ls_random_below(random, 2) ? draw(random, 1) : 0;
    worker->costs[LS_OPERATION_RECEIVE] = draw_cost(random, 0.2, 0.05);
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){draw(random, 0.5), 0.1 + draw(random, 2)};
    if (has_replies) worker->costs[LS_OPERATION_REPLY] = draw_cost(random, 0.4, 0.2);
  }
}

/* Costs in quarters of a second, so that much happens at one instant. */
static void round_costs(struct pair *pair) {
  struct ls_platform *platform = &pair->platform;
  struct ls_cost *prepare = &platform->prepare;
  *prepare = (struct ls_cost){round(40 * prepare->latency_s) / 4, 0};
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->delay_s = round(4 * worker->delay_s) / 4;
    for (int k = 0; k < LS_OPERATION_COUNT; k++) {
      struct ls_cost *cost = &worker->costs[k];
      *cost = (struct ls_cost){round(4 * cost->latency_s) / 4, round(4 * cost->per_unit_s) / 4};
    }
  }
}

/* Limits that the plan keeps to: nobody reads them while it is played. */
static void set_limits(struct pair *pair) {
  for (size_t i = 0; i < pair->platform.workers_count; i++) {
    pair->platform.workers[i].window_from = 1;
    pair->platform.workers[i].window_to = UNITS_MAX;
    pair->platform.workers[i].room_units = (double)pair->units;
  }
}

/* Small chunks cost what the worker says, larger ones something else. */
static void split_windows(struct pair *pair, struct ls_random *random) {
  for (size_t i = 0; i < pair->platform.workers_count; i++) {
    struct ls_worker_model *worker = &pair->platform.workers[i];
    struct ls_window windows[2] = {{.from = 1, .to = 5}, {.from = 6, .to = UNITS_MAX}};
    memcpy(windows[0].costs, worker->costs, sizeof worker->costs);
    for (int o = LS_OPERATION_OF_WORKER; o < LS_OPERATION_COUNT; o++)
      windows[1].costs[o] = (struct ls_cost){worker->costs[o].latency_s * draw(random, 2),
                                             worker->costs[o].per_unit_s * draw(random, 2)};
    if (ls_random_below(random, 3) > 0)
      assert_int_equal(ls_platform_set_windows(&pair->platform, worker, windows, 2, NULL), LS_OK);
  }
}

/* Times of a few tenths and thirds on one port, for one worker: results are often ready when a
 * transfer is, and no two of them at once. */
static void draw_ties(struct ls_platform *platform, struct ls_random *random) {
  static const double values[] = {0, 0.1, 0.2, 0.3, 1.0 / 3, 0.7, 1};
  platform->ports = LS_PORTS_ONE;
  platform->prepare = (struct ls_cost){0, 0};
  for (size_t i = 0; i < platform->workers_count; i++) {
    platform->workers[i].delay_s = 0;
    for (int o = LS_OPERATION_OF_WORKER; o < LS_OPERATION_COUNT; o++)
      if (o != LS_OPERATION_STAGE)
        platform->workers[i].costs[o] = (struct ls_cost){values[ls_random_below(random, 7)],
                                                         values[1 + ls_random_below(random, 6)]};
  }
}

/* Some workers read their own input, in quarters of a second or any time, at a storage with places
 * for some of them or all. */
static void draw_readers(struct pair *pair, uint64_t seed) {
  static const uint32_t aheads[] = {0, 1, 3};
  struct ls_random random;
  struct ls_platform *platform = &pair->platform;
  ls_random_init(&random, seed, "readers");
  platform->stage_ahead = aheads[ls_random_below(&random, 3)];
  platform->storage_readers = ls_random_below(&random, 4);
  double per_s = ls_random_below(&random, 2) ? 4 : 1e6;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double latency_s = round(draw(&random, 1) * per_s) / per_s;
    double per_unit_s = round(draw(&random, 2) * per_s) / per_s;
    if (worker->windows_count == 0 && ls_random_below(&random, 5) > 0)
      worker->costs[LS_OPERATION_STAGE] = (struct ls_cost){latency_s, per_unit_s};
  }
}

static void open_pair(struct pair *pair, uint64_t seed, bool has_replies) {
  struct ls_random random;
  struct ls_error err = {0};
  ls_random_init(&random, seed, "parity");
  memset(pair, 0, sizeof *pair);
  draw_platform(pair, &random, has_replies);
  if (seed >= TIES_FROM) draw_ties(&pair->platform, &random);
  size_t count = 1 + ls_random_below(&random, CHUNKS_MAX);
  ls_plan_init(&pair->plan, "parity", 0);
  for (size_t i = 0; i < count; i++) {
    uint32_t worker = (uint32_t)ls_random_below(&random, pair->platform.workers_count);
    if (seed >= TIES_FROM) worker = 0;
    uint64_t units = 1 + ls_random_below(&random, UNITS_MAX);
    ls_plan_add(&pair->plan, worker, 0, (double)units);
    pair->units += units;
  }
  pair->plan.load = (double)pair->units;
  if (ls_random_below(&random, 4) == 0) round_costs(pair);
  if (ls_random_below(&random, 4) == 0) set_limits(pair);
  if (seed < TIES_FROM && ls_random_below(&random, 4) == 0) split_windows(pair, &random);
  if (ls_plan_finish(&pair->plan, &err) != LS_OK) fail_msg("%s", err.text);
}

static void close_pair(struct pair *pair) {
  ls_plan_close(&pair->plan);
  ls_platform_close(&pair->platform);
}

/* The chunks return in an order that is drawn, all of them or some. */
static void draw_returns(struct pair *pair, uint64_t seed) {
  struct ls_random random;
  size_t order[CHUNKS_MAX], count = pair->plan.chunks_count;
  ls_random_init(&random, seed, "returns");
  for (size_t i = 0; i < count; i++) {
    size_t place = (size_t)ls_random_below(&random, i + 1);
    order[i] = order[place];
    order[place] = i;
  }
  if (ls_random_below(&random, 4) == 0) count = (size_t)ls_random_below(&random, count + 1);
  ls_plan_order_returns(&pair->plan);
  for (size_t i = 0; i < count; i++) ls_plan_add_return(&pair->plan, order[i]);
}

/* A body is played several times, and some of the chunks behind it return, in any order. */
static void draw_body(struct pair *pair, uint64_t seed) {
  struct ls_random random;
  struct ls_plan *plan = &pair->plan;
  size_t order[CHUNKS_MAX], count = 0;
  ls_random_init(&random, seed, "body");
  size_t from = (size_t)ls_random_below(&random, plan->chunks_count);
  size_t to = from + 1 + (size_t)ls_random_below(&random, plan->chunks_count - from);
  uint64_t times = 2 + ls_random_below(&random, 6);
  for (size_t i = from; i < to; i++) pair->units += (times - 1) * (uint64_t)plan->chunks[i].units;
  plan->load = (double)pair->units;
  for (size_t i = 0; i < pair->platform.workers_count; i++)
    if (!isinf(pair->platform.workers[i].room_units))
      pair->platform.workers[i].room_units = (double)pair->units;
  ls_plan_repeat(plan, from, to, times);
  ls_plan_order_returns(plan);
  for (size_t i = to; i < plan->chunks_count; i++) {
    size_t place = (size_t)ls_random_below(&random, count + 1);
    if (ls_random_below(&random, 5) == 0) continue;
    order[count++] = order[place];
    order[place] = i;
  }
  for (size_t i = 0; i < count; i++) ls_plan_add_return(plan, order[i]);
  assert_int_equal(ls_plan_finish(plan, NULL), LS_OK);
}

static void simulate(const struct pair *pair, struct ls_simulated *result,
                     struct ls_timeline *timeline) {
  struct ls_error err = {0};
  struct ls_simulation setup = {
      .platform = &pair->platform, .units = pair->units, .wants_spans = true};
  setup.config.chunking = ls_chunking_find("follow-plan");
  assert_non_null(setup.config.chunking);
  ls_arguments_init(&setup.config.arguments, setup.config.chunking->parameters);
  setup.config.plan = &pair->plan;
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  setup.config.is_exact = true;
  if (ls_simulate(&setup, result, timeline, &err) != LS_OK) fail_msg("%s", err.text);
}

static void check_near(uint64_t seed, const char *what, double got, double expected) {
  if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("seed %llu: %s is %.17g in the simulation, %.17g in the replay",
             (unsigned long long)seed, what, got, expected);
}

/* Every station of every chunk, not only the last instant. */
static void check_spans(uint64_t seed, const struct pair *pair,
                        const struct ls_timeline *timeline) {
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    const struct ls_plan_chunk *chunk = &pair->plan.chunks[span->chunk];
    assert_int_equal(span->worker, chunk->worker);
    if (span->operation == LS_OPERATION_TRANSFER)
      check_near(seed, "the begin of a transfer", span->start_s, chunk->transfer_start_s);
    if (span->operation == LS_OPERATION_STAGE)
      check_near(seed, "the begin of staging", span->start_s, chunk->stage_start_s);
    if (span->operation == LS_OPERATION_COMPUTE)
      check_near(seed, "the end of computing", span->end_s, chunk->compute_end_s);
    if (span->operation == LS_OPERATION_REPLY)
      check_near(seed, "the end of a reply", span->end_s, chunk->reply_end_s);
  }
}

enum replies { REPLIES_NONE, REPLIES_AS_COMPUTED, REPLIES_AS_PLANNED, REPLIES_BEHIND_A_BODY };

static void compare_players(uint64_t seed, enum replies replies, bool has_readers) {
  struct pair pair;
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  struct ls_timeline timeline;
  open_pair(&pair, seed, replies != REPLIES_NONE);
  if (has_readers) draw_readers(&pair, seed);
  if (replies == REPLIES_AS_PLANNED) draw_returns(&pair, seed);
  if (replies == REPLIES_BEHIND_A_BODY) draw_body(&pair, seed);
  ls_timeline_init(&timeline);
  if (ls_replay(&pair.plan, &pair.platform, &err) != LS_OK) fail_msg("%s", err.text);
  simulate(&pair, &result, &timeline);
  check_near(seed, "the makespan", result.makespan_s, pair.plan.makespan_s);
  if (replies == REPLIES_BEHIND_A_BODY) {
    assert_int_equal(ls_plan_unfold(&pair.plan, NULL), LS_OK);
    assert_int_equal(ls_replay(&pair.plan, &pair.platform, NULL), LS_OK);
    check_near(seed, "the makespan", result.makespan_s, pair.plan.makespan_s);
  }
  assert_int_equal(result.chunks, pair.plan.chunks_count);
  assert_int_equal(result.units_done, pair.units);
  check_spans(seed, &pair, &timeline);
  if (ls_validate_plan(&pair.plan, &pair.platform, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_validate_timeline(&timeline, &err) != LS_OK) fail_msg("%s", err.text);
  ls_timeline_close(&timeline);
  close_pair(&pair);
}

static void plans_without_replies_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 500; seed++) compare_players(seed, REPLIES_NONE, false);
}

static void plans_with_replies_in_computing_order_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 1000; seed++) compare_players(seed, REPLIES_AS_COMPUTED, false);
}

/* Workers hold what the order does not let go yet. */
static void plans_with_replies_in_a_planned_order_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = 1000; seed < 3000; seed++) compare_players(seed, REPLIES_AS_PLANNED, false);
}

static void plans_that_repeat_before_ordered_replies_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 500; seed++) compare_players(seed, REPLIES_BEHIND_A_BODY, false);
}

static void plans_with_ties_on_one_port_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = TIES_FROM; seed < TIES_FROM + 500; seed++)
    compare_players(seed, REPLIES_AS_COMPUTED, false);
}

/* Under each order of replies: also where readers wait for each other. */
static void plans_of_workers_that_read_end_alike(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 1600; seed++)
    compare_players(seed, (enum replies)(seed % 4), true);
}

/* A comparison that cannot see a difference would prove nothing: one unit less must show. */
static void another_plan_ends_differently(void **state) {
  (void)state;
  struct pair pair;
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  struct ls_timeline timeline;
  open_pair(&pair, 3, false);
  ls_timeline_init(&timeline);
  if (ls_replay(&pair.plan, &pair.platform, &err) != LS_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < pair.plan.chunks_count; i++) {
    pair.plan.chunks[i].units++;
    pair.units++;
  }
  simulate(&pair, &result, &timeline);
  assert_true(result.makespan_s > pair.plan.makespan_s + 1e-6);
  ls_timeline_close(&timeline);
  close_pair(&pair);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_without_replies_end_alike),
      cmocka_unit_test(plans_with_replies_in_computing_order_end_alike),
      cmocka_unit_test(plans_with_replies_in_a_planned_order_end_alike),
      cmocka_unit_test(plans_that_repeat_before_ordered_replies_end_alike),
      cmocka_unit_test(plans_with_ties_on_one_port_end_alike),
      cmocka_unit_test(plans_of_workers_that_read_end_alike),
      cmocka_unit_test(another_plan_ends_differently),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
