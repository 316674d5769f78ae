/* sc.c: Static Chunking.
 *
 * Reference:  kruskal1985; weights, losses and joining are Loadstar's own.
 * Assumes:    weights proportional to the speeds; all equal when there are none.
 * Answers:    a worker's share once, then 0; where its room is smaller, so much of the share each
 *             time that it asks.  The share of a worker of the platform is kept for it, also while
 *             it has not joined yet, and what nobody has begun to take is shared anew where weights
 *             become known.  The units that came back after a loss, and those reserved for
 *             the lost one, are `back`; a worker that has taken its share gets ceil(back / alive)
 *             of them.
 * Cost:       O(p log p) at the start and for new weights, else O(p) per request.
 * Symbols:    N -> units, p -> slots, w_i -> weights[i], R -> units_unassigned.
 */
#include <stdbool.h>

#include "model/load.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

struct sc_state {
  struct ls_arena *arena;
  uint64_t units_kept; /* sum of shares */
  size_t slots;
  struct sc_slot {
    uint64_t share; /* units reserved for its worker */
    double weight;  /* by which they were */
    bool is_open;   /* nothing of them was taken, and the worker is not lost */
  } * workers;
  /* Room to share anew, by slot. */
  double *weights;
  uint64_t *units;
  struct ls_load_candidate *scratch;
};

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct sc_state *state = memory;
  struct ls_arena *arena = state->arena;
  struct sc_slot *workers = ls_arena_array(arena, state->workers, slots, sizeof *workers);
  if (workers != NULL) state->workers = workers;
  double *weights = ls_arena_array(arena, state->weights, slots, sizeof *weights);
  if (weights != NULL) state->weights = weights;
  uint64_t *units = ls_arena_array(arena, state->units, slots, sizeof *units);
  if (units != NULL) state->units = units;
  struct ls_load_candidate *scratch = ls_arena_array(arena, state->scratch, slots, sizeof *scratch);
  if (scratch != NULL) state->scratch = scratch;
  if (workers == NULL || weights == NULL || units == NULL || scratch == NULL)
    return ls_chunking_no_memory(err);
  state->slots = slots;
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
  if (status == LS_OK && setup->weights != NULL)
    status = ls_load_round(setup->weights, workers, setup->units, state->units, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < workers; i++) {
    uint64_t equal = setup->units / workers + (i < setup->units % workers);
    bool is_told = setup->weights != NULL;
    state->workers[i] = (struct sc_slot){.share = is_told ? state->units[i] : equal,
                                         .weight = is_told ? setup->weights[i] : 1,
                                         .is_open = true};
  }
  state->units_kept = setup->units;
  *memory = state;
  return LS_OK;
}

/* Do weights differ from those by which open shares were made? */
static bool has_news(const struct sc_state *state, const struct ls_chunking_view *view) {
  for (size_t i = 0; i < state->slots; i++) {
    const struct sc_slot *at = &state->workers[i];
    if (at->is_open && (view->weights[i] < at->weight || view->weights[i] > at->weight))
      return true;
  }
  return false;
}

/* All that open shares have is shared by the weights of now. */
static void share_anew(struct sc_state *state, const struct ls_chunking_view *view) {
  uint64_t total = 0;
  double sum = 0;
  for (size_t i = 0; i < state->slots; i++) {
    struct sc_slot *at = &state->workers[i];
    state->weights[i] = at->is_open ? view->weights[i] : 0;
    sum += state->weights[i];
    if (!at->is_open) continue;
    at->weight = view->weights[i];
    total += at->share;
  }
  if (!(sum > 0)) return;
  ls_load_round_within(state->weights, state->slots, total, state->scratch, state->units);
  for (size_t i = 0; i < state->slots; i++)
    if (state->workers[i].is_open) state->workers[i].share = state->units[i];
}

static uint64_t give_share(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct sc_state *state = memory;
  struct sc_slot *at = &state->workers[worker];
  if (has_news(state, view)) share_anew(state, view);
  uint64_t share = ls_units_min(at->share, ls_chunking_room(view, worker));
  if (share > 0) {
    at->share -= share;
    at->is_open = false;
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
  struct sc_slot *at = &state->workers[worker];
  (void)view;
  (void)units_back;
  if (change != LS_CHUNKING_LOST) return;
  state->units_kept -= at->share;
  at->share = 0;
  at->is_open = false;
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
