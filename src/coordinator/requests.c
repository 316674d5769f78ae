/* requests.c: workers ask, the policy answers; or the policy pushes.
 *
 * A request that gets nothing is parked. Parked requests form a list in the order of refusal and
 * are served in the very step in which units come back.
 */
#include <math.h>

#include "coordinator/report_private.h"

static size_t limit_chunks(uint64_t units) {
  assert(units > 0);
  return units < LS_REQUEST_CHUNKS_MAX ? (size_t)units : LS_REQUEST_CHUNKS_MAX;
}

void ls_request_tell_worker(struct ls_coordinator *c, uint32_t worker,
                            enum ls_chunking_change change, uint64_t units_back) {
  const struct ls_chunking *policy = c->config.chunking;
  assert(worker < c->config.workers_max);
  if (c->policy_state == NULL || policy->on_worker == NULL) return;
  policy->on_worker(c->policy_state, ls_request_view(c), worker, change, units_back);
}

void ls_request_tell_return(struct ls_coordinator *c, uint64_t units_back) {
  const struct ls_chunking *policy = c->config.chunking;
  assert(units_back > 0 && c->policy_state != NULL);
  if (policy->on_return == NULL) return;
  policy->on_return(c->policy_state, ls_request_view(c), units_back);
}

/* What would wait at a busy worker is better kept for one that is idle, or on its way. */
static bool may_send_ahead(const struct ls_coordinator *c, uint32_t worker) {
  assert(c->waiting.units > 0);
  return !c->config.spares_newcomers || c->members[worker].units == 0 ||
         c->waiting.units > c->expected + c->newcomers + c->idle;
}

/* Chunks for the worker until `wanted` units are given or the policy gives nothing; the units. */
static uint64_t give(struct ls_coordinator *c, uint32_t worker, uint64_t wanted) {
  size_t chunks_max = limit_chunks(wanted);
  uint64_t given = 0;
  ls_request_deliver(c, worker);
  for (size_t i = 0; i < chunks_max && given < wanted && c->waiting.units > 0; i++) {
    if (!may_send_ahead(c, worker)) break;
    uint64_t units = c->config.chunking->next_units(c->policy_state, ls_request_view(c), worker);
    if (units == 0) break;
    if (units > c->waiting.units) units = c->waiting.units;
    ls_chunk_send(c, worker, units);
    given += units;
  }
  assert(given == 0 || c->sent >= given);
  return given;
}

void ls_request_park(struct ls_coordinator *c, uint32_t worker, uint64_t wanted) {
  struct ls_member *member = &c->members[worker];
  assert(member->presence == LS_PRESENCE_ACTIVE);
  if (member->is_parked) {
    /* It keeps its place; what it asked for last counts. */
    c->parked_chunks -= limit_chunks(member->parked_units);
  } else {
    member->is_parked = true;
    member->parked_next = LS_INDEX_NONE;
    member->parked_previous = c->parked_last;
    if (c->parked_last != LS_INDEX_NONE) {
      c->members[c->parked_last].parked_next = worker;
    } else {
      c->parked_first = worker;
    }
    c->parked_last = worker;
  }
  member->parked_units = wanted;
  c->parked_chunks += limit_chunks(wanted);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_ASKED_NOTHING,
                                   .worker = worker,
                                   .units = wanted,
                                   .extra = c->waiting.units});
}

void ls_request_unpark(struct ls_coordinator *c, uint32_t worker) {
  struct ls_member *member = &c->members[worker];
  if (!member->is_parked) return;
  assert(c->parked_chunks >= limit_chunks(member->parked_units));
  if (member->parked_previous != LS_INDEX_NONE) {
    c->members[member->parked_previous].parked_next = member->parked_next;
  } else {
    c->parked_first = member->parked_next;
  }
  if (member->parked_next != LS_INDEX_NONE) {
    c->members[member->parked_next].parked_previous = member->parked_previous;
  } else {
    c->parked_last = member->parked_previous;
  }
  c->parked_chunks -= limit_chunks(member->parked_units);
  member->is_parked = false;
}

