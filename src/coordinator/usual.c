/* usual.c: the usual request and the usual result, without detours.
 *
 * Of the steps of a run nearly all are a request that gets one chunk and a result of a whole chunk
 * that is done.  Here they do what requests.c and results.c do with them, but look at each thing
 * once; whatever is not quite usual goes the long way.  Where a worker asks with its result, both
 * are done in one.  A test holds all ways against each other.
 */
#include <float.h>
#include <string.h>

#include "coordinator/report_private.h"

bool ls_usual_is_possible(const struct ls_coordinator *c) {
  assert(c->config.chunking != NULL);
  return !c->config.is_exact && !c->config.chunking->is_pushed && c->config.replication == NULL &&
         !c->learning.learns && c->waiting.order == NULL && c->workers_most == SIZE_MAX;
}

/* Comes last: the compiler has to take a byte written here for a part of anything. */
static inline void mark(struct ls_coordinator *c, struct ls_range range, uint8_t state) {
  assert(ls_range_is_within(&range, c->units));
  if (range.count == 1)
    c->state[range.first] = state;
  else
    memset(c->state + range.first, state, range.count);
}

/* The only action of the step; verdict and what the kind needs not are 0. */
static inline struct ls_action *answer(struct ls_actions *actions, enum ls_action_kind kind,
                                       uint32_t worker, uint64_t chunk) {
  struct ls_action *action = &actions->items[0];
  assert(actions->count < actions->capacity);
  action->kind = kind;
  action->verdict = LS_VERDICT_DONE;
  action->worker = worker;
  action->chunk = chunk;
  action->time_s = 0;
  action->first_range = 0;
  actions->count = 1;
  return action;
}

/* The first `units` waiting units go to the worker as a chunk of one range. */
static inline void send(struct ls_coordinator *c, uint32_t worker, uint64_t units,
                        struct ls_actions *actions) {
  struct ls_member *member = &c->members[worker];
  uint32_t index = c->chunks_free, piece = c->pieces.free_first, last = member->last_chunk;
  struct ls_live_chunk *chunk = &c->chunks[index];
  struct ls_piece *item = &c->pieces.items[piece];
  struct ls_range range = {c->waiting.cursor, units};
  uint64_t id = c->next_chunk++;
  assert(units <= c->waiting.units);
  c->chunks_free = chunk->next;
  c->chunks_live++;
  c->pieces.free_first = item->next;
  c->pieces.live++;
  item->units = range;
  item->next = LS_INDEX_NONE;
  /* Field by field: a literal of a whole structure is made by a slow string instruction. */
  chunk->id = id;
  chunk->sent_s = c->now_s;
  chunk->units = units;
  chunk->pieces.first = chunk->pieces.last = piece;
  chunk->pieces.pieces = 1;
  chunk->next = LS_INDEX_NONE;
  chunk->previous = last;
  chunk->is_cancelled = chunk->is_copy = false;
  if (last != LS_INDEX_NONE)
    c->chunks[last].next = index;
  else
    member->first_chunk = index;
  member->last_chunk = index;
  member->chunks++;
  member->units += units;
  c->waiting.cursor += units;
  c->waiting.units -= units;
  c->sent += units;
  struct ls_action *action = answer(actions, LS_ACTION_SEND, worker, id);
  action->count = units;
  action->range.first = action->range.count = 0;
  action->ranges_count = 1;
  actions->ranges[0] = range;
  actions->ranges_count = 1;
  mark(c, range, LS_UNIT_SENT);
}

/* A time that is no number, or has gone back, is for the long way, too. */
static inline bool is_regular(const struct ls_coordinator *c, const struct ls_event *event,
                              const struct ls_actions *actions) {
  assert(c->is_open);
  return event->worker < c->config.workers_max && !actions->wants_notes &&
         c->members[event->worker].presence == LS_PRESENCE_ACTIVE && event->now_s >= c->now_s &&
         event->now_s <= DBL_MAX;
}

