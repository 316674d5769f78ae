/* tap.c: Tapering (TAP).
 *
 * Reference:  lucco1992; the formula agrees with the public code LB4OMP.
 * Assumes:    equal workers; independent units of known mean and deviation.
 * Answers:    ceil(t + v^2/2 - v sqrt(2 t + v^2/4)) with t = R/p and v = alpha sigma/mu, at least
 *             1: as much as leaves, with a probability that alpha says, work for the others until
 *             it is done.  When mean or deviation is unknown, fac2.
 * Cost:       O(1) per request.
 * Symbols:    R -> units_unassigned, p -> slots, mu -> mean_seconds, sigma -> deviation_seconds;
 *             t and v keep their names.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch.h"
#include "policies/chunking/facts.h"

/* The public codes take 1.3. */
static const struct ls_parameter tap_parameters[] = {
    {"alpha", "deviations that a chunk is kept smaller by", LS_PARAMETER_REAL, 1.3, 0, 1e6, NULL},
    {0}};

struct tap_state {
  double v;
  bool is_informed;      /* mean and deviation are known */
  struct ls_batch batch; /* where they are not */
};

static enum ls_status init_facts(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                 void **memory, struct ls_error *err) {
  enum ls_status status = ls_facts_check(setup, "tap", err);
  if (status != LS_OK) return status;
  struct tap_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  double alpha = ls_arguments_get(&setup->arguments, tap_parameters, "alpha");
  state->v = alpha * setup->deviation_seconds / setup->mean_seconds;
  state->is_informed = ls_facts_are_known(setup);
  *memory = state;
  return LS_OK;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct tap_state *state = memory;
  (void)worker;
  double t = (double)view->units_unassigned / (double)view->slots, v = state->v;
  if (state->is_informed)
    return ls_units_max(ls_units_ceil(t + v * v / 2 - v * sqrt(2 * t + v * v / 4)), 1);
  if (ls_batch_is_used_up(&state->batch))
    ls_batch_open(&state->batch, ls_batch_halve(view->units_unassigned, view->slots), view->slots);
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_tap = {
    .name = "tap",
    .summary = "tapering: a p-th of what is left, less what the spread of the units asks for",
    .reference = "Lucco 1992",
    .parameters = tap_parameters,
    .facts = LS_CHUNKING_MEAN | LS_CHUNKING_DEVIATION,
    .init = init_facts,
    .next_units = give_chunk,
};
