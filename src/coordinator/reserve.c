/* reserve.c: memory for all that one event can cause, had before anything is decided.
 *
 * The bounds are generous where they are cheap; the storage is kept, so that a run soon reserves
 * nothing any more.
 */
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/coordinator_private.h"

/* A little more than needed, so that the usual steps afterwards need not count. */
enum { MARGIN = 16 };

/* Most chunks that answer a request for so many units. */
static size_t limit(uint64_t units) {
  if (units <= 1) return 1;
  return units < LS_REQUEST_CHUNKS_MAX ? (size_t)units : LS_REQUEST_CHUNKS_MAX;
}

/* Most chunks that the event can send. */
static size_t count_sends(const struct ls_coordinator *c, const struct ls_event *event) {
  assert(c->chunks_live <= c->chunks_used);
  if (c->config.chunking->is_pushed) return 1;
  switch (event->kind) {
    case LS_EVENT_READY:
      return limit(event->units.count) + (c->config.spares_newcomers ? c->parked_chunks : 0);
    case LS_EVENT_RESULT:
      return event->outcome != LS_OUTCOME_DONE || c->config.spares_newcomers ? c->parked_chunks : 0;
    case LS_EVENT_JOINED:
    case LS_EVENT_RESUMED:
    case LS_EVENT_LOST:
    case LS_EVENT_SUSPENDED:
    case LS_EVENT_TIMER:
    case LS_EVENT_ITERATION:
    case LS_EVENT_ADVICE:
      return c->parked_chunks;
    default:
      return 0;
  }
}

static size_t count_cancels(const struct ls_coordinator *c, const struct ls_event *event) {
  assert(c->chunks_live <= c->chunks_used);
  if (event->kind == LS_EVENT_SUSPENDED) return c->members[event->worker].chunks;
  return event->kind == LS_EVENT_STOP && event->is_hard ? c->chunks_live : 0;
}

/* Most ranges of all these chunks together. */
static uint64_t count_ranges(const struct ls_coordinator *c, const struct ls_event *event,
                             size_t sends, size_t runs) {
  bool is_opening = event->kind == LS_EVENT_ITERATION;
  assert(sends <= SIZE_MAX / 2);
  if (c->config.ordering != NULL && c->config.ordering->arrange != NULL) {
    if (sends == 0) return 0;
    /* A copy is a range of its own. */
    return sends + (is_opening ? event->units.count : c->waiting.units + c->sent);
  }
  size_t gaps = is_opening ? c->past.done_count + c->past.failed_count + 1 : 0;
  return MARGIN + c->pieces.live + 2 * sends + runs + gaps;
}

static enum ls_status reserve_actions(struct ls_actions *actions, size_t items, uint64_t ranges,
                                      size_t notes) {
  assert(items > 0);
  if (items > actions->capacity) {
    void *storage = actions->items;
    if (ls_array_reserve(&storage, &actions->capacity, items, sizeof *actions->items) != LS_OK) {
      return LS_ENOMEM;
    }
    actions->items = storage;
  }
  if (ranges > actions->ranges_capacity) {
    void *storage = actions->ranges;
    if (ls_array_reserve(&storage, &actions->ranges_capacity, ranges, sizeof *actions->ranges) !=
        LS_OK) {
      return LS_ENOMEM;
    }
    actions->ranges = storage;
  }
  if (notes > actions->notes_capacity) {
    void *storage = actions->notes;
    if (ls_array_reserve(&storage, &actions->notes_capacity, notes, sizeof *actions->notes) !=
        LS_OK) {
      return LS_ENOMEM;
    }
    actions->notes = storage;
  }
  return LS_OK;
}