/* False: nothing has changed, the request is not usual. */
static inline bool take_request(struct ls_coordinator *c, const struct ls_event *event,
                                struct ls_actions *actions) {
  struct ls_member *member = &c->members[event->worker];
  if (event->units.count > 1 || member->is_parked || actions->ranges_capacity == 0 ||
      c->waiting.front.pieces > 0 || c->waiting.units == 0 || c->chunks_free == LS_INDEX_NONE ||
      c->pieces.free_first == LS_INDEX_NONE || !member->has_asked ||
      (c->config.spares_newcomers && c->expected + c->newcomers > 0))
    return false;
  assert(c->policy_state != NULL);
  member->heard_s = c->now_s = event->now_s;
  c->requests++;
  ls_request_deliver(c, event->worker);
  uint64_t units =
      c->config.chunking->next_units(c->policy_state, ls_request_view(c), event->worker);
  if (units > c->waiting.units) units = c->waiting.units;
  if (units > 0) {
    send(c, event->worker, units, actions);
    return true;
  }
  c->actions = actions;
  ls_request_park(c, event->worker, 1);
  c->actions = NULL;
  return true;
}

/* The chunk, which is one range, leaves the worker's list, of which it is the first. */
static inline void remove_first(struct ls_coordinator *c, struct ls_member *member) {
  uint32_t index = member->first_chunk;
  struct ls_live_chunk *chunk = &c->chunks[index];
  uint32_t piece = chunk->pieces.first, next = chunk->next;
  assert(chunk->previous == LS_INDEX_NONE && c->pieces.live > 0);
  c->pieces.items[piece].next = c->pieces.free_first;
  c->pieces.free_first = piece;
  c->pieces.live--;
  member->first_chunk = next;
  if (next != LS_INDEX_NONE)
    c->chunks[next].previous = LS_INDEX_NONE;
  else
    member->last_chunk = LS_INDEX_NONE;
  member->chunks--;
  c->chunks_live--;
  chunk->next = c->chunks_free;
  c->chunks_free = index;
}

/* False: nothing has changed, the result is not that of the worker's oldest chunk, whole. */
static inline bool take_result(struct ls_coordinator *c, const struct ls_event *event,
                               struct ls_actions *actions) {
  struct ls_member *member = &c->members[event->worker];
  struct ls_range range = event->units;
  if (event->outcome != LS_OUTCOME_DONE || member->chunks == 0 || c->failures != NULL ||
      c->kills != NULL || c->waiting.units + c->sent == range.count ||
      (c->config.spares_newcomers && member->is_parked))
    return false;
  const struct ls_live_chunk *chunk = &c->chunks[member->first_chunk];
  if (chunk->id != event->chunk || chunk->pieces.pieces != 1) return false;
  const struct ls_range *units = &c->pieces.items[chunk->pieces.first].units;
  if (units->first != range.first || units->count != range.count) return false;
  assert(range.count == chunk->units && range.count <= c->sent && range.count <= member->units);
  remove_first(c, member);
  c->sent -= range.count;
  c->done += range.count;
  member->units -= range.count;
  member->heard_s = member->result_s = c->now_s = event->now_s;
  struct ls_action *action = answer(actions, LS_ACTION_SETTLE, event->worker, event->chunk);
  action->count = 1; /* nothing failed yet, so it was the first attempt */
  action->range = range;
  action->ranges_count = 0;
  ls_result_gather(c, event, event->units.count, false);
  mark(c, range, LS_UNIT_DONE);
  return true;
}

/* Holds after every step that went the short way. */
static inline enum ls_status end(const struct ls_coordinator *c) {
  assert(c->waiting.units + c->sent + c->done + c->failed + c->given_up == c->units);
  return LS_OK;
}

enum ls_status ls_usual_on_result(struct ls_coordinator *c, const struct ls_event *event,
                                  struct ls_actions *actions, struct ls_error *err) {
  if (is_regular(c, event, actions) && take_result(c, event, actions)) return end(c);
  return ls_step_long(c, event, actions, err);
}

enum ls_status ls_usual_on_ready(struct ls_coordinator *c, const struct ls_event *event,
                                 struct ls_actions *actions, struct ls_error *err) {
  if (is_regular(c, event, actions) && take_request(c, event, actions)) return end(c);
  return ls_step_long(c, event, actions, err);
}

