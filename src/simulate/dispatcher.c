/* dispatcher.c: the master's processor: requests in order of arrival, decisions, sending.
 *
 * READY reaches the coordinator when its service starts, so a decision is made at the instant at
 * which the master is free for it.  Units that come back for somebody who was refused are given out
 * likewise, one service at a time: the coordinator says that it waits for the master, and FREE is
 * the answer.
 */
#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The chunks of one answer stand one behind the other. */
static bool is_followed(const struct ls_engine *engine, const struct ls_action *action) {
  const struct ls_action *next = action + 1;
  return next < engine->actions.items + engine->actions.count && next->kind == LS_ACTION_SEND &&
         next->worker == action->worker;
}

static void on_send(struct ls_engine *engine, const struct ls_action *action) {
  uint32_t chunk = ls_engine_chunk_add(engine, action);
  if (chunk == LS_ENGINE_NONE) return;
  engine->chunks[chunk].is_followed = is_followed(engine, action);
  if (engine->timeline)
    ls_timeline_add_decision(engine->timeline, action->worker, (double)action->send.units);
  if (engine->outbox_head == engine->outbox_count) engine->outbox_head = engine->outbox_count = 0;
  if (!ls_engine_grow(engine, (void **)&engine->outbox, &engine->outbox_capacity,
                      engine->outbox_count + 1, sizeof *engine->outbox))
    return;
  engine->outbox[engine->outbox_count++] = chunk;
  ls_engine_master_wake(engine);
}

static void order_chunk(struct ls_engine *engine, const struct ls_action *action,
                        enum ls_side_event_kind kind, double delay_s) {
  if (!engine->workers[action->worker].is_present) return;
  ls_order_send(engine, action->worker, delay_s,
                &(struct ls_side_event){.kind = kind, .chunk = action->chunk});
}

/* In no time: no theory of returns gives it any. So it may be there before its chunk. */
static void order_fetch(struct ls_engine *engine, const struct ls_action *action) {
  struct ls_engine_chunk *chunk = &engine->chunks[engine->held_entries[action->chunk]];
  if (chunk->number == action->chunk && !chunk->has_arrived)
    chunk->is_fetched = true;
  else
    order_chunk(engine, action, LS_SIDE_EVENT_FETCH, 0);
}

static void order_prefetch(struct ls_engine *engine, uint64_t prefetch) {
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_PREFETCH, .prefetch = prefetch};
  for (uint32_t i = 0; i < engine->workers_count; i++)
    if (engine->workers[i].is_present) ls_order_send(engine, i, engine->workers[i].delay_s, &event);
}

