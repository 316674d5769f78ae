/* Readers in the replay, beside the recurrence of their times worked out chunk by chunk. */
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
#include "model/replay_asked.h"
#include "model/validate.h"
#include "model/windows.h"

enum { CHUNKS_MOST = 12 };

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* One worker: stages a unit in `stage_s` and computes it in `compute_s`. */
static void open_platform(struct ls_platform *platform, double stage_s, double compute_s) {
  assert_int_equal(ls_platform_init(platform, 1, NULL), LS_OK);
  platform->workers[0].costs[LS_OPERATION_STAGE].per_unit_s = stage_s;
  platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = compute_s;
}

static void add_chunks(struct ls_plan *plan, size_t count, double units) {
  ls_plan_init(plan, "test", (double)count * units);
  for (size_t i = 0; i < count; i++) ls_plan_add(plan, 0, 0, units);
}

static double play(const struct ls_platform *platform, struct ls_plan *plan) {
  double makespan_s = 0;
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  assert_int_equal(ls_replay_makespan(plan, platform, &makespan_s, NULL), LS_OK);
  assert_true(makespan_s == plan->makespan_s);
  assert_int_equal(ls_validate_plan(plan, platform, NULL), LS_OK);
  return makespan_s;
}

/* Each chunk is staged in 2 s while the one before computes for 3: 2 + 4 * 3. */
static void a_reader_works_while_its_processor_does(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 3);
  add_chunks(&plan, 4, 1);
  assert_true(is_near(play(&platform, &plan), 14));
  assert_true(is_near(plan.chunks[0].stage_start_s, 0));
  assert_true(is_near(plan.chunks[0].compute_start_s, 2));
  assert_true(is_near(plan.chunks[1].stage_start_s, 2)); /* when chunk 0 begins */
  assert_true(is_near(plan.chunks[1].compute_start_s, 5));
  assert_true(
      is_near(plan.chunks[2].stage_start_s, 5)); /* one is staged and not begun until then */
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void with_none_ahead_a_chunk_is_staged_then_computed(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 3);
  platform.stage_ahead = 0;
  add_chunks(&plan, 4, 1);
  assert_true(is_near(play(&platform, &plan), 20));
  assert_true(is_near(plan.chunks[1].stage_start_s, 5));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void where_staging_takes_longer_the_processor_waits(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 3, 2);
  for (uint32_t ahead = 1; ahead <= 3; ahead++) {
    platform.stage_ahead = ahead;
    add_chunks(&plan, 4, 1);
    assert_true(is_near(play(&platform, &plan), 14)); /* 4 * 3 + 2 */
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

/* While the first chunk computes from 1 to 7, one more is staged, or two, or all. */
static void more_ahead_even_out_chunks_that_differ(void **state) {
  (void)state;
  const double stages_s[] = {1, 1, 4, 4}, computes_s[] = {6, 1, 1, 1};
  const double expected_s[] = {19, 16, 12, 11};
  for (uint32_t ahead = 0; ahead <= 3; ahead++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_window windows[4] = {{0}};
    assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
    platform.stage_ahead = ahead;
    ls_plan_init(&plan, "test", 10);
    for (size_t i = 0; i < 4; i++) {
      windows[i].from = windows[i].to = (double)i + 1;
      windows[i].costs[LS_OPERATION_STAGE].latency_s = stages_s[i];
      windows[i].costs[LS_OPERATION_COMPUTE].latency_s = computes_s[i];
      ls_plan_add(&plan, 0, 0, (double)i + 1);
    }
    assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[0], windows, 4, NULL),
                     LS_OK);
    assert_true(is_near(play(&platform, &plan), expected_s[ahead]));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static struct ls_cost draw_cost(struct ls_random *random, double scale) {
  bool is_none = ls_random_below(random, 3) == 0;
  double latency_s = scale * ls_random_real(random), per_unit_s = scale * ls_random_real(random);
  return is_none ? (struct ls_cost){0, 0} : (struct ls_cost){latency_s, per_unit_s};
}

static void draw_platform(struct ls_random *random, size_t workers, struct ls_platform *platform) {
  const uint32_t aheads[] = {0, 1, 3};
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
  platform->stage_ahead = aheads[ls_random_below(random, 3)];
  platform->prepare = draw_cost(random, 0.1);
  for (size_t i = 0; i < workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    for (int j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_REPLY; j++)
      worker->costs[j] = draw_cost(random, j < LS_OPERATION_STAGE ? 0.1 : 1);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s += 0.1;
    worker->delay_s = 0.1 * ls_random_real(random);
  }
}

static void draw_plan(struct ls_random *random, size_t workers, struct ls_plan *plan) {
  ls_plan_init(plan, "test", 0);
  size_t count = 1 + (size_t)ls_random_below(random, CHUNKS_MOST);
  for (size_t i = 0; i < count; i++) {
    double units = 1 + (double)ls_random_below(random, 5);
    ls_plan_add(plan, (uint32_t)ls_random_below(random, workers), 0, units);
    plan->load += units;
  }
}

static double price(const struct ls_worker_model *worker, enum ls_operation operation,
                    double units) {
  return worker->costs[operation].latency_s + worker->costs[operation].per_unit_s * units;
}

/* The larger of what a chunk waits for, station by station. */
static double work_out(const struct ls_platform *platform, const struct ls_plan *plan) {
  const struct ls_worker_model *worker = &platform->workers[0];
  double began_s[CHUNKS_MOST], sent_s = 0, arrived_s = 0, read_s = 0, end_s = 0;
  size_t ahead = platform->stage_ahead;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    double units = plan->chunks[i].units, stage_s = price(worker, LS_OPERATION_STAGE, units);
    sent_s += platform->prepare.latency_s + platform->prepare.per_unit_s * units +
              price(worker, LS_OPERATION_SEND, units);
    arrived_s = fmax(arrived_s, sent_s) + price(worker, LS_OPERATION_TRANSFER, units);
    double start_s = fmax(arrived_s + worker->delay_s, read_s);
    if (ahead == 0) start_s = fmax(start_s, end_s);
    if (ahead > 0 && i >= ahead) start_s = fmax(start_s, began_s[i - ahead]);
    if (!(stage_s > 0)) start_s = arrived_s + worker->delay_s;
    read_s = start_s + stage_s;
    began_s[i] = fmax(read_s, end_s);
    end_s = began_s[i] + price(worker, LS_OPERATION_RECEIVE, units) +
            price(worker, LS_OPERATION_COMPUTE, units);
  }
  return end_s;
}

