/* wf2.c: Weighted Factoring with a factor of two (WF2).
 *
 * Reference:  hummel1996.
 * Assumes:    weights proportional to the speeds; all equal when there are none (it is fac2 then).
 * Answers:    ceil(w_i R/(2p)), one ceil at the end, at least 1, with R at the opening of the
 * batch, for p consecutive requests, whoever asks.  The weights are scaled to sum p. Cost: O(1) per
 * request, O(p) when p grows. Symbols:    R -> batch_units, p -> members.places, w_i -> weights[i]
 * / weight_mean.
 */
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

struct wf2_state {
  const double *weights; /* borrowed, workers_max entries; NULL: all 1 */
  size_t workers_max;
  double weight_mean;   /* of the p members: what scales the weights to sum p */
  bool is_equal;        /* all members weigh the same: exactly fac2, without a rounding error */
  bool is_grown;        /* p has grown: scale anew at the next opening */
  uint64_t batch_units; /* R at the opening of the batch */
  size_t batch_workers; /* p at the opening of the batch */
  size_t requests_left; /* of the open batch */
  struct ls_members members;
  bool is_member[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct wf2_state) + setup->workers_max * sizeof(bool);
}

static void scale_weights(struct wf2_state *state) {
  struct ls_sum sum = {0};
  double least = -1, largest = -1;
  for (size_t i = 0; state->weights != NULL && i < state->workers_max; i++) {
    if (!state->is_member[i]) continue;
    double weight = state->weights[i];
    ls_sum_add(&sum, weight);
    if (least < 0 || weight < least) least = weight;
    if (weight > largest) largest = weight;
  }
  state->is_equal = !(least < largest);
  state->weight_mean = ls_sum_value(&sum) / (double)state->members.places;
}

static enum ls_status init_weights(void *memory, const struct ls_chunking_setup *setup,
                                   struct ls_error *err) {
  struct wf2_state *state = memory;
  enum ls_status status = ls_members_check_weights(setup, err);
  if (status != LS_OK) return status;
  state->weights = setup->weights;
  state->workers_max = setup->workers_max;
  ls_members_init(&state->members, state->is_member, setup);
  scale_weights(state);
  return LS_OK;
}

static void open_batch(struct wf2_state *state, uint64_t units_unassigned) {
  if (state->is_grown) scale_weights(state);
  state->is_grown = false;
  state->batch_units = units_unassigned;
  state->batch_workers = state->members.places;
  state->requests_left = state->batch_workers;
}

static uint64_t give_weighted(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct wf2_state *state = memory;
  if (state->requests_left == 0) open_batch(state, view->units_unassigned);
  state->requests_left--;
  uint64_t shares = 2 * (uint64_t)state->batch_workers;
  if (state->is_equal) return ls_units_max(ls_divide_up(state->batch_units, shares), 1);
  double weight = state->weights[worker] / state->weight_mean;
  return ls_units_max(ls_units_ceil(weight * (double)state->batch_units / (double)shares), 1);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct wf2_state *state = memory;
  (void)view;
  (void)units_back;
  if (ls_members_change(&state->members, state->is_member, worker, change)) {
    state->is_grown = true;
  }
}

const struct ls_chunking ls_chunking_wf2 = {
    .name = "wf2",
    .summary = "weighted factoring by two: as fac2, each chunk scaled by its worker's weight",
    .reference = "Hummel, Schmidt, Uma, Wein 1996",
    .facts = LS_CHUNKING_WEIGHTS,
    .state_bytes = state_bytes,
    .init = init_weights,
    .next_units = give_weighted,
    .on_worker = on_worker,
};
