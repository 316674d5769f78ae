/* sc.c: Static Chunking.
 *
 * Reference:  kruskal1985; weights, losses and joining are Loadstar's own.
 * Assumes:    weights proportional to the speeds; all equal when there are none.
 * Answers:    a worker's share once, then 0.  The share of a worker of the platform is kept for it,
 *             also while it has not joined yet.  What came back after a loss, and whatever was kept
 *             for the lost one, is `back`; who has taken its share gets ceil(back / alive) of it.
 * Cost:       O(p log p) at the start, O(1) per request.
 * Symbols:    N -> units, p -> workers, w_i -> weights[i], R -> units_unassigned.
 */
#include <assert.h>

#include "model/load.h"
#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

struct sc_state {
  uint64_t units_kept; /* sum of shares */
  uint64_t shares[];   /* workers_max entries: what is kept for a worker */
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct sc_state) + setup->workers_max * sizeof(uint64_t);
}

static enum ls_status init_shares(void *memory, const struct ls_chunking_setup *setup,
                                  struct ls_error *err) {
  struct sc_state *state = memory;
  size_t workers = setup->workers;
  enum ls_status status = ls_members_check_weights(setup, err);
  if (status != LS_OK) return status;
  assert(workers >= 1 && workers <= setup->workers_max);
  if (setup->weights != NULL) {
    status = ls_load_round(setup->weights, workers, setup->units, state->shares, err);
    if (status != LS_OK) return status;
  } else {
    for (size_t i = 0; i < workers; i++) {
      state->shares[i] = setup->units / workers + (i < setup->units % workers);
    }
  }
  state->units_kept = setup->units;
  return LS_OK;
}

static uint64_t give_share(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct sc_state *state = memory;
  uint64_t share = state->shares[worker];
  if (share > 0) {
    state->shares[worker] = 0;
    state->units_kept -= share;
    return share;
  }
  /* Should fewer units wait than are kept, nothing is free (and nothing may wrap around). */
  if (view->units_unassigned <= state->units_kept) return 0;
  uint64_t back = view->units_unassigned - state->units_kept;
  return ls_divide_up(back, ls_units_max(view->workers_present, 1));
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct sc_state *state = memory;
  (void)view;
  (void)units_back;
  if (change != LS_CHUNKING_LOST) return;
  state->units_kept -= state->shares[worker];
  state->shares[worker] = 0;
}

const struct ls_chunking ls_chunking_sc = {
    .name = "sc",
    .summary = "static chunking: each worker gets its whole share, by weight, at once",
    .reference = "Kruskal, Weiss 1985",
    .facts = LS_CHUNKING_WEIGHTS,
    .state_bytes = state_bytes,
    .init = init_shares,
    .next_units = give_share,
    .on_worker = on_worker,
};
