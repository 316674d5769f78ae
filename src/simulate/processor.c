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

#include "simulate/processor_private.h"

/* A unit that ends this much (relative) after a loss still ends at its very instant: the sums that
 * lead to the two times differ in their last digits. */
static const double SAME_INSTANT = 1e-12;

struct ls_speed ls_processor_speed(const struct ls_engine *engine, uint32_t number) {
  const struct ls_simulation *setup = engine->setup;
  size_t machine = number % engine->platform->workers_count;
  bool is_slowed = engine->is_scheduling && engine->workers[number].model->is_on_master;
  return (struct ls_speed){.pieces = setup->availability ? setup->availability[machine] : NULL,
                           .count = setup->availability ? setup->availability_count[machine] : 0,
                           .factor = is_slowed ? engine->platform->master_share : 1.0};
}

static void hear_unit(struct ls_engine_worker *worker, double end_s) {
  double seconds = end_s - worker->last_end_s;
  worker->last_end_s = end_s;
  worker->finished++;
  worker->fresh.units++;
  worker->fresh.seconds += seconds;
  worker->fresh.squares += seconds * seconds;
  worker->fresh.last_seconds = seconds;
}

static void send_report(struct ls_engine *engine, uint32_t number) {
  struct ls_feedback *fresh = &engine->workers[number].fresh;
  if (!ls_engine_grow(engine, (void **)&engine->reports, &engine->reports_capacity,
                      engine->reports_count + 1, sizeof *engine->reports))
    return;
  engine->reports[engine->reports_count] = *fresh;
  *fresh = (struct ls_feedback){.worker = number};
  ls_engine_push(engine, engine->now_s + engine->workers[number].delay_s, LS_ENGINE_REPORT,
                 engine->reports_count++);
}

/* The first `units` units of the chunk are done, and the next one runs. */
static void reach(struct ls_engine *engine, uint32_t number, uint64_t units) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t all = ls_processor_chunk(engine, worker)->units;
  assert(units >= worker->done && units <= all);
  for (uint64_t i = worker->done; engine->has_feedback && i < units; i++)
    hear_unit(worker, ls_processor_end(engine, number, i + 1));
  worker->done = units;
  uint64_t started = units < all ? units + 1 : all;
  worker->units_waiting -= started - worker->started;
  worker->started = started;
}

/* Finds out what is done at `time_s`, which may lie a rounding error after now. */
static void bring_up_to(struct ls_engine *engine, uint32_t number, double time_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING) return;
  uint64_t low = worker->done, high = ls_processor_chunk(engine, worker)->units;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (ls_processor_end(engine, number, middle) <= time_s)
      low = middle;
    else
      high = middle - 1;
  }
  reach(engine, number, low);
}

/* Under prefetch 0 a worker asks when nothing waits and nothing runs. */
static bool wants_more(const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  if (engine->is_pushed || worker->is_asking || !worker->is_present) return false;
  if (engine->prefetch == 0) return worker->queue_count == 0;
  return worker->units_waiting < engine->prefetch;
}

void ls_processor_ask(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!wants_more(engine, worker)) return;
  worker->is_asking = true;
  if (engine->has_feedback) {
    worker->carried = worker->fresh;
    worker->fresh = (struct ls_feedback){.worker = number};
  }
  if (worker->delay_s > 0)
    ls_engine_push(engine, engine->now_s + worker->delay_s, LS_ENGINE_REQUEST,
                   (uint64_t)worker->epoch << 32 | number);
  else
    ls_engine_master_request(engine, number);
}

/* A WORK event that may be on its way is not valid any more. */
static void renew_stamp(struct ls_engine_worker *worker) {
  worker->stamp++;
  worker->usual_chunk = UINT32_MAX;
}

static void push_work(struct ls_engine *engine, uint32_t number, double time_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  renew_stamp(worker);
  if (isfinite(time_s))
    ls_engine_push(engine, time_s, LS_ENGINE_WORK, (uint64_t)worker->stamp << 32 | number);
}

/* Makes the next milestone of the chunk at the processor an event. */
static void schedule(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t next = ls_processor_chunk(engine, worker)->units;
  uint64_t prefetch = engine->prefetch;
  /* Unit number `ask` (from 0) is the one whose begin leaves fewer than `prefetch` waiting. */
  if (prefetch > 0 && !worker->is_asking && !engine->is_pushed &&
      worker->units_waiting >= prefetch) {
    uint64_t ask = worker->started + worker->units_waiting - prefetch;
    if (ask < next) next = ask;
  }
  uint64_t every = engine->report_every;
  if (every > 0) {
    uint64_t left = every - worker->finished % every;
    if (worker->done + left < next) next = worker->done + left;
  }
  worker->milestone = next;
  push_work(engine, number, ls_processor_end(engine, number, next));
  ls_usual_mark(engine, worker);
}