static void write_notes(struct ls_engine *engine) {
  struct ls_bytes text = {0};
  for (size_t i = 0; i < engine->actions.notes_count; i++) {
    ls_bytes_clear(&text);
    ls_note_write(&engine->actions.notes[i], "unit", &text);
    if (text.failed) {
      ls_engine_fail(engine, LS_ENOMEM);
      break;
    }
    ls_timeline_add_note(engine->timeline, ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
}

static void perform_rare(struct ls_engine *engine, const struct ls_action *action) {
  switch (action->kind) {
    case LS_ACTION_CANCEL:
      order_chunk(engine, action, LS_SIDE_EVENT_CANCEL, engine->workers[action->worker].delay_s);
      break;
    case LS_ACTION_RECALL:
      ls_order_send(engine, action->worker, engine->workers[action->worker].delay_s,
                    &(struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL});
      break;
    case LS_ACTION_FETCH:
      order_fetch(engine, action);
      break;
    case LS_ACTION_AWAIT_FREE:
      if (!(engine->retry.arrival_s < (double)INFINITY)) engine->retry.arrival_s = engine->now_s;
      engine->retry.worker = action->worker;
      ls_engine_master_wake(engine);
      break;
    case LS_ACTION_RELEASE:
      ls_engine_push(engine, engine->now_s, LS_ENGINE_RELEASE, action->worker);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      ls_presence_request(engine, action->workers);
      break;
    case LS_ACTION_SET_PREFETCH:
      order_prefetch(engine, action->prefetch);
      break;
    case LS_ACTION_WAKE_AT:
      ls_engine_push(engine, fmax(action->time_s, engine->now_s), LS_ENGINE_TIMER, 0);
      break;
    case LS_ACTION_ITERATION_DONE:
      engine->is_iteration_due = true;
      break;
    case LS_ACTION_FINISH:
      engine->is_finished = true;
      break;
    default:
      break;
  }
}

static void perform(struct ls_engine *engine) {
  for (size_t i = 0; i < engine->actions.count && !engine->has_failed; i++) {
    const struct ls_action *action = &engine->actions.items[i];
    if (action->kind == LS_ACTION_SEND) {
      on_send(engine, action);
    } else if (action->kind == LS_ACTION_SETTLE) {
      if (action->settle.outcome == LS_OUTCOME_DONE)
        engine->done_units += action->settle.units.count;
    } else {
      perform_rare(engine, action);
    }
  }
  if (engine->actions.notes_count > 0) write_notes(engine);
}

static void watch_share(struct ls_engine *engine) {
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(engine->coordinator, &totals);
  bool is_scheduling = totals.waiting > 0;
  if (is_scheduling != engine->is_scheduling) ls_processor_share(engine, is_scheduling);
}

static void perform_all(struct ls_engine *engine, enum ls_status status) {
  if (status != LS_OK) {
    ls_engine_fail(engine, status);
    return;
  }
  perform(engine);
  /* Behind the last iteration nothing waits for replies. */
  if (engine->is_iteration_due && engine->iteration + 1 == engine->iterations)
    ls_simulated_iteration_begin(engine);
  if (engine->has_on_master) watch_share(engine);
}

uint64_t ls_engine_master_step(struct ls_engine *engine, struct ls_event *event) {
  if (engine->has_failed || engine->is_finished) return 0;
  event->now_s = engine->now_s;
  enum ls_status status =
      ls_coordinator_step(engine->coordinator, event, &engine->actions, engine->err);
  /* What follows may be further steps. */
  uint64_t dropped = engine->actions.units_dropped;
  perform_all(engine, status);
  return status == LS_OK ? dropped : 0;
}

static struct ls_engine_request *find_request(const struct ls_engine *engine, size_t index) {
  size_t place = engine->requests_head + index;
  if (place >= engine->requests_capacity) place -= engine->requests_capacity;
  return &engine->requests[place];
}

/* Doubles the ring; what it holds is laid out from its begin. */
static bool grow_requests(struct ls_engine *engine) {
  struct ls_engine_request *requests = NULL;
  size_t capacity = 0;
  if (!ls_engine_grow(engine, (void **)&requests, &capacity, 2 * engine->requests_count + 8,
                      sizeof *requests))
    return false;
  for (size_t i = 0; i < engine->requests_count; i++) requests[i] = *find_request(engine, i);
  free(engine->requests);
  engine->requests = requests;
  engine->requests_capacity = capacity;
  engine->requests_head = 0;
  return true;
}

/* Of two of one instant the worker comes first whose previous request was served earlier. */
static bool is_before(const struct ls_engine *engine, const struct ls_engine_request *a,
                      const struct ls_engine_request *b) {
  if (a->arrival_s < b->arrival_s || b->arrival_s < a->arrival_s)
    return a->arrival_s < b->arrival_s;
  return engine->workers[a->worker].served_rank < engine->workers[b->worker].served_rank;
}

/* It is the latest, and at most those of this instant stand behind it. */
void ls_engine_master_request(struct ls_engine *engine, uint32_t number, uint64_t units) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (engine->requests_count == engine->requests_capacity && !grow_requests(engine)) return;
  struct ls_engine_request request = {
      .arrival_s = engine->now_s, .units = units, .worker = number, .epoch = worker->epoch};
  size_t index = engine->requests_count++;
  while (index > 0 && is_before(engine, &request, find_request(engine, index - 1))) {
    *find_request(engine, index) = *find_request(engine, index - 1);
    index--;
  }
  *find_request(engine, index) = request;
  worker->is_requesting = true;
  ls_engine_master_wake(engine);
}

static struct ls_engine_request take_request(struct ls_engine *engine) {
  struct ls_engine_request request = *find_request(engine, 0);
  engine->requests_head =
      engine->requests_head + 1 < engine->requests_capacity ? engine->requests_head + 1 : 0;
  engine->requests_count--;
  return request;
}

/* Is the first request served before that of a worker that was refused?  What was recalled comes
 * with the request of the one that gave it back, and is for the one that has waited here. */
static bool is_served_first(const struct ls_engine *engine,
                            const struct ls_engine_request *request) {
  if (engine->setup->config.recalls) return request->arrival_s < engine->retry.arrival_s;
  return is_before(engine, request, &engine->retry);
}

/* Units came back for workers that were refused: these have stood here since then. */
static bool serve_retry(struct ls_engine *engine) {
  const struct ls_engine_request retry = engine->retry;
  if (!(retry.arrival_s < (double)INFINITY)) return false;
  if (engine->requests_count > 0 && is_served_first(engine, find_request(engine, 0))) return false;
  engine->retry.arrival_s = (double)INFINITY;
  engine->workers[retry.worker].served_rank = engine->served_count++;
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_FREE});
  if (engine->retry.arrival_s < (double)INFINITY) engine->retry.arrival_s = retry.arrival_s;
  return true;
}

