/* usual.c: a usual chunk without detours.
 *
 * Where nothing but computing takes time, a chunk is at its worker the instant it is decided, and
 * its worker asks again the instant it is done.  Here this is done in one pass, by the steps of
 * master.c, network.c, processor.c and results.c that have an effect then.  Whatever is not quite
 * usual goes the long way, from the first point on where it is not.
 */
#include <assert.h>
#include <float.h>

#include "simulate/engine_private.h"

/* The chunk that the coordinator has just decided comes to the processor of its idle worker. */
static inline void start(struct ls_engine *engine, uint32_t number, const struct ls_range *range) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const double *before = engine->work_before;
  assert(worker->phase == LS_PHASE_IDLE && worker->units_waiting == 0);
  double work =
      before ? before[range->first + range->count] - before[range->first] : (double)range->count;
  worker->queue_count = 1;
  worker->is_asking = false;
  worker->phase = LS_PHASE_COMPUTING;
  worker->compute_start_s = engine->now_s;
  worker->base_s = engine->now_s + worker->compute.latency_s;
  worker->base_work_s = 0;
  worker->done = 0;
  worker->started = 1;
  worker->units_waiting = range->count - 1;
  worker->milestone = range->count;
  worker->stamp++;
  double end_s = worker->base_s + worker->compute.per_unit_s * work;
  if (!(end_s <= DBL_MAX)) return;
  enum ls_status status =
      ls_heap_push(&engine->events, end_s, LS_ENGINE_WORK, (uint64_t)worker->stamp << 32 | number);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

/* Is this SEND one range for the worker? */
static inline bool is_plain_send(const struct ls_engine *engine, uint32_t number) {
  const struct ls_action *action = &engine->actions.items[0];
  return engine->actions.count == 1 && action->kind == LS_ACTION_SEND && action->worker == number &&
         action->ranges_count == 1;
}

/* The master decides on the request of the idle worker; false: something unusual has happened, and
 * the master goes on with the long way. */
static inline bool decide(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->served_rank = engine->served_count++;
  engine->ready.worker = number;
  engine->ready.now_s = engine->now_s;
  enum ls_status status =
      ls_coordinator_step(engine->coordinator, &engine->ready, &engine->actions, engine->err);
  if (status != LS_OK || !is_plain_send(engine, number)) {
    worker->is_asking = engine->is_serving = true;
    ls_engine_master_perform(engine, status);
    engine->is_serving = false;
    return false;
  }
  uint32_t place = ls_engine_chunk_place(engine);
  if (place == UINT32_MAX) return true;
  worker->queue[worker->queue_head] = place;
  start(engine, number, ls_engine_chunk_fill(engine, place, &engine->actions.items[0]));
  return true;
}

/* Nothing is under way or waits at the master but one request at most, which is not yet there. */
static inline bool is_calm(const struct ls_engine *engine) {
  assert(engine->outbox_head <= engine->outbox_count);
  return !engine->is_master_busy && !engine->has_served && !engine->is_push_due &&
         engine->outbox_head == engine->outbox_count && engine->requests.count == 0 &&
         engine->status == LS_OK && !engine->is_finished && ls_network_is_idle(engine);
}

static inline bool is_usual(const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  assert(worker->queue_count <= worker->queue_capacity);
  return worker->is_direct && worker->is_present && engine->prefetch == 0;
}

bool ls_usual_serve(struct ls_engine *engine) {
  uint32_t number = (uint32_t)(engine->single & UINT32_MAX);
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (!engine->has_single || !is_usual(engine, worker) || worker->queue_count > 0 ||
      worker->epoch != engine->single >> 32 || !is_calm(engine))
    return false;
  engine->has_single = false;
  return decide(engine, number);
}

/* The worker, which is idle now, asks: at once when nothing else is to be done before. */
static inline void ask(struct ls_engine *engine, uint32_t number) {
  if (engine->is_serve_due || engine->has_single || engine->is_iteration_due || !is_calm(engine) ||
      !ls_heap_is_later(&engine->events, engine->now_s)) {
    ls_processor_ask(engine, number);
    return;
  }
  if (!decide(engine, number)) ls_engine_master_serve(engine);
}

static inline void tell(struct ls_engine *engine) {
  enum ls_status status =
      ls_coordinator_step(engine->coordinator, &engine->result, &engine->actions, engine->err);
  const struct ls_action *action = &engine->actions.items[0];
  if (status == LS_OK && engine->actions.count == 1 && action->kind == LS_ACTION_SETTLE &&
      action->verdict == LS_VERDICT_DONE)
    engine->done_units += action->range.count;
  else
    ls_engine_master_perform(engine, status);
}

bool ls_usual_finish(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!is_usual(engine, worker) || worker->stamp != stamp || worker->queue_count != 1 ||
      worker->is_asking || engine->status != LS_OK || engine->is_finished)
    return false;
  uint32_t place = worker->queue[worker->queue_head];
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  uint64_t units = chunk->units;
  if (chunk->pieces_count != 1 || worker->milestone != units) return false;
  assert(worker->phase == LS_PHASE_COMPUTING);
  double seconds = engine->now_s - worker->compute_start_s;
  worker->computing_s += seconds;
  if (engine->now_s > engine->makespan_s) engine->makespan_s = engine->now_s;
  engine->result.worker = number;
  engine->result.now_s = engine->now_s;
  engine->result.chunk = chunk->number;
  engine->result.units.first = chunk->first;
  engine->result.units.count = units;
  engine->result.seconds = units == 1 ? seconds : seconds * (double)units / (double)units;
  tell(engine);
  worker->units_waiting = 0;
  worker->queue_count = 0;
  worker->phase = LS_PHASE_IDLE;
  ls_engine_chunk_drop(engine, place);
  ask(engine, number);
  return true;
}
