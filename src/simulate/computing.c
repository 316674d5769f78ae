/* computing.c: the job at a worker's processor, and when each of its units ends.
 *
 * Of its ends only the next milestone is an event: the side says at how many units anything
 * happens.
 */
#include <assert.h>
#include <math.h>

#include "simulate/computing_private.h"
#include "simulate/engine_private.h"
#include "theory/speed.h"

static struct ls_speed find_speed(const struct ls_engine *engine, uint32_t number) {
  const struct ls_simulation *setup = engine->setup;
  bool is_slowed = engine->is_scheduling && engine->workers[number].model->is_on_master;
  return (struct ls_speed){.pieces = setup->availability ? setup->availability[number] : NULL,
                           .count = setup->availability ? setup->availability_count[number] : 0,
                           .factor = is_slowed ? engine->platform->master_share : 1.0};
}

/* When the first `units` units of the job at the processor are done. */
double ls_computing_end(const struct ls_engine *engine, uint32_t number, uint64_t units) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double work = (double)units;
  if (worker->drawn) {
    work = worker->drawn->before[units];
  } else if (engine->work_before) {
    const double *before = worker->job_iteration == engine->iteration
                               ? engine->work_before
                               : ls_engine_work_sums(engine, worker->job_iteration);
    work = before[worker->first + units] - before[worker->first];
  }
  double left_s = worker->compute.per_unit_s * work - worker->base_work_s;
  if (worker->is_plain) return left_s > 0 ? worker->base_s + left_s : worker->base_s;
  struct ls_speed speed = find_speed(engine, number);
  return ls_speed_end(&speed, worker->base_s, left_s);
}

/* A WORK event that may be on its way is not valid any more. */
void ls_computing_renew(struct ls_engine_worker *worker) {
  worker->stamp++;
  worker->milestone = 0;
}

/* Nothing more becomes of its units: there are none, or it missed what became of them. */
void ls_computing_rest(struct ls_engine_worker *worker) {
  worker->phase = LS_PHASE_IDLE;
  ls_computing_renew(worker);
}

void ls_computing_push(struct ls_engine *engine, uint32_t number, double time_s) {
  uint32_t stamp = ++engine->workers[number].stamp;
  if (isfinite(time_s))
    ls_engine_push(engine, time_s, LS_ENGINE_WORK, (uint64_t)stamp << 32 | number);
}

/* Makes the next milestone of the job at the processor an event, unless it is one. */
void ls_computing_schedule(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING || worker->is_still) return;
  /* In the midst of a step of the side, which is followed by this once more. */
  if (!worker->side.is_running || !worker->side.has_begun) return;
  uint64_t next = worker->side.settings.has_progress ? ls_worker_side_milestone(&worker->side)
                                                     : worker->side.running.units.count;
  uint64_t milestone = worker->done + next;
  if (milestone == worker->milestone) return;
  worker->milestone = milestone;
  ls_computing_push(engine, number, ls_computing_end(engine, number, milestone));
}

/* The work of the job begins at `time_s`. */
static void begin_work(struct ls_engine_worker *worker, double time_s) {
  worker->phase = LS_PHASE_COMPUTING;
  worker->base_s = worker->last_end_s = time_s;
  worker->base_work_s = 0;
  ls_computing_renew(worker);
}

/* The latency is part of the first unit's seconds: a run measures it there. */
static void begin_late(struct ls_engine *engine, struct ls_engine_worker *worker) {
  begin_work(worker, engine->now_s + worker->compute.latency_s);
  worker->last_end_s = engine->now_s;
}

static void begin(struct ls_engine *engine, struct ls_engine_worker *worker) {
  worker->compute_start_s = engine->now_s;
  begin_late(engine, worker);
}

/* The next range of a chunk: a process of its own, or more of the same. */
static void begin_range(struct ls_engine *engine, struct ls_engine_worker *worker) {
  if (engine->setup->has_whole_chunks)
    begin_late(engine, worker);
  else
    begin_work(worker, engine->now_s);
}

void ls_computing_take_up(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_engine_chunk *chunk = ls_engine_running_chunk(engine, number);
  double end_s = engine->now_s;
  if (worker->side.settings.has_receive)
    end_s += ls_engine_cost(
        &ls_worker_costs(worker->model, (double)chunk->units)[LS_OPERATION_RECEIVE], chunk->units);
  if (!(end_s > engine->now_s)) {
    begin(engine, worker);
    return;
  }
  worker->phase = LS_PHASE_RECEIVING;
  worker->phase_start_s = engine->now_s;
  worker->phase_end_s = end_s;
  ls_computing_renew(worker);
  ls_computing_push(engine, number, end_s);
}

/* What the worker received, up to `end_s`. */
static void add_receive(struct ls_engine *engine, uint32_t number, double end_s,
                        enum ls_outcome outcome) {
  if (!ls_engine_has_spans(engine)) return;
  const struct ls_engine_chunk *chunk = ls_engine_running_chunk(engine, number);
  ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                               .operation = LS_OPERATION_RECEIVE,
                                               .outcome = outcome,
                                               .worker = number,
                                               .chunk = chunk->number,
                                               .units = chunk->units,
                                               .start_s = engine->workers[number].phase_start_s,
                                               .end_s = end_s});
}

void ls_computing_received(struct ls_engine *engine, uint32_t number) {
  add_receive(engine, number, engine->now_s, LS_OUTCOME_DONE);
  begin(engine, &engine->workers[number]);
}

