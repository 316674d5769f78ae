/* handle_returns.c: results in a planned order.
 *
 * A worker holds the result of a chunk that stands in the plan's order until it is fetched.  Only
 * one is asked for at a time: the next in order, as soon as its chunk is out and the one before it
 * has come.  The worker answers when it has computed it.  What a loss took is not waited for: its
 * units go out again in chunks that nobody planned, whose results come as they end.
 *
 * Held results take room, since nobody says that their units have ended.  So a worker may have no
 * room for a chunk whose result is to come first: a held one is then asked for before its turn.
 */
#include <stdlib.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

/* In ls_fetching.sent: the chunk was not handed out as planned. */
static const uint64_t VOID = UINT64_MAX;

enum ls_status ls_return_open(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  if (fetching->count == 0) return LS_OK;
  fetching->at = fetching->pushed = 0;
  fetching->is_fetching = false;
  memset(fetching->sent, 0, fetching->planned * sizeof *fetching->sent);
  return LS_OK;
}

static bool is_in_order(const struct ls_fetching *fetching, size_t planned) {
  for (size_t i = fetching->at; i < fetching->count; i++)
    if (fetching->order[i] == planned) return true;
  return false;
}

bool ls_return_on_push(struct ls_coordinator *c, const struct ls_chunk *chunk, uint64_t units) {
  struct ls_fetching *fetching = &c->fetching;
  if (fetching->count == 0 || fetching->pushed == fetching->planned) return false;
  size_t planned = fetching->pushed++;
  const struct ls_planned_chunk *as_planned = &c->config.plan[planned];
  bool is_planned = as_planned->worker == chunk->slot && as_planned->units == units;
  fetching->sent[planned] = is_planned ? chunk->id + 1 : VOID;
  fetching->slots[planned] = chunk->slot;
  return is_planned && is_in_order(fetching, planned);
}

/* The place in the plan of a chunk whose result is held; the number of planned chunks: it is not.
 */
static size_t find_planned(const struct ls_fetching *fetching, const struct ls_chunk *chunk) {
  for (size_t i = fetching->at; i < fetching->count; i++) {
    size_t planned = fetching->order[i];
    if (fetching->sent[planned] == chunk->id + 1 && fetching->slots[planned] == chunk->slot)
      return planned;
  }
  return fetching->planned;
}

/* All that is at the slot is held: the oldest is asked for, out of its order; false: more will end
 * by itself, or nothing is there. */
static bool fetch_oldest(struct ls_coordinator *c, uint32_t slot) {
  struct ls_fetching *fetching = &c->fetching;
  uint32_t first = c->ledger.slots[slot].first;
  for (uint32_t i = first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next)
    if (find_planned(fetching, &c->ledger.chunks[i]) == fetching->planned) return false;
  if (first == LS_INDEX_NONE) return false;
  const struct ls_chunk *oldest = &c->ledger.chunks[first];
  ls_step_act(c, LS_ACTION_FETCH, slot)->chunk = oldest->id;
  fetching->sent[find_planned(fetching, oldest)] = VOID;
  return true;
}

void ls_return_continue(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  for (; fetching->at < fetching->count; fetching->at++) {
    size_t planned = fetching->order[fetching->at];
    uint64_t sent = fetching->sent[planned];
    if (sent == 0) return; /* not yet handed out */
    bool is_out = sent != VOID &&
                  ls_ledger_find(&c->ledger, fetching->slots[planned], sent - 1) != LS_INDEX_NONE;
    if (is_out && fetching->is_fetching) return;
    if (is_out) {
      ls_step_act(c, LS_ACTION_FETCH, fetching->slots[planned])->chunk = sent - 1;
      fetching->is_fetching = true;
      return;
    }
    fetching->is_fetching = false;
  }
}

void ls_return_make_room(struct ls_coordinator *c) {
  const struct ls_fetching *fetching = &c->fetching;
  ls_return_continue(c);
  if (fetching->at == fetching->count || fetching->sent[fetching->order[fetching->at]] != 0) return;
  /* Whoever is to have the chunk, or may have it in place of one that is lost. */
  bool is_planned = fetching->pushed < fetching->planned;
  uint32_t target = is_planned ? c->config.plan[fetching->pushed].worker : 0;
  bool is_there = is_planned && c->roster.is_present[target];
  if (is_planned && !is_there && c->roster.is_counted[target]) return; /* it waits for the worker */
  for (uint32_t i = 0; i < c->rooms.slots; i++)
    if (c->roster.is_present[i] && (!is_there || i == target) && fetch_oldest(c, i)) return;
}
