/* handle_returns.c: results in a planned order.
 *
 * A worker holds the result of a chunk that stands in the plan's order until it is fetched.  In
 * order only one is asked for at a time: the next, as soon as its chunk is out and the one before
 * it has come.  The worker answers when it has computed it.  What a loss took is not waited for:
 * its units go out again in chunks that nobody planned, whose results come as they end.  Nor is a
 * chunk that does not go out any more: behind a stop, or in a resumed run, which has fewer units
 * than the plan.  Of a plan that repeats the order names chunks behind the body only, so that each
 * is sent once; nothing is kept of the others.
 *
 * Held results take room, since nobody says that their units have ended.  So a worker may have no
 * room for a chunk whose result is to come first: a held one is then asked for before its turn.
 *
 * For the order all is taken at once from a worker that is away, also what runs.  A unit that stops
 * its workers would never come to its end so.  Where that happens more often than there are workers
 * and no unit is settled meanwhile, the rest of the iteration goes on without the order.
 */
#include <stdlib.h>
#include <string.h>

#include "coordinator/handlers_private.h"

void ls_return_open(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  fetching->at = 0;
  fetching->settled = fetching->vain = 0;
  fetching->is_abandoned = false;
  fetching->cursor = ls_plan_begin(&c->plan);
  if (fetching->sent == NULL) return;
  memset(fetching->was_asked, 0, c->plan.chunks_count * sizeof *fetching->was_asked);
  memset(fetching->sent, 0, c->plan.chunks_count * sizeof *fetching->sent);
  memset(fetching->ranks, 0, c->plan.chunks_count * sizeof *fetching->ranks);
  for (size_t i = 0; i < c->plan.returns_count; i++) fetching->ranks[c->plan.returns[i]] = i + 1;
}

enum ls_result_way ls_return_on_push(struct ls_coordinator *c, const struct ls_chunk *chunk,
                                     uint64_t units) {
  struct ls_fetching *fetching = &c->fetching;
  const struct ls_plan_chunk *as_planned =
      c->plan.has_returns ? ls_plan_next(&fetching->cursor) : NULL;
  if (as_planned == NULL) return LS_RESULT_AS_COMPUTED;
  size_t planned = (size_t)(as_planned - c->plan.chunks);
  bool is_planned = as_planned->worker == chunk->slot && (uint64_t)as_planned->units == units;
  if (fetching->sent == NULL || planned < ls_plan_returns_from(&c->plan))
    return is_planned ? LS_RESULT_WEIGHTLESS : LS_RESULT_AS_COMPUTED;
  fetching->sent[planned] = chunk->id + 1;
  fetching->slots[planned] = chunk->slot;
  if (is_planned && fetching->ranks[planned] == 0) return LS_RESULT_WEIGHTLESS;
  if (is_planned && fetching->ranks[planned] > fetching->at) return LS_RESULT_HELD;
  /* Elsewhere than planned, or when nobody expected it any more. */
  fetching->ranks[planned] = 0;
  return LS_RESULT_AS_COMPUTED;
}

/* One that was cancelled lets its result go unasked. */
static bool is_at_worker(const struct ls_coordinator *c, size_t planned) {
  const struct ls_fetching *fetching = &c->fetching;
  if (fetching->sent[planned] == 0) return false;
  uint32_t chunk =
      ls_ledger_find(&c->ledger, fetching->slots[planned], fetching->sent[planned] - 1);
  return chunk != LS_INDEX_NONE && !c->ledger.chunks[chunk].is_cancelled;
}

/* Is the chunk at a worker that keeps its result? */
static bool is_out(const struct ls_coordinator *c, size_t planned) {
  return c->fetching.ranks[planned] != 0 && is_at_worker(c, planned);
}

static void ask_for(struct ls_coordinator *c, size_t planned) {
  struct ls_fetching *fetching = &c->fetching;
  ls_step_act(c, LS_ACTION_FETCH, fetching->slots[planned])->chunk = fetching->sent[planned] - 1;
  fetching->was_asked[planned] = true;
}