static void one_worker_follows_the_recurrence(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    ls_random_init(&random, seed, "readers");
    draw_platform(&random, 1, &platform);
    draw_plan(&random, 1, &plan);
    double expected_s = work_out(&platform, &plan), got_s = play(&platform, &plan);
    if (!is_near(got_s, expected_s))
      fail_msg("seed %llu, %u ahead: makespan %.17g, expected %.17g", (unsigned long long)seed,
               platform.stage_ahead, got_s, expected_s);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Under every kind of port, with results that return. */
static void readers_keep_to_the_stations(void **state) {
  (void)state;
  const enum ls_ports ports[] = {LS_PORTS_TWO, LS_PORTS_ONE, LS_PORTS_MULTI};
  for (uint64_t seed = 1; seed <= 600; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_plan plan;
    ls_random_init(&random, seed, "readers");
    draw_platform(&random, 3, &platform);
    platform.ports = ports[seed % 3];
    for (size_t i = 0; i < 3; i++)
      platform.workers[i].costs[LS_OPERATION_REPLY] = draw_cost(&random, 0.2);
    draw_plan(&random, 3, &plan);
    (void)play(&platform, &plan);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* A body that is played again and again is that of the chunks written out. */
static void a_plan_that_repeats_is_read_ahead_across_its_plays(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 3);
  add_chunks(&plan, 2, 1);
  ls_plan_repeat(&plan, 0, 2, 50);
  plan.load = 100;
  assert_true(is_near(play(&platform, &plan), 302));
  assert_true(is_near(plan.repeat.last_end_s[1], 302));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Sent when its worker begins the one before, at 2, 5, ...: it is there when its reader is free. */
static void chunks_that_are_asked_for_are_staged_too(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, 2, 3);
  add_chunks(&plan, 4, 1);
  assert_true(ls_replay_can_ask(&plan, &platform));
  assert_int_equal(ls_replay_asked(&plan, &platform, (const double[]){0, 0, 1, 2}, NULL), LS_OK);
  assert_true(is_near(plan.makespan_s, 14));
  assert_true(is_near(plan.chunks[3].stage_start_s, 8));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void the_timeline_shows_what_the_reader_does(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  size_t found = 0;
  open_platform(&platform, 2, 3);
  add_chunks(&plan, 2, 1);
  (void)play(&platform, &plan);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_int_equal(ls_validate_timeline(&timeline, NULL), LS_OK);
  for (size_t i = 0; i < timeline.spans_count; i++) {
    const struct ls_span *span = &timeline.spans[i];
    if (span->operation != LS_OPERATION_STAGE) continue;
    assert_int_equal(span->resource, LS_RESOURCE_READER);
    assert_true(is_near(span->start_s, 2 * (double)span->chunk));
    assert_true(is_near(span->end_s, span->start_s + 2));
    found++;
  }
  assert_int_equal(found, 2);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reader_works_while_its_processor_does),
      cmocka_unit_test(with_none_ahead_a_chunk_is_staged_then_computed),
      cmocka_unit_test(where_staging_takes_longer_the_processor_waits),
      cmocka_unit_test(more_ahead_even_out_chunks_that_differ),
      cmocka_unit_test(one_worker_follows_the_recurrence),
      cmocka_unit_test(readers_keep_to_the_stations),
      cmocka_unit_test(a_plan_that_repeats_is_read_ahead_across_its_plays),
      cmocka_unit_test(chunks_that_are_asked_for_are_staged_too),
      cmocka_unit_test(the_timeline_shows_what_the_reader_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