/* Nothing need be kept for it any more once it has its answer. */
static void greet(struct ls_coordinator *c, struct ls_member *member) {
  if (member->has_asked) return;
  assert(c->newcomers > 0);
  member->has_asked = true;
  c->newcomers--;
  if (c->config.spares_newcomers) c->has_returned = true;
}

void ls_request_on_ready(struct ls_coordinator *c, const struct ls_event *event) {
  uint32_t worker = event->worker;
  uint64_t wanted = event->units.count > 1 ? event->units.count : 1;
  assert(c->members[worker].presence == LS_PRESENCE_ACTIVE);
  c->requests++;
  greet(c, &c->members[worker]);
  if (c->config.chunking->is_pushed) return;
  if (ls_advice_is_surplus(c, worker)) {
    ls_request_deliver(c, worker);
    ls_request_park(c, worker, wanted);
    return;
  }
  bool may_copy = c->config.replication != NULL && !c->is_stopping;
  if ((may_copy && ls_twins_serve(c, worker, false)) ||
      (!c->is_stopping && c->waiting.units > 0 && give(c, worker, wanted) > 0) ||
      (may_copy && c->waiting.units == 0 && ls_twins_serve(c, worker, true))) {
    ls_request_unpark(c, worker);
    return;
  }
  /* Reports travel with every request, also with one that gets nothing. */
  ls_request_deliver(c, worker);
  ls_request_park(c, worker, wanted);
}

void ls_request_on_report(struct ls_coordinator *c, const struct ls_event *event) {
  struct ls_chunking_report *report = &c->members[event->worker].report;
  assert(c->members[event->worker].presence == LS_PRESENCE_ACTIVE);
  if (event->count > 0) {
    struct ls_chunking_report fresh = {.units = event->count};
    if (isfinite(event->seconds) && event->seconds > 0) fresh.seconds = event->seconds;
    if (isfinite(event->squares) && event->squares > 0) fresh.squares = event->squares;
    ls_request_observe(c, event->worker, &fresh);
    report->units += fresh.units;
    report->seconds += fresh.seconds;
    report->squares += fresh.squares;
    report->last_seconds = isfinite(event->last_seconds) ? event->last_seconds : 0;
  }
  ls_request_deliver(c, event->worker);
}

void ls_request_on_free(struct ls_coordinator *c) {
  assert(!c->is_finished);
  c->is_port_free = true;
}

static void push(struct ls_coordinator *c) {
  uint32_t worker = LS_WORKER_NONE;
  uint64_t units = 0;
  assert(c->is_port_free && c->waiting.units > 0);
  if (!c->config.chunking->next_send(c->policy_state, ls_request_view(c), &worker, &units)) return;
  assert(worker < c->members_seen && units > 0);
  c->is_port_free = false;
  ls_chunk_send(c, worker, units < c->waiting.units ? units : c->waiting.units);
}

/* Parked from this one on, and without a unit. */
static size_t count_idle(const struct ls_coordinator *c, uint32_t worker) {
  size_t idle = 0;
  assert(worker == LS_INDEX_NONE || c->members[worker].is_parked);
  for (; worker != LS_INDEX_NONE; worker = c->members[worker].parked_next)
    idle += c->members[worker].units == 0;
  return idle;
}

void ls_request_serve(struct ls_coordinator *c) {
  assert(!c->is_stopping && !c->is_finished);
  if (c->config.chunking->is_pushed) {
    if (c->is_port_free && c->waiting.units > 0) push(c);
    return;
  }
  uint32_t worker = c->has_returned ? c->parked_first : LS_INDEX_NONE;
  c->idle = c->config.spares_newcomers ? count_idle(c, worker) : 0;
  while (worker != LS_INDEX_NONE && c->waiting.units > 0) {
    uint32_t next = c->members[worker].parked_next;
    if (c->idle > 0 && c->members[worker].units == 0) c->idle--;
    if (!ls_advice_is_surplus(c, worker) && give(c, worker, c->members[worker].parked_units) > 0)
      ls_request_unpark(c, worker);
    worker = next;
  }
  c->idle = 0;
}
