/* wf.c: Weighted Factoring as Rosenvinge's thesis has it (WF).
 *
 * Reference:  hummel1996 for the idea; rosenvinge2004, figure 3.2, for the rounds.
 * Assumes:    known seconds per task of each worker; the weights are their inverses, all equal when
 *             they are not told.
 * Answers:    rounds: a round hands out max(1, floor(R/2)) units by weight, whole by largest
 *             remainder.  Each worker takes its batch when it asks.  A worker that asks again, or
 *             has none, opens the next round; units that were not fetched wait for all again.  A
 *             fresh batch of 0 is 1 unit.  The rounding `printed` reproduces the thesis' row
 *             (wf.h).
 * Cost:       O(p log p) per round, O(1) for a request within one.
 * Symbols:    R -> units_unassigned, q -> quota, w_i -> weights[i].
 */
#include "policies/chunking/wf.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

static const char *const roundings[] = {"largest-remainder", "printed", NULL};

static const struct ls_parameter wf_parameters[] = {
    {"rounding", "largest-remainder, or printed: as in the thesis' figure 3.2", LS_PARAMETER_CHOICE,
     LS_WF_LARGEST_REMAINDER, 0, 1, roundings},
    {0}};

struct wf_state {
  struct ls_arena *arena;
  enum ls_wf_rounding rounding;
  /* By slot: */
  double *weights; /* at the opening of a round; 0 for the lost */
  uint64_t *batches;
  struct ls_load_candidate *scratch;
};

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct wf_state *state = memory;
  double *weights = ls_arena_array(state->arena, state->weights, slots, sizeof *weights);
  if (weights != NULL) state->weights = weights;
  uint64_t *batches = ls_arena_array(state->arena, state->batches, slots, sizeof *batches);
  if (batches != NULL) state->batches = batches;
  struct ls_load_candidate *scratch =
      ls_arena_array(state->arena, state->scratch, slots, sizeof *scratch);
  if (scratch != NULL) state->scratch = scratch;
  bool has_room = weights != NULL && batches != NULL && scratch != NULL;
  return has_room ? LS_OK : ls_chunking_no_memory(err);
}

static enum ls_status init_rounds(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  enum ls_status status = ls_chunking_check_weights(setup, err);
  if (status != LS_OK) return status;
  struct wf_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  state->rounding = ls_arguments_get(&setup->arguments, wf_parameters, "rounding") >= LS_WF_PRINTED
                        ? LS_WF_PRINTED
                        : LS_WF_LARGEST_REMAINDER;
  *memory = state;
  return make_room(state, setup->slots, err);
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

/* When no worker left has a weight, none gets a batch: single units, since a worker that asks is
 * alive. */
static void open_round(struct wf_state *state, const struct ls_chunking_view *view) {
  bool is_anybody_weighed = false;
  for (size_t i = 0; i < view->slots; i++) {
    state->weights[i] = view->is_counted[i] ? view->weights[i] : 0;
    if (state->weights[i] > 0) is_anybody_weighed = true;
  }
  if (!is_anybody_weighed) return;
  struct ls_wf_workers workers = {state->weights, view->slots, state->rounding};
  ls_wf_round(&workers, view->units_unassigned, state->scratch, state->batches);
}

static uint64_t give_batch(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct wf_state *state = memory;
  if (state->batches[worker] == 0) open_round(state, view);
  uint64_t units = ls_units_min(state->batches[worker], ls_chunking_room(view, worker));
  state->batches[worker] -= units;
  return ls_units_max(units, 1);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct wf_state *state = memory;
  (void)view;
  (void)change;
  (void)units_back;
  state->batches[worker] = 0;
}

const struct ls_chunking ls_chunking_wf = {
    .name = "wf",
    .summary = "weighted factoring in rounds: half the rest, by the inverse seconds per task",
    .reference = "Hummel and others 1996; Rosenvinge 2004",
    .parameters = wf_parameters,
    .facts = LS_CHUNKING_WEIGHTS,
    .init = init_rounds,
    .resize = make_room,
    .next_units = give_batch,
    .on_worker = on_worker,
};