void ls_return_continue(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  bool may_go_out = !c->is_stopping && ls_ledger_waiting(&c->ledger) > 0;
  for (; fetching->at < c->plan.returns_count; fetching->at++) {
    size_t planned = c->plan.returns[fetching->at];
    if (fetching->sent[planned] == 0 && may_go_out) return;
    if (!is_out(c, planned)) continue;
    if (!fetching->was_asked[planned]) ask_for(c, planned);
    return;
  }
}

static void abandon(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  fetching->is_abandoned = true;
  for (; fetching->at < c->plan.returns_count; fetching->at++) {
    size_t planned = c->plan.returns[fetching->at];
    if (is_out(c, planned) && !fetching->was_asked[planned]) ask_for(c, planned);
  }
}

void ls_return_on_vacated(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  uint64_t settled = c->ledger.done + c->ledger.failed + c->ledger.given_up;
  if (!ls_return_is_ordered(c)) return;
  fetching->vain = settled == fetching->settled ? fetching->vain + 1 : 1;
  fetching->settled = settled;
  if (fetching->vain > c->config.workers) abandon(c);
}

void ls_return_repeat(struct ls_coordinator *c, uint32_t slot) {
  const struct ls_fetching *fetching = &c->fetching;
  if (fetching->sent == NULL) return;
  for (size_t planned = 0; planned < fetching->cursor.at; planned++) {
    bool was_asked = fetching->was_asked[planned] && fetching->slots[planned] == slot;
    if (was_asked && is_at_worker(c, planned)) ask_for(c, planned);
  }
}

/* The place in the plan of a chunk whose result is held and not asked for; SIZE_MAX: it is not.
 * The numbers of the chunks grow along the plan. */
static size_t find_held(const struct ls_coordinator *c, const struct ls_chunk *chunk) {
  const struct ls_fetching *fetching = &c->fetching;
  size_t low = ls_plan_returns_from(&c->plan), high = fetching->cursor.at, end = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (fetching->sent[middle] < chunk->id + 1)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_held =
      low < end && fetching->sent[low] == chunk->id + 1 && fetching->ranks[low] > fetching->at;
  return is_held ? low : SIZE_MAX;
}

/* All that is at the slot is held: the oldest is asked for, out of its order; false: more will end
 * by itself, or nothing is there. */
static bool fetch_oldest(struct ls_coordinator *c, uint32_t slot) {
  uint32_t first = c->ledger.slots[slot].first;
  for (uint32_t i = first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next)
    if (find_held(c, &c->ledger.chunks[i]) == SIZE_MAX) return false;
  if (first == LS_INDEX_NONE) return false;
  size_t oldest = find_held(c, &c->ledger.chunks[first]);
  ask_for(c, oldest);
  c->fetching.ranks[oldest] = 0;
  return true;
}

static bool lacks_only_room(const struct ls_coordinator *c, uint32_t slot) {
  return ls_chunking_room(&c->view, slot) == 0 && ls_chunking_lasting(&c->view, slot) > 0;
}

void ls_return_make_room(struct ls_coordinator *c) {
  const struct ls_fetching *fetching = &c->fetching;
  if (c->plan.returns_count == 0) return;
  ls_return_continue(c);
  if (fetching->at == c->plan.returns_count) return;
  if (fetching->sent[c->plan.returns[fetching->at]] != 0) return;
  /* Whoever is to have the chunk, or may have it in place of one that is lost. */
  struct ls_plan_cursor rest = fetching->cursor;
  const struct ls_plan_chunk *next = ls_plan_next(&rest);
  assert(next != NULL); /* the awaited one is among the rest */
  bool is_there = c->roster.is_present[next->worker];
  if (!is_there && c->roster.is_counted[next->worker]) return; /* it waits for the worker */
  uint64_t waiting = ls_ledger_waiting(&c->ledger), units = (uint64_t)next->units;
  bool is_apt = is_there &&
                ls_chunking_lasting(&c->view, next->worker) >= (units < waiting ? units : waiting);
  for (uint32_t i = 0; i < c->rooms.slots; i++) {
    bool may_have = is_apt ? i == next->worker : lacks_only_room(c, i);
    if (c->roster.is_present[i] && may_have && fetch_oldest(c, i)) return;
  }
}