/* Lets the coordinator decide on whatever stands here first; false: there is nothing. */
static bool serve_next(struct ls_engine *engine) {
  if (engine->is_push_due) {
    engine->is_push_due = false;
    ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_FREE});
    return true;
  }
  if (serve_retry(engine)) return true;
  if (engine->requests_count == 0) return false;
  struct ls_engine_request request = take_request(engine);
  struct ls_engine_worker *worker = &engine->workers[request.worker];
  if (!worker->is_present || worker->epoch != request.epoch) return true;
  worker->served_rank = engine->served_count++;
  ls_engine_master_step(
      engine, &(struct ls_event){
                  .kind = LS_EVENT_READY, .worker = request.worker, .ready_units = request.units});
  worker->is_requesting = false;
  if (worker->frames_arrived > 0) ls_mail_hear(engine, request.worker);
  return true;
}

/* Takes the next chunk out of the outbox whose worker is still there; false: there is none. */
static bool take_outbox(struct ls_engine *engine) {
  while (engine->outbox_head < engine->outbox_count) {
    engine->sending = engine->outbox[engine->outbox_head++];
    if (ls_engine_is_wanted(engine, engine->sending)) return true;
    ls_engine_chunk_drop(engine, engine->sending);
  }
  return false;
}

/* The processor's two operations for the chunk in `sending`; the end of the second one. */
static double occupy(struct ls_engine *engine) {
  const struct ls_engine_chunk *chunk = &engine->chunks[engine->sending];
  double prepared_s = engine->now_s + ls_engine_cost(&engine->platform->prepare, chunk->units);
  const struct ls_cost *costs =
      ls_worker_costs(engine->workers[chunk->worker].model, (double)chunk->units);
  double sent_s = prepared_s + ls_engine_cost(&costs[LS_OPERATION_SEND], chunk->units);
  if (!(sent_s > engine->now_s) || !ls_engine_has_spans(engine)) return sent_s;
  struct ls_span span = {.resource = LS_RESOURCE_MASTER,
                         .operation = LS_OPERATION_PREPARE,
                         .worker = chunk->worker,
                         .chunk = chunk->number,
                         .units = chunk->units,
                         .start_s = engine->now_s,
                         .end_s = prepared_s};
  ls_engine_add_span(engine, &span);
  span.operation = LS_OPERATION_SEND;
  span.start_s = prepared_s;
  span.end_s = sent_s;
  ls_engine_add_span(engine, &span);
  return sent_s;
}

void ls_engine_master_serve(struct ls_engine *engine) {
  engine->is_serve_due = false;
  while (!engine->is_master_busy && engine->status == LS_OK && !engine->is_finished) {
    if (!take_outbox(engine)) {
      if (!serve_next(engine)) return;
      continue;
    }
    double end_s = occupy(engine);
    engine->is_master_busy = true;
    if (end_s > engine->now_s) {
      ls_engine_push(engine, end_s, LS_ENGINE_SENT, 0);
    } else {
      ls_engine_master_sent(engine);
      return;
    }
  }
}

void ls_engine_master_sent(struct ls_engine *engine) {
  assert(engine->is_master_busy);
  engine->is_master_busy = false;
  engine->is_push_due = engine->is_pushed;
  /* Who asked while this was sent is served after all else of this instant. */
  engine->is_serve_due = engine->is_push_due || engine->requests_count > 0 ||
                         engine->retry.arrival_s < (double)INFINITY ||
                         engine->outbox_head < engine->outbox_count;
  if (ls_engine_is_wanted(engine, engine->sending))
    ls_network_ask(engine, engine->sending, false);
  else
    ls_engine_chunk_drop(engine, engine->sending);
}
