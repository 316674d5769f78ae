/* master.c: the master's processor: requests in order of arrival, decisions, sending.
 *
 * READY reaches the coordinator when its service starts, so a decision is made at the instant at
 * which the master is free for it.  Chunks that the coordinator decides at another event (a loss
 * brings back units for which somebody waits) stand in the outbox, behind older requests.
 */
#include "simulate/engine_private.h"

#include <assert.h>

#include "base/array.h"

static bool grow(struct ls_engine *engine, void **items, size_t *capacity, size_t needed,
                 size_t item_bytes) {
  enum ls_status status = ls_array_reserve(items, capacity, needed, item_bytes);
  if (status != LS_OK) ls_engine_fail(engine, status);
  return status == LS_OK;
}

static double measure_work(const struct ls_engine *engine, struct ls_range range) {
  if (!engine->work_before) return (double)range.count;
  return engine->work_before[range.first + range.count] - engine->work_before[range.first];
}

/* Writes down what a chunk consists of; false on failure. */
static bool add_chunk(struct ls_engine *engine, const struct ls_action *action) {
  size_t pieces = engine->pieces_count + action->ranges_count;
  if (!grow(engine, (void **)&engine->chunks, &engine->chunks_capacity, engine->chunks_count + 1,
            sizeof *engine->chunks) ||
      !grow(engine, (void **)&engine->pieces, &engine->pieces_capacity, pieces,
            sizeof *engine->pieces))
    return false;
  struct ls_engine_chunk chunk = {.number = action->chunk,
                                  .worker = action->worker,
                                  .decided_s = engine->now_s,
                                  .first_piece = engine->pieces_count,
                                  .pieces_count = action->ranges_count};
  double work = 0;
  for (size_t i = 0; i < action->ranges_count; i++) {
    struct ls_range range = engine->actions.ranges[action->first_range + i];
    engine->pieces[engine->pieces_count++] =
        (struct ls_engine_piece){.units = range, .units_before = chunk.units, .work_before = work};
    chunk.units += range.count;
    work += measure_work(engine, range);
  }
  engine->chunks[engine->chunks_count++] = chunk;
  return true;
}

static void on_send(struct ls_engine *engine, const struct ls_action *action) {
  if (!add_chunk(engine, action)) return;
  uint64_t chunk = engine->chunks_count - 1;
  if (engine->timeline)
    ls_timeline_add_decision(engine->timeline, action->worker, (double)engine->chunks[chunk].units);
  if (engine->is_serving && !engine->has_served) {
    engine->has_served = true;
    engine->sending = chunk;
    return;
  }
  if (engine->outbox_head == engine->outbox_count) engine->outbox_head = engine->outbox_count = 0;
  if (!grow(engine, (void **)&engine->outbox, &engine->outbox_capacity, engine->outbox_count + 1,
            sizeof *engine->outbox))
    return;
  engine->outbox[engine->outbox_count++] = chunk;
  ls_master_wake(engine);
}

static void write_notes(struct ls_engine *engine) {
  struct ls_bytes text = {0};
  for (size_t i = 0; i < engine->actions.notes_count; i++) {
    ls_bytes_clear(&text);
    ls_note_write(&engine->actions.notes[i], &text);
    ls_timeline_add_note(engine->timeline, ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
}

/* Performs the actions of a step; true when the coordinator asks for the next iteration. Results
 * are not held back and no unit runs twice, so there is nothing to fetch or to cancel; the number
 * of workers is the platform's. */
static bool perform(struct ls_engine *engine) {
  bool is_iteration_done = false;
  for (size_t i = 0; i < engine->actions.count; i++) {
    const struct ls_action *action = &engine->actions.items[i];
    if (action->kind == LS_ACTION_SEND) on_send(engine, action);
    if (action->kind == LS_ACTION_WAKE_AT)
      ls_engine_push(engine, action->time_s, LS_ENGINE_TIMER, 0);
    if (action->kind == LS_ACTION_SETTLE && action->verdict == LS_VERDICT_DONE)
      engine->done_units += action->range.count;
    if (action->kind == LS_ACTION_ITERATION_DONE) is_iteration_done = true;
    if (action->kind == LS_ACTION_FINISH) engine->is_finished = true;
  }
  if (engine->timeline && engine->setup->wants_notes) write_notes(engine);
  return is_iteration_done;
}

static void watch_share(struct ls_engine *engine) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(engine->coordinator, &totals);
  bool is_scheduling = totals.waiting > 0;
  if (is_scheduling != engine->is_scheduling) ls_processor_share(engine, is_scheduling);
}

void ls_master_step(struct ls_engine *engine, struct ls_event *event) {
  if (engine->status != LS_OK || engine->is_finished) return;
  event->now_s = engine->now_s;
  enum ls_status status =
      ls_coordinator_step(engine->coordinator, event, &engine->actions, engine->err);
  if (status != LS_OK) {
    ls_engine_fail(engine, status);
    return;
  }
  if (perform(engine)) {
    struct ls_event last = {.kind = LS_EVENT_ITERATION, .now_s = engine->now_s};
    status = ls_coordinator_step(engine->coordinator, &last, &engine->actions, engine->err);
    if (status != LS_OK)
      ls_engine_fail(engine, status);
    else
      perform(engine);
  }
  if (engine->has_on_master) watch_share(engine);
}

void ls_master_request(struct ls_engine *engine, uint32_t worker) {
  enum ls_status status =
      ls_heap_push(&engine->requests, engine->now_s, engine->workers[worker].served_rank, worker);
  if (status != LS_OK) ls_engine_fail(engine, status);
  ls_master_wake(engine);
}

void ls_master_report(struct ls_engine *engine, const struct ls_feedback *feedback) {
  if (feedback->units == 0 || !engine->workers[feedback->worker].is_present) return;
  ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_REPORT,
                                            .worker = feedback->worker,
                                            .count = feedback->units,
                                            .seconds = feedback->seconds,
                                            .squares = feedback->squares,
                                            .last_seconds = feedback->last_seconds});
}

