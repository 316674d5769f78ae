/* test_same_decisions.c: what is simulated is exactly what runs.
 *
 * Seeded jobs (policies x prefetch x asking x unequal workers x losses x iterations) run by the
 * real master and the real workers in virtual time, and simulated: each SEND goes to the same
 * worker with the same ranges, in the same order.  The linker puts a recorder before the
 * coordinator, the same one for both.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "simulate/simulate.h"
#include "virtual_run.h"

enum { SEEDS = 200, LINES_MAX = 4000 };

/* ---- the recorder ---- */

struct decision {
  uint32_t worker;
  uint64_t units, first, ranges; /* ranges: a sum of all of them */
};

struct record {
  struct decision decisions[LINES_MAX];
  size_t count;
  uint64_t lost;
};

static struct record real, simulated, *recorder = &real;

/* Orders to give back what waits, in both. */
static size_t recorder_recalls;

enum ls_status __real_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);
enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err);

static uint64_t sum_ranges(const struct ls_actions *actions, const struct ls_action_send *send) {
  uint64_t sum = 0;
  for (size_t i = 0; i < send->ranges_count; i++) {
    const struct ls_range *range = &actions->ranges[send->first_range + i];
    sum = (sum * 1000003 + range->first) * 1000003 + range->count;
  }
  return sum;
}

enum ls_status __wrap_ls_coordinator_step(struct ls_coordinator *coordinator,
                                          const struct ls_event *event, struct ls_actions *actions,
                                          struct ls_error *err) {
  enum ls_status status = __real_ls_coordinator_step(coordinator, event, actions, err);
  assert_int_equal(status, LS_OK);
  if (event->kind == LS_EVENT_LOST) recorder->lost++;
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    recorder_recalls += action->kind == LS_ACTION_RECALL;
    if (action->kind != LS_ACTION_SEND) continue;
    assert_true(recorder->count < LINES_MAX);
    recorder->decisions[recorder->count++] =
        (struct decision){.worker = action->worker,
                          .units = action->send.units,
                          .first = actions->ranges[action->send.first_range].first,
                          .ranges = sum_ranges(actions, &action->send)};
  }
  return status;
}

/* ---- the job ---- */

static double draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

static const struct ls_chunking *choose_policy(uint64_t seed) {
  size_t count = 0;
  while (ls_chunkings[count] != NULL) count++;
  return ls_chunkings[seed % count];
}

/* Messages take about a second, or a hundredth, units thousands: where two workers ask in one
 * instant is chance, which hardly occurs. */
static void draw_workers(struct virtual_job *job, struct ls_random *random) {
  double delay_s = job->config.seed % 2 == 0 ? 1 : 0.01;
  job->workers_count = 1 + ls_random_below(random, VIRTUAL_WORKERS_MAX);
  for (size_t i = 0; i < job->workers_count; i++)
    job->workers[i] = (struct virtual_worker){.delay_s = delay_s * draw(random, 1, 1.4),
                                              .unit_s = draw(random, 3000, 20000),
                                              .lost_s = (double)INFINITY};
  if (job->workers_count == 1 || ls_random_below(random, 2) == 0) return;
  size_t losses = 1 + ls_random_below(random, job->workers_count - 1);
  double span_s = (double)(job->units * job->iterations) * 10000 / (double)job->workers_count;
  for (size_t i = 0; i < losses; i++) job->workers[i + 1].lost_s = draw(random, 10, span_s);
}

static void draw_plan(struct virtual_job *job, struct ls_random *random) {
  static struct ls_plan plan;
  static struct ls_plan_chunk chunks[VIRTUAL_UNITS_MAX];
  static size_t returns[VIRTUAL_UNITS_MAX];
  size_t count = 0;
  for (uint64_t rest = job->units; rest > 0; count++) {
    uint32_t worker = (uint32_t)ls_random_below(random, job->workers_count);
    uint64_t units = 1 + ls_random_below(random, rest < 20 ? rest : 20);
    chunks[count] = (struct ls_plan_chunk){.worker = worker, .units = (double)units};
    rest -= units;
  }
  plan = (struct ls_plan){.chunks = chunks, .chunks_count = count};
  job->config.plan = &plan;
  if (ls_random_below(random, 2) == 0) return;
  for (size_t i = 0; i < count; i++) {
    size_t place = (size_t)ls_random_below(random, i + 1);
    returns[i] = returns[place];
    returns[place] = i;
  }
  plan.has_returns = true;
  plan.returns = returns;
  plan.returns_count = count;
}

