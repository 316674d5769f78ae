/* processor.c: the worker's side of a chunk's life.
 *
 * A worker is not stepped unit by unit.  Of the chunk at its processor only the next milestone is
 * an event: the begin of the unit at which it asks again, the end of the unit at which it reports,
 * or the end of the chunk.  Whoever needs to know more (a chunk arrives, the worker leaves, its
 * speed changes) brings the state up to date first.
 */
#include "simulate/engine_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "simulate/speed.h"

/* A unit that ends this much (relative) after a loss still ends at its very instant: the sums that
 * lead to the two times differ in their last digits. */
static const double SAME_INSTANT = 1e-12;

static struct ls_speed read_speed(const struct ls_engine *engine, uint32_t number) {
  const struct ls_simulation *setup = engine->setup;
  bool is_slowed = engine->is_scheduling && engine->platform->workers[number].is_on_master;
  return (struct ls_speed){.pieces = setup->availability ? setup->availability[number] : NULL,
                           .count = setup->availability ? setup->availability_count[number] : 0,
                           .factor = is_slowed ? engine->platform->master_share : 1.0};
}

static const struct ls_engine_chunk *current_chunk(const struct ls_engine *engine,
                                                   const struct ls_engine_worker *worker) {
  assert(worker->queue_count > 0);
  return &engine->chunks[worker->queue[worker->queue_head]];
}

/* Work of the first `units` units of a chunk, in units of work. */
static double measure_prefix(const struct ls_engine *engine, const struct ls_engine_chunk *chunk,
                             uint64_t units) {
  if (!engine->work_before) return (double)units;
  const struct ls_engine_piece *pieces = engine->pieces + chunk->first_piece;
  size_t low = 0, high = chunk->pieces_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (pieces[middle].units_before <= units)
      low = middle;
    else
      high = middle;
  }
  uint64_t first = pieces[low].units.first;
  uint64_t last = first + (units - pieces[low].units_before);
  return pieces[low].work_before + (engine->work_before[last] - engine->work_before[first]);
}

/* When the first `units` units of the chunk at the processor are done. */
static double find_end(const struct ls_engine *engine, uint32_t number, uint64_t units) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double work_s = engine->platform->workers[number].compute.per_unit_s *
                  measure_prefix(engine, current_chunk(engine, worker), units);
  struct ls_speed speed = read_speed(engine, number);
  return ls_speed_end(&speed, worker->base_s, work_s - worker->base_work_s);
}

static void hear_unit(struct ls_engine_worker *worker, double end_s) {
  double seconds = end_s - worker->last_end_s;
  worker->last_end_s = end_s;
  worker->fresh.units++;
  worker->fresh.seconds += seconds;
  worker->fresh.squares += seconds * seconds;
  worker->fresh.last_seconds = seconds;
}

static void send_report(struct ls_engine *engine, uint32_t number) {
  struct ls_feedback *fresh = &engine->workers[number].fresh;
  enum ls_status status = ls_array_reserve((void **)&engine->reports, &engine->reports_capacity,
                                           engine->reports_count + 1, sizeof *engine->reports);
  if (status != LS_OK) {
    ls_engine_fail(engine, status);
    return;
  }
  engine->reports[engine->reports_count] = *fresh;
  *fresh = (struct ls_feedback){.worker = number};
  ls_engine_push(engine, engine->now_s + ls_engine_delay(engine, number), LS_ENGINE_REPORT,
                 engine->reports_count++);
}

/* The first `units` units of the chunk are done, and the next one runs. */
static void reach(struct ls_engine *engine, uint32_t number, uint64_t units) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t all = current_chunk(engine, worker)->units;
  assert(units >= worker->done && units <= all);
  for (uint64_t i = worker->done; engine->has_feedback && i < units; i++)
    hear_unit(worker, find_end(engine, number, i + 1));
  worker->done = units;
  uint64_t started = units < all ? units + 1 : all;
  worker->units_waiting -= started - worker->started;
  worker->started = started;
}

/* Finds out what is done at `time_s`, which may lie a rounding error after now. */
static void bring_up_to(struct ls_engine *engine, uint32_t number, double time_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING) return;
  uint64_t low = worker->done, high = current_chunk(engine, worker)->units;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (find_end(engine, number, middle) <= time_s)
      low = middle;
    else
      high = middle - 1;
  }
  reach(engine, number, low);
}

/* Under prefetch 0 a worker asks when nothing waits and nothing runs. */
static bool wants_more(const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  if (engine->is_pushed || worker->is_asking || !worker->is_present) return false;
  if (engine->setup->prefetch == 0) return worker->queue_count == 0;
  return worker->units_waiting < engine->setup->prefetch;
}