void ls_master_wake(struct ls_engine *engine) {
  if (engine->is_master_busy || engine->is_serve_queued) return;
  engine->is_serve_queued = true;
  ls_engine_push(engine, engine->now_s, LS_ENGINE_SERVE, 0);
}

/* Lets the coordinator decide on the oldest request; false when there is none. */
static bool serve_request(struct ls_engine *engine) {
  struct ls_heap_item item;
  while (ls_heap_pop(&engine->requests, &item)) {
    uint32_t number = (uint32_t)item.payload;
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!worker->is_present) continue;
    worker->served_rank = engine->served_count++;
    struct ls_feedback carried = worker->carried;
    worker->carried = (struct ls_feedback){.worker = number};
    if (engine->has_feedback) ls_master_report(engine, &carried);
    engine->is_serving = true;
    ls_master_step(engine, &(struct ls_event){
                               .kind = LS_EVENT_READY, .worker = number, .units = {.count = 1}});
    engine->is_serving = false;
    return true;
  }
  return false;
}

/* Takes the next chunk out of the outbox whose worker is still there; false: there is none, or a
 * request came before it was decided. */
static bool take_outbox(struct ls_engine *engine, uint64_t *chunk) {
  const struct ls_heap_item *request = ls_heap_first(&engine->requests);
  while (engine->outbox_head < engine->outbox_count) {
    uint64_t next = engine->outbox[engine->outbox_head];
    bool is_present = engine->workers[engine->chunks[next].worker].is_present;
    if (is_present && request && request->time_s < engine->chunks[next].decided_s) return false;
    engine->outbox_head++;
    *chunk = next;
    if (is_present) return true;
  }
  return false;
}

/* The processor's two operations for the chunk in `sending`; the end of the second one. */
static double occupy(struct ls_engine *engine) {
  const struct ls_engine_chunk *chunk = &engine->chunks[engine->sending];
  double units = (double)chunk->units;
  double prepared_s = engine->now_s + ls_cost_time(&engine->platform->prepare, units);
  double sent_s = prepared_s + ls_cost_time(&engine->platform->workers[chunk->worker].send, units);
  struct ls_span span = {.resource = LS_RESOURCE_MASTER,
                         .operation = LS_OPERATION_PREPARE,
                         .worker = chunk->worker,
                         .chunk = engine->sending,
                         .units = chunk->units,
                         .start_s = engine->now_s,
                         .end_s = prepared_s};
  ls_engine_span(engine, &span);
  span.operation = LS_OPERATION_SEND;
  span.start_s = prepared_s;
  span.end_s = sent_s;
  ls_engine_span(engine, &span);
  return sent_s;
}

void ls_master_serve(struct ls_engine *engine) {
  engine->is_serve_queued = false;
  if (engine->is_master_busy) return;
  while (engine->status == LS_OK && !engine->is_finished) {
    if (engine->has_served || take_outbox(engine, &engine->sending)) {
      engine->has_served = false;
      double end_s = occupy(engine);
      engine->is_master_busy = true;
      if (end_s > engine->now_s)
        ls_engine_push(engine, end_s, LS_ENGINE_SENT, 0);
      else
        ls_master_sent(engine);
      return;
    }
    if (engine->is_push_due) {
      engine->is_push_due = false;
      ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_FREE});
    } else if (!serve_request(engine) && engine->outbox_head == engine->outbox_count) {
      break;
    }
  }
}

void ls_master_sent(struct ls_engine *engine) {
  assert(engine->is_master_busy);
  engine->is_master_busy = false;
  engine->is_push_due = engine->is_pushed;
  if (engine->workers[engine->chunks[engine->sending].worker].is_present)
    ls_network_ask(engine, engine->sending, false);
  ls_master_wake(engine);
}
