/* usual.c: a usual chunk without detours.
 *
 * Where nothing but computing takes time, a chunk is at its worker the instant it is decided, and
 * its worker asks again the instant it is done.  Here this is done in one pass, by the steps of
 * master.c, network.c, processor.c and results.c that have an effect then.  Whatever is not quite
 * usual goes the long way, from the first point on where it is not.
 *
 * While `usual_chunk` of a worker names a chunk, this is one range, alone at the worker and
 * computed whole, and nothing has happened to it since: whatever happens renews the stamp.  The
 * next chunk of the worker takes its place and needs only what differs to be written.
 */
#include <assert.h>
#include <float.h>

#include "simulate/engine_private.h"

/* The chunk in `place`, which has just been decided, comes to the processor of its worker. */
static inline void compute(struct ls_engine *engine, uint32_t number, uint32_t place) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  const double *before = engine->work_before;
  uint64_t units = chunk->units;
  double work = before ? before[chunk->first + units] - before[chunk->first] : (double)units;
  worker->compute_start_s = engine->now_s;
  worker->base_s = engine->now_s + worker->compute.latency_s;
  worker->units_waiting = units - 1;
  worker->milestone = units;
  uint64_t stamp = ++worker->stamp;
  double end_s = worker->base_s + worker->compute.per_unit_s * work;
  if (!(end_s <= DBL_MAX)) return;
  enum ls_status status =
      ls_heap_push(&engine->events, end_s, LS_ENGINE_WORK, stamp << 32 | number);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

/* The coordinator's answer to the request of the worker: is it one range for it? */
static inline bool decide(struct ls_engine *engine, uint32_t number, enum ls_status *status) {
  const struct ls_actions *actions = &engine->actions;
  engine->workers[number].served_rank = engine->served_count++;
  engine->ready.worker = number;
  engine->ready.now_s = engine->now_s;
  *status = ls_coordinator_step(engine->coordinator, &engine->ready, &engine->actions, engine->err);
  const struct ls_action *action = actions->items;
  return *status == LS_OK && actions->count == 1 && action->kind == LS_ACTION_SEND &&
         action->worker == number && action->ranges_count == 1;
}

/* The answer is another one. */
static void perform(struct ls_engine *engine, uint32_t number, enum ls_status status) {
  engine->workers[number].is_asking = engine->is_serving = true;
  ls_engine_master_perform(engine, status);
  engine->is_serving = false;
}

static inline bool is_usual(const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  assert(worker->queue_count <= worker->queue_capacity);
  return worker->is_direct && worker->is_present && engine->prefetch == 0;
}

/* Nothing waits at the master or at the ports, or is under way to or from them. */
static inline bool is_calm(const struct ls_engine *engine) {
  assert(engine->outbox_head <= engine->outbox_count);
  size_t waiting = engine->requests.count | engine->ports[0].waiting.count |
                   engine->ports[1].waiting.count | (engine->outbox_head ^ engine->outbox_count);
  return ls_engine_is_restful(engine) && waiting == 0;
}

bool ls_usual_serve(struct ls_engine *engine) {
  uint32_t number = (uint32_t)(engine->single & UINT32_MAX), place;
  struct ls_engine_worker *worker = &engine->workers[number];
  enum ls_status status;
  if (!engine->has_single || !is_usual(engine, worker) || worker->queue_count > 0 ||
      worker->epoch != engine->single >> 32)
    return false;
  engine->has_single = false;
  if (!is_calm(engine)) {
    engine->has_single = true;
    return false;
  }
  if (!decide(engine, number, &status)) {
    perform(engine, number, status);
    return false;
  }
  place = ls_engine_chunk_place(engine);
  if (place == UINT32_MAX) return true;
  assert(worker->phase == LS_PHASE_IDLE && worker->units_waiting == 0);
  (void)ls_engine_chunk_fill(engine, place, &engine->actions.items[0]);
  worker->queue[worker->queue_head] = worker->usual_chunk = place;
  worker->queue_count = 1;
  worker->is_asking = false;
  worker->phase = LS_PHASE_COMPUTING;
  worker->base_work_s = 0;
  worker->done = 0;
  worker->started = 1;
  compute(engine, number, place);
  return true;
}