/* The first range of a chunk is received, as soon as it is staged, and pays the latency; the others
 * follow. */
void ls_computing_start(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_job *job = &worker->side.running;
  const struct ls_engine_chunk *chunk = &engine->chunks[job->payload];
  worker->phase = LS_PHASE_IDLE;
  if (!worker->is_present) return;
  worker->first = job->units.first;
  worker->done = 0;
  worker->job_iteration = chunk->iteration;
  if (worker->model->windows_count > 0)
    worker->compute = ls_worker_costs(worker->model, (double)chunk->units)[LS_OPERATION_COMPUTE];
  if (worker->drawn && !ls_drawn_times_draw(engine, number, job->units.count)) return;
  if (!job->is_first) {
    begin_range(engine, worker);
    return;
  }
  if (ls_reader_has(engine, (uint32_t)job->payload)) {
    ls_computing_take_up(engine, number);
  } else {
    worker->phase = LS_PHASE_STAGING;
    ls_computing_renew(worker);
  }
  ls_reader_look(engine, number);
}

/* The computed units of a chunk, up to `end_s`, count. */
void ls_computing_count(struct ls_engine *engine, uint32_t number,
                        const struct ls_engine_chunk *chunk, double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  /* What is computed behind the end, since the word of it is on its way, is no part of the run. */
  if (engine->is_finished) {
    end_s = fmin(end_s, engine->makespan_s);
    if (!(end_s > worker->compute_start_s)) return;
  }
  worker->computing_s += end_s - worker->compute_start_s;
  if (end_s > engine->makespan_s) engine->makespan_s = end_s;
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .units = chunk->units_done,
                                                 .start_s = worker->compute_start_s,
                                                 .end_s = end_s});
}

void ls_computing_take_back(struct ls_engine *engine, uint32_t number,
                            const struct ls_side_result *result, uint64_t dropped, double end_s) {
  double seconds = result->seconds * ((double)dropped / (double)result->units.count);
  /* What was computed behind the end was not counted. */
  if (engine->is_finished) seconds = fmax(0, seconds - fmax(0, end_s - engine->makespan_s));
  engine->workers[number].computing_s -= seconds;
  if (!ls_engine_has_spans(engine)) return;
  if (!ls_engine_grow(engine, (void **)&engine->vain, &engine->vain_capacity,
                      engine->vain_count + 1, sizeof *engine->vain))
    return;
  engine->vain[engine->vain_count++] = (struct ls_span){
      .worker = number, .chunk = result->chunk, .units = dropped, .end_s = seconds};
}

/* The times of the next `units` units of the job, which end at `end_s`; one by one as far as they
 * are wanted. */
bool ls_computing_measure(struct ls_engine *engine, uint32_t number, double end_s,
                          struct ls_side_ended *ended) {
  struct ls_engine_worker *worker = &engine->workers[number];
  double last_s = worker->last_end_s;
  ended->seconds = end_s - last_s;
  worker->last_end_s = end_s;
  uint64_t history = engine->side_settings.history;
  if (!engine->has_listeners) return true;
  if (engine->setup->has_whole_chunks) {
    ended->squares = ended->seconds * ended->seconds / (double)ended->units;
    return true;
  }
  uint64_t wanted = ended->units < history ? ended->units : history;
  if (!ls_engine_grow(engine, (void **)&engine->times, &engine->times_capacity, (size_t)wanted,
                      sizeof *engine->times))
    return false;
  ended->seconds = 0;
  for (uint64_t i = 0; i < ended->units; i++) {
    double unit_s =
        i + 1 < ended->units ? ls_computing_end(engine, number, worker->done + i + 1) : end_s;
    double seconds = unit_s - last_s;
    ended->seconds += seconds;
    ended->squares += seconds * seconds;
    if (i >= ended->units - wanted) engine->times[i - (ended->units - wanted)] = seconds;
    last_s = unit_s;
  }
  ended->times = engine->times;
  ended->times_count = (size_t)wanted;
  return true;
}

/* The running units are lost; the finished ones of their chunk count. */
void ls_computing_break_off(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double end_s = worker->is_still ? worker->paused_s : engine->now_s;
  if (engine->is_finished) end_s = fmin(end_s, engine->makespan_s);
  if (worker->phase == LS_PHASE_RECEIVING)
    add_receive(engine, number, fmax(end_s, worker->phase_start_s), LS_OUTCOME_LOST);
  if (worker->phase != LS_PHASE_COMPUTING) return;
  const struct ls_engine_chunk *chunk = ls_engine_running_chunk(engine, number);
  double good_s = worker->compute_start_s;
  if (chunk->units_done > 0) {
    good_s = fmin(worker->last_end_s, end_s);
    ls_computing_count(engine, number, chunk, good_s);
  }
  if (ls_engine_has_spans(engine) && end_s > good_s)
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .outcome = LS_OUTCOME_LOST,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .start_s = good_s,
                                                 .end_s = end_s});
}

/* The work up to this instant is done; the rest begins anew from here on. */
void ls_computing_rebase(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_speed speed = find_speed(engine, number);
  if (!(engine->now_s > worker->base_s)) return;
  worker->base_work_s += ls_speed_work(&speed, worker->base_s, engine->now_s);
  worker->base_s = engine->now_s;
}