static void draw_job(struct virtual_job *job, uint64_t seed) {
  static const char *const orders[] = {"fifo", "fifo", "random"};
  static double weights[VIRTUAL_WORKERS_MAX];
  struct ls_random random;
  ls_random_init(&random, seed, "same decisions");
  *job = (struct virtual_job){.units = 20 + ls_random_below(&random, VIRTUAL_UNITS_MAX - 20),
                              .prefetch = ls_random_below(&random, 5),
                              .config = {.seed = seed},
                              .iterations = 1 + (uint32_t)ls_random_below(&random, 2)};
  draw_workers(job, &random);
  for (uint64_t i = 0; i < job->units * job->iterations; i++) job->work[i] = draw(&random, 0.2, 2);
  struct ls_coordinator_config *config = &job->config;
  config->chunking = choose_policy(seed);
  ls_arguments_init(&config->arguments, config->chunking->parameters);
  config->ordering = ls_ordering_find(orders[ls_random_below(&random, 3)]);
  config->workers = config->workers_max = job->workers_count;
  config->mean_seconds = 10000;
  config->deviation_seconds = 3000;
  config->overhead_seconds = 3;
  config->spares_newcomers = ls_random_below(&random, 2) == 0;
  for (size_t i = 0; i < job->workers_count; i++) weights[i] = 10000 / job->workers[i].unit_s;
  if (ls_random_below(&random, 2) == 0) {
    config->weights = weights;
    config->weights_count = job->workers_count;
  }
  if (config->chunking->is_pushed) draw_plan(job, &random);
}

/* ---- the simulation ---- */

/* When the master takes up the first request of each worker.  A worker says hello, is welcomed, and
 * then asks: three ways.  The master awaits the others for a moment and begins in the order of the
 * slots. */
static void find_first_requests(const struct virtual_job *job, double *first_s) {
  double earliest_s = (double)INFINITY, latest_s = 0;
  for (size_t i = 0; i < job->workers_count; i++) {
    first_s[i] = 3 * job->workers[i].delay_s;
    earliest_s = fmin(earliest_s, first_s[i]);
    latest_s = fmax(latest_s, first_s[i]);
  }
  if (job->config.chunking->is_pushed) return;
  double begin_s = fmin(earliest_s + 0.05, latest_s);
  for (size_t i = 0; i < job->workers_count; i++)
    if (first_s[i] <= begin_s) first_s[i] = begin_s + 1e-6 * (double)i;
}

static uint64_t count_idle(const struct virtual_job *job) {
  uint64_t units = 0;
  for (uint32_t k = 0; k < job->iterations; k++)
    units += job->idle[k][0].count + job->idle[k][1].count;
  return units;
}