/* The coordinator hears that the chunk in `place` is done. */
static inline void tell(struct ls_engine *engine, uint32_t number, uint32_t place, double seconds) {
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  engine->result.worker = number;
  engine->result.now_s = engine->now_s;
  engine->result.chunk = chunk->number;
  engine->result.units.first = chunk->first;
  engine->result.units.count = chunk->units;
  engine->result.seconds = seconds;
  enum ls_status status =
      ls_coordinator_step(engine->coordinator, &engine->result, &engine->actions, engine->err);
  const struct ls_action *action = engine->actions.items;
  if (status == LS_OK && engine->actions.count == 1 && action->kind == LS_ACTION_SETTLE &&
      action->verdict == LS_VERDICT_DONE)
    engine->done_units += action->range.count;
  else
    ls_engine_master_perform(engine, status);
}

/* The worker, whose chunk in `place` is done, has no other. */
static void rest(struct ls_engine *engine, uint32_t number, uint32_t place) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->usual_chunk = UINT32_MAX;
  worker->units_waiting = 0;
  worker->queue_count = 0;
  worker->phase = LS_PHASE_IDLE;
  ls_engine_chunk_drop(engine, place);
}

/* Is a request of this instant the next thing that happens? */
static inline bool is_free(const struct ls_engine *engine) {
  return is_calm(engine) && ls_heap_is_later(&engine->events, engine->now_s);
}

/* The worker, whose chunk in `place` is done, asks, and nothing else comes before. */
static void ask(struct ls_engine *engine, uint32_t number, uint32_t place) {
  enum ls_status status;
  if (decide(engine, number, &status)) {
    (void)ls_engine_chunk_fill(engine, place, &engine->actions.items[0]);
    compute(engine, number, place);
    return;
  }
  rest(engine, number, place);
  perform(engine, number, status);
  ls_engine_master_serve(engine);
}

/* Result and request of the worker are one; false: nothing has changed, one of them is not usual.
 */
static inline bool exchange(struct ls_engine *engine, uint32_t number, uint32_t place,
                            double seconds) {
  struct ls_engine_chunk *chunk = &engine->chunks[place];
  struct ls_exchange next = {.worker = number,
                             .now_s = engine->now_s,
                             .chunk = chunk->number,
                             .units = {chunk->first, chunk->units},
                             .seconds = seconds};
  if (!ls_coordinator_exchange(engine->coordinator, &next, &engine->actions)) return false;
  engine->done_units += chunk->units;
  engine->workers[number].served_rank = engine->served_count++;
  if (next.units.count == 0) {
    rest(engine, number, place);
    engine->workers[number].is_asking = true;
    return true;
  }
  assert(next.chunk == engine->decisions && chunk->pieces_count == 1);
  chunk->number = engine->decisions++;
  chunk->first = next.units.first;
  chunk->units = next.units.count;
  chunk->decided_s = engine->now_s;
  chunk->iteration = engine->iteration;
  compute(engine, number, place);
  return true;
}

bool ls_usual_finish(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  uint32_t place = worker->usual_chunk;
  if (place == UINT32_MAX || worker->stamp != stamp || engine->prefetch > 0 || engine->has_failed ||
      engine->is_finished)
    return false;
  assert(worker->phase == LS_PHASE_COMPUTING);
  double seconds = engine->now_s - worker->compute_start_s;
  double units = (double)engine->chunks[place].units;
  worker->computing_s += seconds;
  if (engine->now_s > engine->makespan_s) engine->makespan_s = engine->now_s;
  /* As results.c has it: the share of one range. */
  if (units > 1) seconds = seconds * units / units;
  if (is_free(engine) && exchange(engine, number, place, seconds)) return true;
  tell(engine, number, place, seconds);
  if (is_free(engine)) {
    ask(engine, number, place);
  } else {
    rest(engine, number, place);
    ls_processor_ask(engine, number);
  }
  return true;
}
