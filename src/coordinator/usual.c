/* usual.c: the usual request and the usual result, without detours.
 *
 * Of the steps of a run nearly all are a request that gets one chunk and a result of a whole chunk
 * that is done.  Here they do what requests.c and results.c do with them, but look at each thing
 * once; whatever is not quite usual goes the long way.  A test holds both ways against each other.
 */
#include <math.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

bool ls_usual_is_possible(const struct ls_coordinator *c) {
  assert(c->config.chunking != NULL);
  return !c->config.is_exact && !c->config.chunking->is_pushed && c->config.replication == NULL &&
         !c->learning.learns && c->waiting.order == NULL;
}

static void mark(struct ls_coordinator *c, const struct ls_range *range, uint8_t state) {
  assert(ls_range_is_within(range, c->units));
  if (range->count == 1)
    c->state[range->first] = state;
  else
    memset(c->state + range->first, state, range->count);
}

/* The first `units` waiting units go to the worker as a chunk of one range. */
static void send(struct ls_coordinator *c, uint32_t worker, uint64_t units) {
  struct ls_member *member = &c->members[worker];
  uint32_t index = c->chunks_free, piece = c->pieces.free_first;
  struct ls_live_chunk *chunk = &c->chunks[index];
  struct ls_range range = {c->waiting.cursor, units};
  assert(index != LS_INDEX_NONE && piece != LS_INDEX_NONE && units <= c->waiting.units);
  c->chunks_free = chunk->next;
  c->chunks_live++;
  c->pieces.free_first = c->pieces.items[piece].next;
  c->pieces.live++;
  c->pieces.items[piece] = (struct ls_piece){range, LS_INDEX_NONE};
  *chunk = (struct ls_live_chunk){.id = c->next_chunk++,
                                  .sent_s = c->now_s,
                                  .units = units,
                                  .pieces = {piece, piece, 1},
                                  .next = LS_INDEX_NONE,
                                  .previous = member->last_chunk};
  if (member->last_chunk != LS_INDEX_NONE)
    c->chunks[member->last_chunk].next = index;
  else
    member->first_chunk = index;
  member->last_chunk = index;
  member->chunks++;
  member->units += units;
  mark(c, &range, LS_UNIT_SENT);
  c->waiting.cursor += units;
  c->waiting.units -= units;
  c->sent += units;
  struct ls_action *action = ls_actions_add(c, LS_ACTION_SEND, worker);
  action->chunk = chunk->id;
  action->count = units;
  action->ranges_count = 1;
  c->actions->ranges[c->actions->ranges_count++] = range;
}

/* False: nothing has changed, the request is not usual. */
static bool take_request(struct ls_coordinator *c, const struct ls_event *event) {
  struct ls_member *member = &c->members[event->worker];
  if (event->units.count > 1 || member->is_parked || c->waiting.front.pieces > 0 ||
      c->waiting.units == 0 || c->chunks_free == LS_INDEX_NONE ||
      c->pieces.free_first == LS_INDEX_NONE)
    return false;
  assert(member->presence == LS_PRESENCE_ACTIVE);
  member->heard_s = c->now_s;
  c->requests++;
  ls_request_deliver(c, event->worker);
  uint64_t units =
      c->config.chunking->next_units(c->policy_state, ls_request_view(c), event->worker);
  if (units > c->waiting.units) units = c->waiting.units;
  if (units > 0)
    send(c, event->worker, units);
  else
    ls_request_park(c, event->worker, 1);
  return true;
}

/* The oldest chunk of the worker, if all of it is one range and the result is of that. */
static bool is_whole(const struct ls_coordinator *c, const struct ls_live_chunk *chunk,
                     const struct ls_event *event) {
  if (chunk->id != event->chunk || chunk->pieces.pieces != 1) return false;
  const struct ls_range *range = &c->pieces.items[chunk->pieces.first].units;
  assert(range->count == chunk->units);
  return range->first == event->units.first && range->count == event->units.count;
}

/* The chunk leaves the worker's list, of which it is the first. */
static void remove_first(struct ls_coordinator *c, struct ls_member *member) {
  uint32_t index = member->first_chunk;
  struct ls_live_chunk *chunk = &c->chunks[index];
  uint32_t piece = chunk->pieces.first;
  assert(chunk->previous == LS_INDEX_NONE && c->pieces.live > 0);
  c->pieces.items[piece].next = c->pieces.free_first;
  c->pieces.free_first = piece;
  c->pieces.live--;
  ls_piece_list_init(&chunk->pieces);
  chunk->units = 0;
  member->first_chunk = chunk->next;
  if (chunk->next != LS_INDEX_NONE)
    c->chunks[chunk->next].previous = LS_INDEX_NONE;
  else
    member->last_chunk = LS_INDEX_NONE;
  member->chunks--;
  c->chunks_live--;
  chunk->next = c->chunks_free;
  c->chunks_free = index;
}

static bool take_result(struct ls_coordinator *c, const struct ls_event *event) {
  struct ls_member *member = &c->members[event->worker];
  uint64_t units = event->units.count;
  if (event->outcome != LS_OUTCOME_DONE || member->chunks == 0 || c->failures != NULL ||
      c->kills != NULL || c->done + c->failed + c->given_up + units == c->units ||
      !is_whole(c, &c->chunks[member->first_chunk], event))
    return false;
  assert(units <= c->sent && units <= member->units);
  mark(c, &event->units, LS_UNIT_DONE);
  remove_first(c, member);
  c->sent -= units;
  c->done += units;
  member->units -= units;
  member->heard_s = member->result_s = c->now_s;
  struct ls_action *action = ls_actions_add(c, LS_ACTION_SETTLE, event->worker);
  action->chunk = event->chunk;
  action->verdict = LS_VERDICT_DONE;
  action->count = 1; /* nothing failed yet, so it was the first attempt */
  action->range = event->units;
  ls_result_gather(c, event, units, false);
  return true;
}

bool ls_usual_step(struct ls_coordinator *c, const struct ls_event *event,
                   struct ls_actions *actions) {
  bool is_request = event->kind == LS_EVENT_READY;
  if ((!is_request && event->kind != LS_EVENT_RESULT) || actions->wants_notes ||
      actions->capacity == 0 || actions->ranges_capacity == 0 || c->is_stopping || !c->is_open ||
      event->worker >= c->config.workers_max || !isfinite(event->now_s) ||
      c->members[event->worker].presence != LS_PRESENCE_ACTIVE)
    return false;
  assert(!c->is_finished && c->policy_state != NULL);
  double before_s = c->now_s;
  if (event->now_s > before_s) c->now_s = event->now_s;
  c->actions = actions;
  c->has_returned = false;
  bool is_taken = is_request ? take_request(c, event) : take_result(c, event);
  c->actions = NULL;
  if (!is_taken) c->now_s = before_s;
  ls_coordinator_check(c);
  return is_taken;
}