static void consider_asking(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!wants_more(engine, worker)) return;
  worker->is_asking = true;
  worker->carried = worker->fresh;
  worker->fresh = (struct ls_feedback){.worker = number};
  double delay_s = ls_engine_delay(engine, number);
  if (delay_s > 0)
    ls_engine_push(engine, engine->now_s + delay_s, LS_ENGINE_REQUEST, number);
  else
    ls_master_request(engine, number);
}

static void push_work(struct ls_engine *engine, uint32_t number, double time_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->stamp++;
  if (isfinite(time_s))
    ls_engine_push(engine, time_s, LS_ENGINE_WORK, (uint64_t)worker->stamp << 32 | number);
}

/* Makes the next milestone of the chunk at the processor an event. */
static void schedule(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t next = current_chunk(engine, worker)->units;
  uint64_t prefetch = engine->setup->prefetch;
  /* Unit number `ask` (from 0) is the one whose begin leaves fewer than `prefetch` waiting. */
  if (prefetch > 0 && !worker->is_asking && !engine->is_pushed &&
      worker->units_waiting >= prefetch) {
    uint64_t ask = worker->started + worker->units_waiting - prefetch;
    if (ask < next) next = ask;
  }
  uint64_t every = engine->has_feedback ? engine->setup->report_every : 0;
  if (every > 0) {
    uint64_t left = worker->fresh.units < every ? every - worker->fresh.units : 1;
    if (worker->done + left < next) next = worker->done + left;
  }
  worker->milestone = next;
  push_work(engine, number, find_end(engine, number, next));
}

static void start_computing(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->phase = LS_PHASE_COMPUTING;
  worker->compute_start_s = engine->now_s;
  worker->base_s = engine->now_s + engine->platform->workers[number].compute.latency_s;
  worker->base_work_s = 0;
  worker->last_end_s = worker->base_s;
  worker->done = worker->started = 0;
  reach(engine, number, 0);
  consider_asking(engine, number);
  schedule(engine, number);
}

/* The chunk at the head of the queue comes to the processor. */
static void start_chunk(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_engine_chunk *chunk = current_chunk(engine, worker);
  double end_s = engine->now_s +
                 ls_cost_time(&engine->platform->workers[number].receive, (double)chunk->units);
  if (!(end_s > engine->now_s)) {
    start_computing(engine, number);
    return;
  }
  worker->phase = LS_PHASE_RECEIVING;
  ls_engine_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                           .operation = LS_OPERATION_RECEIVE,
                                           .worker = number,
                                           .chunk = worker->queue[worker->queue_head],
                                           .units = chunk->units,
                                           .start_s = engine->now_s,
                                           .end_s = end_s});
  push_work(engine, number, end_s);
}

/* Results of the first `done` units of the chunk at the processor: one for each of its ranges,
 * since nobody looks at them before. */
static void send_results(struct ls_engine *engine, uint32_t number, uint64_t done, double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_engine_chunk chunk = *current_chunk(engine, worker);
  double seconds = end_s - worker->compute_start_s;
  worker->computing_s += seconds;
  engine->makespan_s = fmax(engine->makespan_s, end_s);
  ls_engine_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                           .operation = LS_OPERATION_COMPUTE,
                                           .worker = number,
                                           .chunk = worker->queue[worker->queue_head],
                                           .units = done,
                                           .start_s = worker->compute_start_s,
                                           .end_s = end_s});
  for (size_t i = 0; i < chunk.pieces_count; i++) {
    const struct ls_engine_piece *piece = &engine->pieces[chunk.first_piece + i];
    if (piece->units_before >= done) break;
    struct ls_range range = piece->units;
    if (range.count > done - piece->units_before) range.count = done - piece->units_before;
    struct ls_event event = {.kind = LS_EVENT_RESULT,
                             .outcome = LS_OUTCOME_DONE,
                             .worker = number,
                             .chunk = chunk.number,
                             .units = range,
                             .seconds = seconds * (double)range.count / (double)done};
    if (engine->has_feedback) event.seconds = (double)NAN;
    ls_master_step(engine, &event);
  }
}

static void finish_chunk(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t chunk = worker->queue[worker->queue_head];
  const struct ls_cost *reply = &engine->platform->workers[number].reply;
  uint64_t units = engine->chunks[chunk].units;
  send_results(engine, number, units, engine->now_s);
  if (ls_cost_time(reply, (double)units) > 0) ls_network_ask(engine, chunk, true);
  worker->phase = LS_PHASE_IDLE;
  worker->queue_head = (worker->queue_head + 1) % worker->queue_capacity;
  worker->queue_count--;
  consider_asking(engine, number);
  if (worker->queue_count > 0) start_chunk(engine, number);
}

