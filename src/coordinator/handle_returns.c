/* handle_returns.c: results in a planned order.
 *
 * A worker holds the result of a chunk that stands in the plan's order until it is fetched.  Only
 * one is asked for at a time: the next in order, as soon as its chunk is out and the one before it
 * has come.  The worker answers when it has computed it.  What a loss took is not waited for: its
 * units go out again in chunks that nobody planned, whose results come as they end.
 */
#include <stdlib.h>
#include <string.h>

#include "coordinator/coordinator_private.h"

/* In ls_fetching.sent: the chunk was not handed out as planned. */
static const uint64_t VOID = UINT64_MAX;

enum ls_status ls_return_open(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  fetching->at = fetching->pushed = 0;
  fetching->is_fetching = false;
  if (fetching->sent != NULL)
    memset(fetching->sent, 0, c->plan.chunks_count * sizeof *fetching->sent);
  return LS_OK;
}

static bool is_in_order(const struct ls_coordinator *c, size_t planned) {
  for (size_t i = c->fetching.at; i < c->plan.returns_count; i++)
    if (c->plan.returns[i] == planned) return true;
  return false;
}

enum ls_result_way ls_return_on_push(struct ls_coordinator *c, const struct ls_chunk *chunk,
                                     uint64_t units) {
  struct ls_fetching *fetching = &c->fetching;
  if (!c->plan.has_returns || fetching->pushed == c->plan.chunks_count)
    return LS_RESULT_AS_COMPUTED;
  size_t planned = fetching->pushed++;
  const struct ls_plan_chunk *as_planned = &c->plan.chunks[planned];
  bool is_planned = as_planned->worker == chunk->slot && (uint64_t)as_planned->units == units;
  if (fetching->sent != NULL) {
    fetching->sent[planned] = is_planned ? chunk->id + 1 : VOID;
    fetching->slots[planned] = chunk->slot;
  }
  if (!is_planned) return LS_RESULT_AS_COMPUTED;
  return is_in_order(c, planned) ? LS_RESULT_HELD : LS_RESULT_WEIGHTLESS;
}

void ls_return_continue(struct ls_coordinator *c) {
  struct ls_fetching *fetching = &c->fetching;
  for (; fetching->at < c->plan.returns_count; fetching->at++) {
    size_t planned = c->plan.returns[fetching->at];
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
