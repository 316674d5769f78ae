/* wf.c: Weighted Factoring as Rosenvinge's thesis has it (WF).
 *
 * Reference:  hummel1996 for the idea; rosenvinge2004, figure 3.2, for the rounds.
 * Assumes:    known seconds per task of each worker; the weights are their inverses, all equal when
 *             nobody tells them.
 * Answers:    rounds: a round hands out max(1, floor(R/2)) units by weight, whole by largest
 *             remainder.  Each worker takes its batch when it asks; who asks again, or has none,
 *             opens the next round; what nobody fetched is in the pool.  A fresh batch of 0 is 1
 *             unit.  The rounding `printed` reproduces the thesis' row (wf.h).
 * Cost:       O(p log p) per round, O(1) for a request within one.
 * Symbols:    R -> units_unassigned, q -> quota, w_i -> weights[i], p -> members.places.
 */
#include "policies/chunking/wf.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

static const char *const roundings[] = {"largest-remainder", "printed", NULL};

static const struct ls_parameter wf_parameters[] = {
    {"rounding", "largest-remainder, or printed: as in the thesis' figure 3.2", LS_PARAMETER_CHOICE,
     LS_WF_LARGEST_REMAINDER, 0, 1, roundings},
    {0}};

/* What lies behind the struct, workers_max entries each. */
struct wf_arrays {
  double *weights; /* as given; equal: 1 */
  double *present; /* the same, 0 for who is lost or not yet a member */
  uint64_t *batches;
  struct ls_load_candidate *scratch;
  bool *is_member;
};

struct wf_state {
  size_t workers_max;
  enum ls_wf_rounding rounding;
  struct ls_members members;
  struct wf_arrays arrays;
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  size_t worker_bytes =
      2 * sizeof(double) + sizeof(uint64_t) + sizeof(struct ls_load_candidate) + sizeof(bool);
  return sizeof(struct wf_state) + setup->workers_max * worker_bytes;
}

static enum ls_status init_rounds(void *memory, const struct ls_chunking_setup *setup,
                                  struct ls_error *err) {
  struct wf_state *state = memory;
  struct wf_arrays *arrays = &state->arrays;
  size_t count = setup->workers_max;
  enum ls_status status = ls_members_check_weights(setup, err);
  if (status != LS_OK) return status;
  state->workers_max = count;
  state->rounding = ls_arguments_get(&setup->arguments, wf_parameters, "rounding") >= LS_WF_PRINTED
                        ? LS_WF_PRINTED
                        : LS_WF_LARGEST_REMAINDER;
  arrays->weights = (double *)(state + 1);
  arrays->present = arrays->weights + count;
  arrays->batches = (uint64_t *)(arrays->present + count);
  arrays->scratch = (struct ls_load_candidate *)(arrays->batches + count);
  arrays->is_member = (bool *)(arrays->scratch + count);
  ls_members_init(&state->members, arrays->is_member, setup);
  for (size_t i = 0; i < count; i++) {
    arrays->weights[i] = setup->weights != NULL ? setup->weights[i] : 1;
    arrays->present[i] = arrays->is_member[i] ? arrays->weights[i] : 0;
  }
  return LS_OK;
}

static int compare_weights(const void *left, const void *right) {
  const struct ls_load_candidate *a = left, *b = right;
  if (a->share > b->share) return -1;
  if (a->share < b->share) return 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static void round_as_printed(const struct ls_wf_workers *workers, uint64_t units_unassigned,
                             struct ls_load_candidate *fastest, uint64_t *batches) {
  uint64_t quota = ls_divide_up(units_unassigned, 2), rest = quota;
  double sum = 0;
  size_t used = 0;
  for (size_t i = 0; i < workers->count; i++) {
    batches[i] = 0;
    if (!(workers->weights[i] > 0)) continue;
    sum += workers->weights[i];
    fastest[used++] = (struct ls_load_candidate){.share = workers->weights[i], .index = i};
  }
  qsort(fastest, used, sizeof *fastest, compare_weights);
  assert(used > 0);
  for (size_t i = 0; rest > 0; i = (i + 1) % used) {
    double weight = floor(fastest[i].share / sum * 1000 + 0.5) / 1000;
    uint64_t units = ls_units_max(ls_units_nearest((double)quota * weight), 1);
    units = ls_units_min(units, rest);
    batches[fastest[i].index] += units;
    rest -= units;
  }
}

void ls_wf_round(const struct ls_wf_workers *workers, uint64_t units_unassigned,
                 struct ls_load_candidate *scratch, uint64_t *batches) {
  assert(units_unassigned >= 1);
  if (workers->rounding == LS_WF_PRINTED) {
    round_as_printed(workers, units_unassigned, scratch, batches);
    return;
  }
  uint64_t quota = ls_units_max(units_unassigned / 2, 1);
  ls_load_round_within(workers->weights, workers->count, quota, scratch, batches);
}

static bool is_anybody_weighed(const struct wf_state *state) {
  for (size_t i = 0; i < state->workers_max; i++) {
    if (state->arrays.present[i] > 0) return true;
  }
  return false;
}

static uint64_t give_batch(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct wf_state *state = memory;
  struct wf_arrays *arrays = &state->arrays;
  /* When nobody left has a weight, nobody gets a batch: single units, who asks is alive. */
  if (arrays->batches[worker] == 0 && is_anybody_weighed(state)) {
    struct ls_wf_workers workers = {arrays->present, state->workers_max, state->rounding};
    ls_wf_round(&workers, view->units_unassigned, arrays->scratch, arrays->batches);
  }
  uint64_t units = arrays->batches[worker];
  arrays->batches[worker] = 0;
  return ls_units_max(units, 1);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct wf_state *state = memory;
  struct wf_arrays *arrays = &state->arrays;
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, arrays->is_member, worker, change);
  arrays->batches[worker] = 0;
  arrays->present[worker] = arrays->is_member[worker] ? arrays->weights[worker] : 0;
}

const struct ls_chunking ls_chunking_wf = {
    .name = "wf",
    .summary = "weighted factoring in rounds: half the rest, by the inverse seconds per task",
    .reference = "Hummel and others 1996; Rosenvinge 2004",
    .parameters = wf_parameters,
    .facts = LS_CHUNKING_WEIGHTS,
    .state_bytes = state_bytes,
    .init = init_rounds,
    .next_units = give_batch,
    .on_worker = on_worker,
};