/* The counters per unit exist only once something has gone wrong. */
static enum ls_status reserve_counters(struct ls_coordinator *c, const struct ls_event *event) {
  assert(event->kind < LS_EVENT_COUNT);
  if (c->sent == 0 || event->kind == LS_EVENT_READY) return LS_OK;
  bool is_failure = event->kind == LS_EVENT_RESULT &&
                    (event->outcome == LS_OUTCOME_FAILED || event->outcome == LS_OUTCOME_TIMED_OUT);
  /* A unit that runs twice may fail once more than others. */
  bool is_counted = c->config.retries > 0 || c->twins.count > 0;
  if (is_failure && is_counted && c->failures == NULL) {
    c->failures = calloc(c->units, sizeof *c->failures);
    if (c->failures == NULL) return LS_ENOMEM;
  }
  bool is_loss = event->kind == LS_EVENT_LOST || event->kind == LS_EVENT_TIMER;
  if (is_loss && c->config.kills_max > 0 && c->kills == NULL) {
    c->kills = calloc(c->units, sizeof *c->kills);
    if (c->kills == NULL) return LS_ENOMEM;
  }
  return LS_OK;
}

/* A single request or result that finds the storage of the steps before it large enough, as nearly
 * all do; the bounds are those below for one chunk and one range. */
static bool has_usual_room(const struct ls_coordinator *c, const struct ls_event *event,
                           const struct ls_actions *actions) {
  bool is_request = event->kind == LS_EVENT_READY;
  bool is_result = event->kind == LS_EVENT_RESULT && event->outcome == LS_OUTCOME_DONE;
  size_t items = 18 + 4 * (c->active + c->suspended + 1);
  assert(c->pieces.live <= c->pieces.capacity && c->chunks_live <= c->chunks_capacity);
  return (is_request || is_result) && c->config.replication == NULL && event->units.count <= 1 &&
         c->waiting.order == NULL && c->active <= c->workers_most &&
         (!c->config.spares_newcomers || c->parked_first == LS_INDEX_NONE) &&
         items <= actions->capacity && c->pieces.live + 3 <= actions->ranges_capacity &&
         c->chunks_live < c->chunks_capacity && c->pieces.live + 5 <= c->pieces.capacity &&
         (!actions->wants_notes || 16 + 2 * items <= actions->notes_capacity);
}

enum ls_status ls_step_reserve(struct ls_coordinator *c, const struct ls_event *event,
                               struct ls_actions *actions) {
  if (has_usual_room(c, event, actions)) return LS_OK;
  size_t sends = count_sends(c, event);
  /* Whoever is released leaves what was kept for it to those that wait. */
  if (c->active > c->workers_most) sends += c->parked_chunks;
  size_t runs = event->kind == LS_EVENT_RESULT ? ls_result_runs_max(c, event) : 0;
  if (c->config.replication != NULL) {
    /* One copy for every worker that waits, and every twin may end, or split a range. */
    if (ls_twins_reserve(c) != LS_OK) return LS_ENOMEM;
    sends += c->parked_chunks + 1;
    runs += 2 * c->twins.count;
  }
  size_t workers = c->active + c->suspended + 1;
  size_t items = MARGIN + 16 + 4 * workers + sends + runs + count_cancels(c, event);
  uint64_t ranges = count_ranges(c, event, sends, runs);
  size_t notes = actions->wants_notes ? 16 + 2 * items : 0;
  bool is_permuted = c->config.ordering != NULL && c->config.ordering->arrange != NULL;
  size_t pieces = MARGIN + runs + 2 + (is_permuted ? 0 : 2 * sends);
  enum ls_status status = LS_OK;
  assert(c->pieces.live <= c->pieces.capacity && c->chunks_live <= c->chunks_capacity);
  if (items > actions->capacity || ranges > actions->ranges_capacity ||
      notes > actions->notes_capacity) {
    status = reserve_actions(actions, items, ranges, notes);
  }
  if (status == LS_OK && sends > c->chunks_capacity - c->chunks_live) {
    status = ls_chunks_reserve(c, sends + MARGIN);
  }
  if (status == LS_OK && pieces > c->pieces.capacity - c->pieces.live) {
    status = ls_pieces_reserve(&c->pieces, pieces);
  }
  if (status == LS_OK) status = reserve_counters(c, event);
  return status;
}