static void start_computing(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->phase = LS_PHASE_COMPUTING;
  worker->compute_start_s = engine->now_s;
  worker->base_s = engine->now_s + worker->compute.latency_s;
  worker->base_work_s = 0;
  worker->last_end_s = worker->base_s;
  worker->done = 0;
  worker->started = 1;
  worker->units_waiting--;
  ls_processor_ask(engine, number);
  schedule(engine, number);
}

/* The chunk at the head of the queue comes to the processor. */
static void start_chunk(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_engine_chunk *chunk = ls_processor_chunk(engine, worker);
  double end_s = engine->now_s + ls_engine_cost(&worker->model->receive, chunk->units);
  if (!(end_s > engine->now_s)) {
    start_computing(engine, number);
    return;
  }
  worker->phase = LS_PHASE_RECEIVING;
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_RECEIVE,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .units = chunk->units,
                                                 .start_s = engine->now_s,
                                                 .end_s = end_s});
  push_work(engine, number, end_s);
}

/* The first chunk of the queue leaves it. */
static uint32_t take_first(struct ls_engine_worker *worker) {
  uint32_t chunk = worker->queue[worker->queue_head];
  worker->queue_head = worker->queue_head + 1 < worker->queue_capacity ? worker->queue_head + 1 : 0;
  worker->queue_count--;
  worker->phase = LS_PHASE_IDLE;
  return chunk;
}

static void finish_chunk(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t units = ls_processor_chunk(engine, worker)->units;
  ls_processor_send_results(engine, number, units, engine->now_s);
  uint32_t chunk = take_first(worker);
  if (ls_engine_cost(&worker->model->reply, units) > 0)
    ls_network_ask(engine, chunk, true);
  else
    ls_engine_chunk_drop(engine, chunk);
  ls_processor_ask(engine, number);
  if (worker->queue_count > 0) start_chunk(engine, number);
}

/* Doubles the ring; what it holds is laid out from its begin. */
static bool grow_queue(struct ls_engine *engine, struct ls_engine_worker *worker) {
  uint32_t *queue = NULL;
  size_t capacity = 0;
  if (!ls_engine_grow(engine, (void **)&queue, &capacity, 2 * (size_t)worker->queue_capacity,
                      sizeof *queue))
    return false;
  for (uint32_t i = 0; i < worker->queue_count; i++)
    queue[i] = worker->queue[(worker->queue_head + i) % worker->queue_capacity];
  if (worker->queue != worker->few) free(worker->queue);
  worker->queue = queue;
  worker->queue_head = 0;
  worker->queue_capacity = (uint32_t)capacity;
  return true;
}

/* What is finished counts; what runs is lost. */
static void break_off(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  double now_s = engine->now_s;
  if (worker->phase != LS_PHASE_COMPUTING) return;
  bring_up_to(engine, number, now_s + SAME_INSTANT * fmax(1.0, now_s));
  const struct ls_engine_chunk *chunk = ls_processor_chunk(engine, worker);
  uint64_t number_of_chunk = chunk->number;
  bool is_whole = worker->done == chunk->units;
  double good_s = fmin(ls_processor_end(engine, number, worker->done), now_s);
  if (worker->done > 0)
    ls_processor_send_results(engine, number, worker->done, good_s);
  else
    good_s = worker->compute_start_s;
  if (!is_whole && ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .mark = LS_SPAN_LOST,
                                                 .worker = number,
                                                 .chunk = number_of_chunk,
                                                 .start_s = good_s,
                                                 .end_s = now_s});
}

void ls_processor_clear(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  break_off(engine, number);
  renew_stamp(worker);
  while (worker->queue_count > 0) ls_engine_chunk_drop(engine, take_first(worker));
  worker->phase = LS_PHASE_IDLE;
  worker->units_waiting = 0;
}

/* The chunk at place `place` of the queue, which has not begun, leaves it. */
static void remove_waiting(struct ls_engine_worker *worker, uint32_t place) {
  for (uint32_t i = place; i + 1 < worker->queue_count; i++)
    worker->queue[(worker->queue_head + i) % worker->queue_capacity] =
        worker->queue[(worker->queue_head + i + 1) % worker->queue_capacity];
  worker->queue_count--;
}