static void simulate(const struct virtual_job *job) {
  struct ls_platform platform;
  struct ls_ranges idle[VIRTUAL_ITERATIONS_MAX] = {{0}};
  struct ls_simulated result;
  struct ls_error err = {0};
  struct ls_simulated_change join[VIRTUAL_WORKERS_MAX], leave[VIRTUAL_WORKERS_MAX];
  double first_s[VIRTUAL_WORKERS_MAX];
  struct ls_simulation setup = {
      .platform = &platform,
      .config = job->config,
      .units = job->units,
      .task_work = job->work,
      .iterations = job->iterations,
      .idle = idle,
      .prefetch = job->prefetch,
      .asking = job->config.spares_newcomers ? LS_ASKING_ROOM : LS_ASKING_ONE,
      .join = join,
      .leave = leave};
  assert_int_equal(ls_platform_init(&platform, job->workers_count, &err), LS_OK);
  find_first_requests(job, first_s);
  for (size_t i = 0; i < (size_t)2 * VIRTUAL_ITERATIONS_MAX; i++)
    ls_ranges_add(&idle[i / 2], job->idle[i / 2][i % 2]);
  for (uint32_t i = 0; i < job->workers_count; i++) {
    const struct virtual_worker *worker = &job->workers[i];
    platform.workers[i].delay_s = worker->delay_s;
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = worker->unit_s;
    join[setup.join_count++] = (struct ls_simulated_change){i, first_s[i] - worker->delay_s};
    if (isfinite(worker->lost_s))
      leave[setup.leave_count++] = (struct ls_simulated_change){i, worker->lost_s};
  }
  if (ls_simulate(&setup, &result, NULL, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(result.units_done, job->units * job->iterations - count_idle(job));
  for (size_t i = 0; i < VIRTUAL_ITERATIONS_MAX; i++) ls_ranges_close(&idle[i]);
  ls_platform_close(&platform);
}

/* ---- the tests ---- */

static bool are_same(const struct decision *a, const struct decision *b) {
  return a->worker == b->worker && a->units == b->units && a->first == b->first &&
         a->ranges == b->ranges;
}

/* 0: they are the same; else 1 + the index of the first difference. */
static size_t find_difference(void) {
  size_t most = real.count > simulated.count ? real.count : simulated.count;
  for (size_t i = 0; i < most; i++)
    if (i >= real.count || i >= simulated.count ||
        !are_same(&real.decisions[i], &simulated.decisions[i]))
      return i + 1;
  return 0;
}

static void run_both(struct virtual_job *job) {
  real.count = simulated.count = 0;
  real.lost = simulated.lost = 0;
  recorder = &real;
  assert_int_equal(virtual_run(job), job->units * job->iterations - count_idle(job));
  recorder = &simulated;
  simulate(job);
}

static void play(uint64_t seed, struct virtual_job *job) {
  draw_job(job, seed);
  run_both(job);
}

static void explain(uint64_t seed, const struct virtual_job *job, size_t at) {
  const struct decision *a = &real.decisions[at - 1], *b = &simulated.decisions[at - 1];
  print_error(
      "seed %llu, %s, prefetch %llu, %zu workers, %s: decision %zu of %zu and %zu: really "
      "%llu units from %llu to worker %u, simulated %llu from %llu to %u\n",
      (unsigned long long)seed, job->config.chunking->name, (unsigned long long)job->prefetch,
      job->workers_count, job->config.spares_newcomers ? "room" : "one", at, real.count,
      simulated.count, (unsigned long long)a->units, (unsigned long long)a->first,
      (unsigned)a->worker, (unsigned long long)b->units, (unsigned long long)b->first,
      (unsigned)b->worker);
}

static void a_run_decides_as_its_simulation(void **state) {
  static struct virtual_job job;
  size_t decisions = 0, lost = 0, different = 0;
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    play(seed, &job);
    size_t at = find_difference();
    decisions += real.count;
    lost += real.lost;
    different += at > 0;
    if (at > 0) explain(seed, &job, at);
  }
  print_message("%d jobs, %zu decisions, %zu workers lost\n", SEEDS, decisions, lost);
  assert_int_equal(different, 0);
  assert_true(decisions > 10 * SEEDS && lost > SEEDS / 4);
}

/* Two ranges at most, in order; of the whole iteration now and then. */
static void draw_idle(struct virtual_job *job, struct ls_random *random) {
  for (uint32_t k = 0; k < job->iterations; k++) {
    uint64_t half = job->units / 2;
    for (uint64_t i = 0; i < 2; i++) {
      uint64_t first = ls_random_below(random, half);
      job->idle[k][i] =
          (struct ls_range){i * half + first, ls_random_below(random, half - first + 1)};
    }
    if (ls_random_below(random, 8) > 0) continue;
    job->idle[k][0] = (struct ls_range){0, job->units};
    job->idle[k][1] = (struct ls_range){0, 0};
  }
}

/* Units of an iteration that have nothing to do are never sent, and no policy counts them. */
static void units_that_are_idle_are_so_in_both(void **state) {
  static struct virtual_job job;
  size_t different = 0;
  uint64_t idle = 0, units = 0;
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    draw_job(&job, seed);
    if (job.config.chunking->is_pushed) continue; /* a plan has all units */
    ls_random_init(&random, seed, "idle");
    draw_idle(&job, &random);
    run_both(&job);
    idle += count_idle(&job);
    units += job.units * job.iterations;
    size_t at = find_difference();
    different += at > 0;
    if (at > 0) explain(seed, &job, at);
  }
  print_message("%llu of %llu units idle\n", (unsigned long long)idle, (unsigned long long)units);
  assert_int_equal(different, 0);
  assert_true(idle > units / 4 && idle < units * 3 / 4);
}