/* Does the worker have this one chunk, of one range and not cancelled? */
static inline bool has_only(const struct ls_coordinator *c, const struct ls_member *member,
                            const struct ls_exchange *exchange) {
  if (member->chunks != 1) return false;
  const struct ls_live_chunk *chunk = &c->chunks[member->first_chunk];
  if (chunk->id != exchange->chunk || chunk->pieces.pieces != 1 || chunk->is_cancelled)
    return false;
  const struct ls_range *units = &c->pieces.items[chunk->pieces.first].units;
  assert(chunk->units == units->count && member->units == units->count);
  return units->first == exchange->units.first && units->count == exchange->units.count;
}

/* Would both steps be usual, with nothing of the result to be told to the policy? */
static inline bool can_exchange(const struct ls_coordinator *c, const struct ls_actions *actions,
                                const struct ls_exchange *exchange) {
  const struct ls_member *member = &c->members[exchange->worker];
  const struct ls_chunking *policy = c->config.chunking;
  return member->presence == LS_PRESENCE_ACTIVE && !member->is_parked && !actions->wants_notes &&
         exchange->now_s >= c->now_s && exchange->now_s <= DBL_MAX && exchange->seconds >= 0 &&
         exchange->seconds <= DBL_MAX && policy->on_report == NULL && c->report_every == 0 &&
         member->report.units == 0 && member->report.units_gone == 0 && c->failures == NULL &&
         c->kills == NULL && c->waiting.front.pieces == 0 && c->waiting.units > 0 &&
         has_only(c, member, exchange);
}

/* The units are done, and their seconds counted; a report of them would be forgotten at once. */
static inline void count_done(struct ls_coordinator *c, const struct ls_exchange *exchange) {
  struct ls_member *member = &c->members[exchange->worker];
  uint64_t units = exchange->units.count;
  double seconds = exchange->seconds;
  assert(units > 0 && units <= c->sent);
  double mean = units == 1 ? seconds : seconds / (double)units;
  struct ls_chunking_report fresh = {.units = units, .seconds = seconds, .squares = mean * seconds};
  c->sent -= units;
  c->done += units;
  c->working_seconds += seconds;
  ls_request_observe(c, exchange->worker, &fresh);
  double idle_s = exchange->now_s - member->reported_s - seconds;
  if (idle_s > 0) c->observed.overhead_s += idle_s;
  c->observed.reports++;
  c->requests++;
  member->heard_s = member->result_s = member->reported_s = c->now_s = exchange->now_s;
  mark(c, exchange->units, LS_UNIT_DONE);
}

/* The worker, which has no chunk any more, gets nothing now. */
static void refuse(struct ls_coordinator *c, uint32_t worker, struct ls_actions *actions) {
  assert(c->members[worker].chunks == 1);
  c->members[worker].units = 0;
  remove_first(c, &c->members[worker]);
  actions->count = actions->ranges_count = actions->notes_count = 0;
  c->actions = actions;
  ls_request_park(c, worker, 1);
  c->actions = NULL;
}

bool ls_coordinator_exchange(struct ls_coordinator *c, struct ls_exchange *exchange,
                             struct ls_actions *actions) {
  assert(c->actions == NULL && exchange->worker < c->config.workers_max);
  if (!c->is_usual || !can_exchange(c, actions, exchange)) return false;
  assert(c->is_open && c->policy_state != NULL);
  count_done(c, exchange);
  uint64_t units =
      c->config.chunking->next_units(c->policy_state, ls_request_view(c), exchange->worker);
  if (units > c->waiting.units) units = c->waiting.units;
  exchange->units = (struct ls_range){c->waiting.cursor, units};
  if (units == 0) {
    refuse(c, exchange->worker, actions);
  } else {
    /* The next chunk takes the place of the last one. */
    struct ls_member *member = &c->members[exchange->worker];
    struct ls_live_chunk *chunk = &c->chunks[member->first_chunk];
    chunk->id = exchange->chunk = c->next_chunk++;
    chunk->sent_s = c->now_s;
    chunk->units = member->units = units;
    c->pieces.items[chunk->pieces.first].units = exchange->units;
    c->waiting.cursor += units;
    c->waiting.units -= units;
    c->sent += units;
    mark(c, exchange->units, LS_UNIT_SENT);
  }
  assert(c->waiting.units + c->sent + c->done + c->failed + c->given_up == c->units);
  return true;
}
