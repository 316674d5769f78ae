/* master.c: the master's processor: requests in order of arrival, decisions, sending.
 *
 * READY reaches the coordinator when its service starts, so a decision is made at the instant at
 * which the master is free for it.  Chunks that the coordinator decides at another event (a loss
 * brings back units for which somebody waits) stand in the outbox, behind older requests.
 */
#include "simulate/engine_private.h"

#include <assert.h>
#include <math.h>

static void on_send(struct ls_engine *engine, const struct ls_action *action) {
  uint32_t chunk = ls_engine_chunk_add(engine, action);
  if (chunk == UINT32_MAX) return;
  if (engine->timeline)
    ls_timeline_add_decision(engine->timeline, action->worker, (double)engine->chunks[chunk].units);
  if (engine->is_serving && !engine->has_served) {
    engine->has_served = true;
    engine->sending = chunk;
    return;
  }
  if (engine->outbox_head == engine->outbox_count) engine->outbox_head = engine->outbox_count = 0;
  if (!ls_engine_grow(engine, (void **)&engine->outbox, &engine->outbox_capacity,
                      engine->outbox_count + 1, sizeof *engine->outbox))
    return;
  engine->outbox[engine->outbox_count++] = chunk;
  ls_engine_master_wake(engine);
}

/* The word that a chunk is not wanted goes to its worker as a message without load. */
static void on_cancel(struct ls_engine *engine, const struct ls_action *action) {
  const struct ls_engine_worker *worker = &engine->workers[action->worker];
  if (!worker->is_present) return;
  if (!ls_engine_grow(engine, (void **)&engine->cancelled, &engine->cancelled_capacity,
                      engine->cancelled_count + 1, sizeof *engine->cancelled))
    return;
  engine->cancelled[engine->cancelled_count] =
      (struct ls_cancelled){.worker = action->worker, .chunk = action->chunk};
  ls_engine_push(engine, engine->now_s + worker->delay_s, LS_ENGINE_CANCEL,
                 engine->cancelled_count++);
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

static void perform_rare(struct ls_engine *engine, const struct ls_action *action) {
  switch (action->kind) {
    case LS_ACTION_CANCEL:
      on_cancel(engine, action);
      break;
    case LS_ACTION_RELEASE:
      ls_engine_push(engine, engine->now_s, LS_ENGINE_RELEASE, action->worker);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      ls_presence_request(engine, action->count);
      break;
    case LS_ACTION_SET_PREFETCH:
      engine->prefetch = action->count;
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

/* Results are not held back, so there is nothing to fetch. */
static void perform(struct ls_engine *engine) {
  for (size_t i = 0; i < engine->actions.count; i++) {
    const struct ls_action *action = &engine->actions.items[i];
    if (action->kind == LS_ACTION_SEND) {
      on_send(engine, action);
    } else if (action->kind == LS_ACTION_SETTLE) {
      if (action->verdict == LS_VERDICT_DONE) engine->done_units += action->range.count;
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

void ls_engine_master_perform(struct ls_engine *engine, enum ls_status status) {
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

void ls_engine_master_step(struct ls_engine *engine, struct ls_event *event) {
  if (engine->status != LS_OK || engine->is_finished) return;
  event->now_s = engine->now_s;
  ls_engine_master_perform(
      engine, ls_coordinator_step(engine->coordinator, event, &engine->actions, engine->err));
}

static void line_up(struct ls_engine *engine, double arrival_s, uint64_t request) {
  const struct ls_engine_worker *worker = &engine->workers[request & UINT32_MAX];
  enum ls_status status = ls_heap_push(&engine->requests, arrival_s, worker->served_rank, request);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

/* A second request has come: both wait in the heap. */
static void line_up_single(struct ls_engine *engine) {
  if (!engine->has_single) return;
  engine->has_single = false;
  line_up(engine, engine->single_s, engine->single);
}

void ls_engine_master_request(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t request = (uint64_t)worker->epoch << 32 | number;
  ls_engine_master_wake(engine);
  if (!engine->has_single && engine->requests.count == 0) {
    engine->has_single = true;
    engine->single = request;
    engine->single_s = engine->now_s;
    return;
  }
  line_up_single(engine);
  line_up(engine, engine->now_s, request);
}

void ls_engine_master_report(struct ls_engine *engine, const struct ls_feedback *feedback) {
  if (feedback->units == 0 || !engine->workers[feedback->worker].is_present) return;
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_REPORT,
                                                   .worker = feedback->worker,
                                                   .count = feedback->units,
                                                   .seconds = feedback->seconds,
                                                   .squares = feedback->squares,
                                                   .last_seconds = feedback->last_seconds});
}

/* The oldest request; false: there is none. */
static bool take_request(struct ls_engine *engine, uint64_t *request) {
  struct ls_heap_item item;
  if (engine->has_single) {
    engine->has_single = false;
    *request = engine->single;
    return true;
  }
  if (!ls_heap_pop(&engine->requests, &item)) return false;
  *request = item.payload;
  return true;
}

/* Lets the coordinator decide on the oldest request; false when there is none. */
static bool serve_request(struct ls_engine *engine) {
  uint64_t request;
  while (take_request(engine, &request)) {
    uint32_t number = (uint32_t)(request & UINT32_MAX);
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!worker->is_present || worker->epoch != request >> 32) continue;
    worker->served_rank = engine->served_count++;
    if (engine->has_feedback) {
      struct ls_feedback carried = worker->carried;
      worker->carried = (struct ls_feedback){.worker = number};
      ls_engine_master_report(engine, &carried);
    }
    engine->is_serving = true;
    ls_engine_master_step(
        engine,
        &(struct ls_event){.kind = LS_EVENT_READY, .worker = number, .units = {.count = 1}});
    engine->is_serving = false;
    return true;
  }
  return false;
}

/* Takes the next chunk out of the outbox whose worker is still there; false: there is none, or a
 * request came before it was decided. */
static bool take_outbox(struct ls_engine *engine) {
  line_up_single(engine);
  const struct ls_heap_item *request = ls_heap_first(&engine->requests);
  while (engine->outbox_head < engine->outbox_count) {
    uint32_t next = engine->outbox[engine->outbox_head];
    bool is_wanted = ls_engine_is_wanted(engine, next);
    if (is_wanted && request && request->time_s < engine->chunks[next].decided_s) return false;
    engine->outbox_head++;
    engine->sending = next;
    if (is_wanted) return true;
    ls_engine_chunk_drop(engine, next);
  }
  return false;
}

/* The processor's two operations for the chunk in `sending`; the end of the second one. */
static double occupy(struct ls_engine *engine) {
  const struct ls_engine_chunk *chunk = &engine->chunks[engine->sending];
  double prepared_s = engine->now_s + ls_engine_cost(&engine->platform->prepare, chunk->units);
  double sent_s =
      prepared_s + ls_engine_cost(&engine->workers[chunk->worker].model->send, chunk->units);
  if (!ls_engine_has_spans(engine)) return sent_s;
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
  if (engine->is_master_busy || ls_usual_serve(engine)) return;
  while (engine->status == LS_OK && !engine->is_finished) {
    if (engine->has_served || (engine->outbox_head < engine->outbox_count && take_outbox(engine))) {
      engine->has_served = false;
      double end_s = occupy(engine);
      engine->is_master_busy = true;
      if (end_s > engine->now_s)
        ls_engine_push(engine, end_s, LS_ENGINE_SENT, 0);
      else
        ls_engine_master_sent(engine);
      return;
    }
    if (engine->is_push_due) {
      engine->is_push_due = false;
      ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_FREE});
    } else if (!serve_request(engine) && engine->outbox_head == engine->outbox_count) {
      break;
    }
  }
}

void ls_engine_master_sent(struct ls_engine *engine) {
  assert(engine->is_master_busy);
  engine->is_master_busy = false;
  engine->is_push_due = engine->is_pushed;
  /* Who asked while this was sent is served after all else of this instant. */
  engine->is_serve_due = engine->is_push_due || engine->has_single || engine->requests.count > 0 ||
                         engine->outbox_head < engine->outbox_count;
  if (ls_engine_is_wanted(engine, engine->sending))
    ls_network_ask(engine, engine->sending, false);
  else
    ls_engine_chunk_drop(engine, engine->sending);
}