static void cancel_first(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  break_off(engine, number);
  uint64_t done = worker->phase == LS_PHASE_COMPUTING ? worker->done : 0;
  uint64_t started = worker->phase == LS_PHASE_COMPUTING ? worker->started : 0;
  renew_stamp(worker);
  uint32_t chunk = take_first(worker);
  uint64_t units = engine->chunks[chunk].units;
  worker->units_waiting -= units - started;
  if (done < units) ls_processor_cancel_results(engine, number, chunk, done);
  ls_engine_chunk_drop(engine, chunk);
  ls_processor_ask(engine, number);
  if (worker->queue_count > 0) start_chunk(engine, number);
}

void ls_processor_cancel(struct ls_engine *engine, uint32_t number, uint64_t cancelled) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint32_t place = 0;
  while (place < worker->queue_count) {
    uint32_t chunk = worker->queue[(worker->queue_head + place) % worker->queue_capacity];
    if (engine->chunks[chunk].number == cancelled) break;
    place++;
  }
  if (place == worker->queue_count) return;
  if (place == 0) {
    cancel_first(engine, number);
    return;
  }
  uint32_t chunk = worker->queue[(worker->queue_head + place) % worker->queue_capacity];
  if (worker->phase == LS_PHASE_COMPUTING) bring_up_to(engine, number, engine->now_s);
  remove_waiting(worker, place);
  worker->units_waiting -= engine->chunks[chunk].units;
  ls_processor_cancel_results(engine, number, chunk, 0);
  ls_engine_chunk_drop(engine, chunk);
  ls_processor_ask(engine, number);
  if (worker->phase == LS_PHASE_COMPUTING) schedule(engine, number);
}

void ls_processor_arrive(struct ls_engine *engine, uint32_t chunk) {
  if (!ls_engine_is_wanted(engine, chunk)) {
    ls_engine_chunk_drop(engine, chunk);
    return;
  }
  uint32_t number = engine->chunks[chunk].worker;
  struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->queue_count == worker->queue_capacity && !grow_queue(engine, worker)) return;
  uint32_t place = worker->queue_head + worker->queue_count++;
  if (place >= worker->queue_capacity) place -= worker->queue_capacity;
  worker->queue[place] = chunk;
  worker->is_asking = false;
  if (worker->phase == LS_PHASE_COMPUTING) bring_up_to(engine, number, engine->now_s);
  worker->units_waiting += engine->chunks[chunk].units;
  if (worker->phase == LS_PHASE_IDLE) {
    start_chunk(engine, number);
    if (worker->phase == LS_PHASE_RECEIVING) ls_processor_ask(engine, number);
  } else {
    ls_processor_ask(engine, number);
    if (worker->phase == LS_PHASE_COMPUTING) schedule(engine, number);
  }
}

void ls_processor_work(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present || worker->stamp != stamp) return;
  if (worker->phase == LS_PHASE_RECEIVING) {
    start_computing(engine, number);
    return;
  }
  assert(worker->phase == LS_PHASE_COMPUTING);
  uint64_t all = ls_processor_chunk(engine, worker)->units;
  if (!engine->has_feedback && worker->milestone == all) {
    /* The whole chunk is done, and nobody wants to know when each unit was. */
    worker->units_waiting -= all - worker->started;
    worker->done = worker->started = all;
    finish_chunk(engine, number);
    return;
  }
  reach(engine, number, worker->milestone);
  uint64_t every = engine->report_every;
  if (every > 0 && worker->finished % every == 0 && worker->fresh.units > 0)
    send_report(engine, number);
  if (worker->done == all) {
    finish_chunk(engine, number);
  } else {
    ls_processor_ask(engine, number);
    schedule(engine, number);
  }
}

void ls_processor_share(struct ls_engine *engine, bool is_scheduling) {
  double now_s = engine->now_s;
  for (uint32_t number = 0; number < engine->workers_count; number++) {
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!worker->model->is_on_master || worker->phase != LS_PHASE_COMPUTING) continue;
    bring_up_to(engine, number, now_s);
    struct ls_speed speed = ls_processor_speed(engine, number);
    if (now_s > worker->base_s) {
      worker->base_work_s += ls_speed_work(&speed, worker->base_s, now_s);
      worker->base_s = now_s;
    }
  }
  engine->is_scheduling = is_scheduling;
  for (uint32_t number = 0; number < engine->workers_count; number++)
    if (engine->workers[number].model->is_on_master &&
        engine->workers[number].phase == LS_PHASE_COMPUTING)
      schedule(engine, number);
}
