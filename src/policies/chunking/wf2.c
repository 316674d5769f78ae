/* wf2.c: Weighted Factoring with a factor of two (WF2).
 *
 * Reference:  hummel1996.
 * Assumes:    weights proportional to the speeds; all equal when there are none (it is fac2 then).
 * Answers:    ceil(w_i R/(2p)), one ceil at the end, at least 1, with R at the opening of the
 *             batch, for p consecutive requests of any workers.  The weights are scaled to sum p.
 * Cost:       O(1) per request, O(p) per batch.
 * Symbols:    R -> batch_units, p -> batch_workers, w_i -> weights[i] / weight_mean.
 */
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

struct wf2_state {
  double weight_mean;   /* what scales the weights to sum p */
  bool is_equal;        /* all weigh the same: exactly fac2, without a rounding error, */
  double weight;        /* as long as it is this */
  uint64_t batch_units; /* R at the opening of the batch */
  size_t batch_workers; /* p at the opening of the batch */
  size_t requests_left; /* of the open batch */
};

static enum ls_status init_weights(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                   void **memory, struct ls_error *err) {
  enum ls_status status = ls_chunking_check_weights(setup, err);
  if (status != LS_OK) return status;
  *memory = ls_arena_take(arena, sizeof(struct wf2_state));
  return *memory != NULL ? LS_OK : ls_chunking_no_memory(err);
}

static void open_batch(struct wf2_state *state, const struct ls_chunking_view *view) {
  struct ls_sum sum = {0};
  double least = view->weights[0], largest = view->weights[0];
  for (size_t i = 0; i < view->slots; i++) {
    ls_sum_add(&sum, view->weights[i]);
    least = fmin(least, view->weights[i]);
    largest = fmax(largest, view->weights[i]);
  }
  state->is_equal = !(least < largest);
  state->weight = least;
  state->weight_mean = ls_sum_value(&sum) / (double)view->slots;
  state->batch_units = view->units_unassigned;
  state->batch_workers = state->requests_left = view->slots;
}

static uint64_t give_weighted(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct wf2_state *state = memory;
  if (state->requests_left == 0) open_batch(state, view);
  state->requests_left--;
  uint64_t shares = 2 * (uint64_t)state->batch_workers;
  double own = view->weights[worker], weight = own / state->weight_mean;
  bool is_equal = state->is_equal && !(own < state->weight || own > state->weight);
  if (is_equal) return ls_units_max(ls_divide_up(state->batch_units, shares), 1);
  return ls_units_max(ls_units_ceil(weight * (double)state->batch_units / (double)shares), 1);
}

const struct ls_chunking ls_chunking_wf2 = {
    .name = "wf2",
    .summary = "weighted factoring by two: as fac2, each chunk scaled by its worker's weight",
    .reference = "Hummel, Schmidt, Uma, Wein 1996",
    .facts = LS_CHUNKING_WEIGHTS,
    .init = init_weights,
    .next_units = give_weighted,
};