/* What waits is taken back for who is idle.  One unit waits at each, as by default: of more, a real
 * master serves the idle ones with the first result of a frame, a simulated one with its last. */
static void what_is_recalled_is_the_same(void **state) {
  static struct virtual_job job;
  size_t different = 0, recalled = 0;
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    draw_job(&job, seed);
    job.config.chunking = ls_chunking_find("ss");
    job.config.plan = NULL;
    job.config.spares_newcomers = job.config.recalls = true;
    job.prefetch = 1;
    recorder_recalls = 0;
    run_both(&job);
    recalled += recorder_recalls;
    size_t at = find_difference();
    different += at > 0;
    if (at > 0) explain(seed, &job, at);
  }
  print_message("%zu recalls\n", recalled);
  assert_int_equal(different, 0);
  assert_true(recalled > SEEDS / 2);
}

/* Seeds that ever failed: the second iteration of a plan waited for a pulse of the master. */
static void seeds_that_failed_once_do_not_again(void **state) {
  static const uint64_t seeds[] = {263, 373, 725, 791};
  static struct virtual_job job;
  (void)state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    play(seeds[i], &job);
    size_t at = find_difference();
    if (at > 0) explain(seeds[i], &job, at);
    assert_int_equal(at, 0);
  }
}

/* Four workers, gss; the last one asks first. */
static void run_four(double slowest_delay_s) {
  static struct virtual_job job;
  job = (struct virtual_job){.units = 100, .prefetch = 0, .iterations = 1, .workers_count = 4};
  for (size_t i = 0; i < 4; i++)
    job.workers[i] = (struct virtual_worker){
        .delay_s = 0.01 - 0.001 * (double)i, .unit_s = 1, .lost_s = (double)INFINITY};
  job.workers[0].delay_s = slowest_delay_s;
  for (size_t i = 0; i < 100; i++) job.work[i] = 1;
  job.config = (struct ls_coordinator_config){.chunking = ls_chunking_find("gss"),
                                              .workers = 4,
                                              .workers_max = 4,
                                              .mean_seconds = (double)NAN,
                                              .deviation_seconds = (double)NAN,
                                              .overhead_seconds = (double)NAN};
  ls_arguments_init(&job.config.arguments, job.config.chunking->parameters);
  real.count = 0;
  recorder = &real;
  assert_int_equal(virtual_run(&job), 100);
}

/* gss hands out a quarter first: who gets it must not be chance. */
static void a_run_begins_in_the_order_of_the_slots(void **state) {
  (void)state;
  run_four(0.012);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(real.decisions[i].worker, i);
  assert_int_equal(real.decisions[0].units, 25);
}

/* It would ask after 3 s; the others have begun long before. */
static void a_late_worker_is_not_awaited(void **state) {
  (void)state;
  run_four(1);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(real.decisions[i].worker, i + 1);
}

/* A comparison that cannot see a difference would prove nothing. */
static void another_prefetch_or_speed_is_seen(void **state) {
  static struct virtual_job job;
  size_t by_prefetch = 0, by_speed = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    play(seed, &job);
    simulated.count = 0;
    job.prefetch++;
    simulate(&job);
    by_prefetch += find_difference() > 0;
    simulated.count = 0;
    job.prefetch--;
    job.workers[0].unit_s *= 1.2;
    simulate(&job);
    by_speed += find_difference() > 0;
  }
  assert_true(by_prefetch > 20 && by_speed > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_decides_as_its_simulation),
      cmocka_unit_test(units_that_are_idle_are_so_in_both),
      cmocka_unit_test(what_is_recalled_is_the_same),
      cmocka_unit_test(seeds_that_failed_once_do_not_again),
      cmocka_unit_test(a_run_begins_in_the_order_of_the_slots),
      cmocka_unit_test(a_late_worker_is_not_awaited),
      cmocka_unit_test(another_prefetch_or_speed_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