/* Doubles the ring; what it holds is laid out from its begin. */
static bool grow_queue(struct ls_engine *engine, struct ls_engine_worker *worker) {
  uint64_t *queue = NULL;
  size_t capacity = 0;
  enum ls_status status =
      ls_array_reserve((void **)&queue, &capacity, 2 * worker->queue_capacity + 2, sizeof *queue);
  if (status != LS_OK) {
    ls_engine_fail(engine, status);
    return false;
  }
  for (size_t i = 0; i < worker->queue_count; i++)
    queue[i] = worker->queue[(worker->queue_head + i) % worker->queue_capacity];
  free(worker->queue);
  worker->queue = queue;
  worker->queue_head = 0;
  worker->queue_capacity = capacity;
  return true;
}

void ls_processor_join(struct ls_engine *engine, uint32_t number) {
  engine->workers[number].is_present = true;
  ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = number});
  engine->is_push_due = engine->is_pushed;
  ls_master_wake(engine);
  consider_asking(engine, number);
}

void ls_processor_leave(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present) return;
  double now_s = engine->now_s;
  if (worker->phase == LS_PHASE_COMPUTING) {
    bring_up_to(engine, number, now_s + SAME_INSTANT * fmax(1.0, now_s));
    double good_s = fmin(find_end(engine, number, worker->done), now_s);
    if (worker->done > 0)
      send_results(engine, number, worker->done, good_s);
    else
      good_s = worker->compute_start_s;
    if (worker->done < current_chunk(engine, worker)->units)
      ls_engine_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                               .operation = LS_OPERATION_COMPUTE,
                                               .mark = LS_SPAN_LOST,
                                               .worker = number,
                                               .chunk = worker->queue[worker->queue_head],
                                               .units = 0,
                                               .start_s = good_s,
                                               .end_s = now_s});
  }
  worker->is_present = false;
  worker->left_s = now_s;
  worker->stamp++;
  worker->phase = LS_PHASE_IDLE;
  worker->queue_count = 0;
  ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_LOST, .worker = number});
  engine->is_push_due = engine->is_pushed;
  ls_master_wake(engine);
}

void ls_processor_arrive(struct ls_engine *engine, uint64_t chunk) {
  uint32_t number = engine->chunks[chunk].worker;
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present) return;
  if (worker->queue_count == worker->queue_capacity && !grow_queue(engine, worker)) return;
  worker->queue[(worker->queue_head + worker->queue_count++) % worker->queue_capacity] = chunk;
  worker->is_asking = false;
  if (worker->phase == LS_PHASE_COMPUTING) bring_up_to(engine, number, engine->now_s);
  worker->units_waiting += engine->chunks[chunk].units;
  if (worker->phase == LS_PHASE_IDLE) start_chunk(engine, number);
  consider_asking(engine, number);
  if (worker->phase == LS_PHASE_COMPUTING) schedule(engine, number);
}

void ls_processor_work(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present || worker->stamp != stamp) return;
  if (worker->phase == LS_PHASE_RECEIVING) {
    start_computing(engine, number);
    return;
  }
  assert(worker->phase == LS_PHASE_COMPUTING);
  reach(engine, number, worker->milestone);
  uint64_t every = engine->has_feedback ? engine->setup->report_every : 0;
  if (every > 0 && worker->fresh.units >= every) send_report(engine, number);
  if (worker->done == current_chunk(engine, worker)->units) {
    finish_chunk(engine, number);
  } else {
    consider_asking(engine, number);
    schedule(engine, number);
  }
}

void ls_processor_share(struct ls_engine *engine, bool is_scheduling) {
  double now_s = engine->now_s;
  for (uint32_t number = 0; number < engine->platform->workers_count; number++) {
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!engine->platform->workers[number].is_on_master || worker->phase != LS_PHASE_COMPUTING)
      continue;
    bring_up_to(engine, number, now_s);
    struct ls_speed speed = read_speed(engine, number);
    if (now_s > worker->base_s) {
      worker->base_work_s += ls_speed_work(&speed, worker->base_s, now_s);
      worker->base_s = now_s;
    }
  }
  engine->is_scheduling = is_scheduling;
  for (uint32_t number = 0; number < engine->platform->workers_count; number++)
    if (engine->platform->workers[number].is_on_master &&
        engine->workers[number].phase == LS_PHASE_COMPUTING)
      schedule(engine, number);
}
