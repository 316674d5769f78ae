/* handle_returns.c: results in a planned order.
 *
 * A worker holds the result of a chunk that stands in the plan's order until it is fetched.  Only
 * one is asked for at a time: the next in order, as soon as its chunk is out and the one before it
 * has come.  The worker answers when it has computed it.  What a loss took is not waited for: its
 * units go out again in chunks that nobody planned, whose results come as they end.  Nor is a chunk
 * that does not go out any more: behind a stop, or in a resumed run, which has fewer units than the
 * plan.
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

/* Is the chunk at a worker that keeps its result?  One that was cancelled lets it go unasked. */
static bool is_out(const struct ls_coordinator *c, size_t planned) {
  uint64_t sent = c->fetching.sent[planned];
  if (sent == 0 || sent == VOID) return false;
  uint32_t chunk = ls_ledger_find(&c->ledger, c->fetching.slots[planned], sent - 1);
  return chunk != LS_INDEX_NONE && !c->ledger.chunks[chunk].is_cancelled;
}

void ls_return_continue(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  bool may_go_out = !c->is_stopping && c->ledger.waiting.units > 0;
  for (; fetching->at < fetching->count; fetching->at++) {
    size_t planned = fetching->order[fetching->at];
    if (fetching->sent[planned] == 0 && may_go_out) return;
    if (!is_out(c, planned)) {
      fetching->is_fetching = false;
      continue;
    }
    if (fetching->is_fetching) return;
    ls_step_act(c, LS_ACTION_FETCH, fetching->slots[planned])->chunk = fetching->sent[planned] - 1;
    fetching->is_fetching = true;
    return;
  }
}
