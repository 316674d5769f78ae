/* sc.c: Static Chunking.
 *
 * Reference:  kruskal1985; weights, losses and joining are Loadstar's own.
 * Assumes:    weights proportional to the speeds; all equal when there are none.
 * Answers:    a worker's share once, then 0; where its room is smaller, so much of the share each
 *             time that it asks.  The share of a worker of the platform is kept for it, also while
 *             it has not joined yet.  The units that came back after a loss, and those reserved for
 *             the lost one, are `back`; a worker that has taken its share gets ceil(back / alive)
 *             of them.
 * Cost:       O(p log p) at the start, O(1) per request.
 * Symbols:    N -> units, p -> slots, w_i -> weights[i], R -> units_unassigned.
 */
#include "model/load.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding_private.h"

struct sc_state {
  struct ls_arena *arena;
  uint64_t units_kept; /* sum of shares */
  uint64_t *shares;    /* units reserved for the worker of a slot */
};

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct sc_state *state = memory;
  uint64_t *shares = ls_arena_array(state->arena, state->shares, slots, sizeof *shares);
  if (shares == NULL) return ls_chunking_no_memory(err);
  state->shares = shares;
  return LS_OK;
}

static enum ls_status init_shares(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  size_t workers = setup->slots;
  enum ls_status status = ls_chunking_check_weights(setup, err);
  if (status != LS_OK) return status;
  struct sc_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  status = make_room(state, workers, err);
  if (status != LS_OK) return status;
  if (setup->weights != NULL) {
    status = ls_load_round(setup->weights, workers, setup->units, state->shares, err);
    if (status != LS_OK) return status;
  } else {
    for (size_t i = 0; i < workers; i++) {
      state->shares[i] = setup->units / workers + (i < setup->units % workers);
    }
  }
  state->units_kept = setup->units;
  *memory = state;
  return LS_OK;
}

static uint64_t give_share(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct sc_state *state = memory;
  uint64_t share = ls_units_min(state->shares[worker], ls_chunking_room(view, worker));
  if (share > 0) {
    state->shares[worker] -= share;
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
    .init = init_shares,
    .resize = make_room,
    .next_units = give_share,
    .on_worker = on_worker,
};
