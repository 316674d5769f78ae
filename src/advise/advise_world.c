#include "advise/advise_world.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/windows.h"
#include "simulate/task_times.h"
#include "theory/speeds.h"

/* The cost of a message where it has not been measured: between processes of one machine, and
 * between machines; and the cost of a request for the master. */
static const double LOCAL_LATENCY_S = 1e-4, REMOTE_LATENCY_S = 1e-3, REQUEST_S = 2e-5;
/* An advice takes at most this share of the run, and never longer than that. */
static const double TIME_SHARE = 0.01, TIME_MOST_S = 0.5;
enum { UNITS_MAX = 20000 };
static const double SECONDS_LEAST = 1e-9;

bool ls_advise_world_is_known(const struct ls_run_situation *situation) {
  bool has_history = situation->history != NULL && situation->history->mean_seconds > 0;
  return situation->units > 0 &&
         (situation->platform != NULL || situation->times != NULL || has_history);
}

static uint64_t limit_units(uint64_t units, uint64_t most) {
  if (most == 0) most = UNITS_MAX;
  return units < most ? units : most;
}

/* `units`: those that are simulated. */
static enum ls_status make_room(struct ls_advise_world *world, size_t workers, uint64_t units,
                                struct ls_error *err) {
  *world = (struct ls_advise_world){.units = units};
  enum ls_status status = ls_platform_init(&world->platform, workers, err);
  if (status != LS_OK) return status;
  world->work = calloc(world->units + 1, sizeof *world->work);
  world->weights = calloc(workers, sizeof *world->weights);
  if (world->work == NULL || world->weights == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for an advice");
  world->platform.prepare.latency_s = REQUEST_S;
  return LS_OK;
}

/* Weights, the cost of a request, and until when there is time: a run of `units` takes no less than
 * these units, and `run_s` where that was seen. */
static void complete(struct ls_advise_world *world, uint64_t units, double run_s) {
  size_t workers = world->platform.workers_count;
  double rate = 0, delay_s = 0, chunk_s = 0;
  for (size_t i = 0; i < workers; i++) {
    const struct ls_cost *compute = &world->platform.workers[i].costs[LS_OPERATION_COMPUTE];
    double unit_s = compute->per_unit_s;
    chunk_s += compute->latency_s / (double)workers;
    world->weights[i] = world->mean_s / unit_s;
    rate += 1 / unit_s;
    delay_s += world->platform.workers[i].delay_s / (double)workers;
  }
  bool varies = world->variation > 0 || world->drawn_variation > 0;
  world->is_certain = world->times != NULL || !varies;
  world->request_s = world->platform.prepare.latency_s + 2 * delay_s;
  world->overhead_s = world->request_s + chunk_s;
  run_s = fmax(run_s, (double)units / rate);
  if (world->clock_s == NULL) return;
  world->stop_s = world->clock_s() + fmin(TIME_MOST_S, TIME_SHARE * run_s);
}

/* ---- before the run ---- */

static void take_times(struct ls_advise_world *world, const struct ls_run_situation *situation) {
  struct ls_moments moments = {0};
  if (situation->times != NULL) {
    for (uint64_t i = 0; i < situation->units; i++) ls_moments_add(&moments, situation->times[i]);
    world->mean_s = moments.mean;
    world->deviation_s = ls_moments_deviation(&moments);
    world->times = situation->times;
  } else if (situation->history != NULL && situation->history->mean_seconds > 0) {
    const struct ls_run_history *history = situation->history;
    for (size_t i = 0; i < history->shares_count; i++) ls_moments_add(&moments, history->shares[i]);
    world->mean_s = history->mean_seconds;
    world->deviation_s = ls_moments_deviation(&moments) * world->mean_s;
    world->history = history;
  }
  world->mean_s = fmax(world->mean_s, SECONDS_LEAST);
  world->variation = world->deviation_s / world->mean_s;
}

static void forget_law(struct ls_worker_model *worker) {
  worker->unit_law = LS_DURATION_CONSTANT;
  worker->unit_variation = 0;
}

/* The platform says how long a unit takes; times and history then say how units differ, else its
 * workers' laws. */
static enum ls_status take_platform(struct ls_advise_world *world,
                                    const struct ls_platform *platform, struct ls_error *err) {
  struct ls_moments moments = {0};
  for (size_t i = 0; i < world->platform.workers_count; i++) {
    struct ls_worker_model *worker = &world->platform.workers[i];
    char *name = worker->name; /* ours */
    *worker = platform->workers[i];
    worker->name = name;
    if (world->history != NULL || world->times != NULL) forget_law(worker);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s =
        fmax(worker->costs[LS_OPERATION_COMPUTE].per_unit_s, SECONDS_LEAST);
    ls_moments_add(&moments, worker->costs[LS_OPERATION_COMPUTE].per_unit_s);
  }
  world->platform.prepare = platform->prepare;
  world->platform.ports = platform->ports;
  world->platform.ports_alpha = platform->ports_alpha;
  world->platform.ports_limit = platform->ports_limit;
  world->platform.master_share = platform->master_share;
  world->platform.storage_readers = platform->storage_readers;
  world->platform.stage_ahead = platform->stage_ahead;
  world->mean_s = moments.mean;
  world->drawn_variation = ls_platform_unit_variation(&world->platform);
  world->deviation_s = fmax(world->variation, world->drawn_variation) * moments.mean;
  return ls_platform_own_windows(&world->platform, err);
}

enum ls_status ls_advise_world_open(struct ls_advise_world *world,
                                    const struct ls_run_situation *situation,
                                    struct ls_error *err) {
  enum ls_status status = make_room(world, situation->workers,
                                    limit_units(situation->units, situation->units_most), err);
  if (status != LS_OK) return status;
  world->seed = situation->seed;
  world->clock_s = situation->clock_s;
  world->has_whole_chunks = situation->has_whole_chunks;
  world->knows_speeds = situation->weights != NULL || situation->platform != NULL;
  take_times(world, situation);
  double delay_s = situation->is_remote ? REMOTE_LATENCY_S : LOCAL_LATENCY_S, chunk_s = 0;
  if (situation->history != NULL)
    chunk_s = ls_overhead_per_chunk(&situation->history->overhead, delay_s);
  for (size_t i = 0; i < situation->workers; i++) {
    double unit_s = world->mean_s;
    if (situation->weights != NULL && situation->weights[i] > 0)
      unit_s = world->mean_s / situation->weights[i];
    else if (world->history != NULL)
      unit_s = ls_run_history_slot(world->history, i);
    world->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = fmax(unit_s, SECONDS_LEAST);
    world->platform.workers[i].delay_s = delay_s;
    world->platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = chunk_s;
  }
  if (situation->platform != NULL) status = take_platform(world, situation->platform, err);
  complete(world, situation->units, 0);
  return status;
}

/* ---- during the run ---- */

/* The variation of units is that on one worker: a difference between workers is one of speed. */
static void measure_times(struct ls_advise_world *world, const struct ls_adviser_facts *facts) {
  double busy_s = 0, units = 0, variance = 0, freedom = 0;
  for (size_t i = 0; i < facts->workers_count; i++) {
    const struct ls_adviser_worker *worker = &facts->workers[i];
    double own = (double)worker->units, mean_s = own > 0 ? worker->busy_s / own : 0;
    busy_s += worker->busy_s;
    units += own;
    if (worker->units < 2 || !(mean_s > SECONDS_LEAST)) continue;
    variance += fmax(0, worker->squares / mean_s / mean_s - own);
    freedom += own - 1;
  }
  world->mean_s = units > 0 ? fmax(busy_s / units, SECONDS_LEAST) : SECONDS_LEAST;
  world->variation = freedom > 0 ? sqrt(variance / freedom) : 0;
  world->deviation_s = world->variation * world->mean_s;
}

/* Workers that were released are expected to have the mean. */
static enum ls_status measure_speeds(struct ls_advise_world *world,
                                     const struct ls_adviser_facts *facts, struct ls_error *err) {
  size_t workers = world->platform.workers_count;
  struct ls_speed_sample *samples = calloc(workers, sizeof *samples);
  double *unit_s = calloc(workers, sizeof *unit_s);
  bool has_memory = samples != NULL && unit_s != NULL;
  for (size_t i = 0; i < facts->workers_count && has_memory; i++) {
    const struct ls_adviser_worker *worker = &facts->workers[i];
    samples[i] = (struct ls_speed_sample){(double)worker->units, worker->busy_s, worker->squares};
  }
  if (has_memory) (void)ls_speeds_estimate(samples, workers, unit_s);
  for (size_t i = 0; i < workers && has_memory; i++)
    world->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = unit_s[i];
  free(samples);
  free(unit_s);
  return has_memory ? LS_OK : ls_fail(err, LS_ENOMEM, "out of memory for an advice");
}

static void limit(struct ls_worker_model *worker, const struct ls_room *room) {
  if (room->units > 0) worker->room_units = (double)room->units;
  if (room->chunk_units > 0) worker->window_to = (double)room->chunk_units;
}

enum ls_status ls_advise_world_observe(struct ls_advise_world *world,
                                       const struct ls_adviser_facts *facts, bool is_remote,
                                       double (*clock_s)(void), struct ls_error *err) {
  size_t there = facts->workers_count;
  size_t workers = facts->workers_most > there ? facts->workers_most : there;
  enum ls_status status = make_room(world, workers, limit_units(facts->units_left, 0), err);
  if (status != LS_OK) return status;
  world->clock_s = clock_s;
  world->knows_speeds = true; /* the coordinator measures them */
  measure_times(world, facts);
  status = measure_speeds(world, facts, err);
  if (status != LS_OK) return status;
  double latency_s = is_remote ? REMOTE_LATENCY_S : LOCAL_LATENCY_S, overhead_s = 0;
  for (size_t i = 0; i < there; i++) overhead_s += facts->workers[i].overhead_s / (double)there;
  for (size_t i = 0; i < workers; i++) {
    const struct ls_adviser_worker *worker = i < there ? &facts->workers[i] : NULL;
    world->platform.workers[i].delay_s =
        worker != NULL && worker->latency_s > 0 ? worker->latency_s : latency_s;
    world->platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s =
        worker != NULL ? worker->overhead_s : overhead_s;
    if (worker != NULL && facts->rooms != NULL)
      limit(&world->platform.workers[i], &facts->rooms[i]);
  }
  complete(world, facts->units_left, facts->left_s);
  return LS_OK;
}

void ls_advise_world_close(struct ls_advise_world *world) {
  free(world->work);
  free(world->weights);
  ls_platform_close(&world->platform);
  *world = (struct ls_advise_world){0};
}

/* ---- for ls_advise ---- */

/* Declared times stand as they are; with a history, each unit takes the time of some known one. */
static enum ls_status draw_work(struct ls_advise_world *world, struct ls_random *random,
                                struct ls_error *err) {
  if (world->times != NULL) {
    double mean_s = 0;
    for (uint64_t i = 0; i < world->units; i++) mean_s += world->times[i] / (double)world->units;
    for (uint64_t i = 0; i < world->units; i++)
      world->work[i] = mean_s > 0 ? world->times[i] / mean_s : 1;
    return LS_OK;
  }
  if (world->history != NULL) {
    const struct ls_run_history *history = world->history;
    for (uint64_t i = 0; i < world->units; i++) {
      world->work[i] = history->shares[ls_random_below(random, history->shares_count)];
    }
    return LS_OK;
  }
  struct ls_task_times times = {.law = world->variation > 0 ? LS_TASK_GAMMA : LS_TASK_CONSTANT,
                                .mean = 1};
  times.variation = world->variation;
  return ls_task_times_draw(&times, random, world->work, world->units, err);
}

static enum ls_status draw(void *context, size_t number, struct ls_simulation *setup,
                           struct ls_error *err) {
  struct ls_advise_world *world = context;
  struct ls_random random;
  ls_random_init(&random, world->seed + number, "advice");
  setup->platform = &world->platform;
  setup->units = world->units;
  setup->task_work = world->work;
  setup->config.weights = world->knows_speeds ? world->weights : NULL;
  setup->config.mean_seconds = world->mean_s;
  setup->config.deviation_seconds = world->deviation_s;
  setup->config.overhead_seconds = world->overhead_s;
  setup->config.seed = world->seed + number;
  setup->config.recalls = true;
  setup->has_whole_chunks = world->has_whole_chunks;
  setup->tells_units = !world->has_whole_chunks; /* one process tells of all its units at its end */
  return draw_work(world, &random, err);
}

struct ls_advice_world ls_advise_world_of(struct ls_advise_world *world) {
  return (struct ls_advice_world){.context = world, .draw = draw};
}

bool ls_advise_world_is_over(void *world) {
  const struct ls_advise_world *own = world;
  return own->clock_s != NULL && own->clock_s() >= own->stop_s;
}
