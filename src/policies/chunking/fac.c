/* fac.c: Factoring (FAC), with known mean and deviation.
 *
 * Reference:  hummel1992; the formula agrees with the public codes LB4OMP and DLS4LB.
 * Assumes:    equal workers; independent units of known mean and deviation.
 * Answers:    ceil(R/(x p)) for p consecutive requests of any workers, with b = p sigma/(2 mu
 *             sqrt(R)) and x = 1 + b^2 + b sqrt(b^2 + 2) for the first batch, 2 + b^2 +
 *             b sqrt(b^2 + 4) for the later ones.  When mean or deviation is unknown, fac2.
 * Cost:       O(1) per request.
 * Symbols:    R -> units_unassigned, p -> slots, mu -> mean_seconds,
 *             sigma -> deviation_seconds; b and x keep their names.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch.h"
#include "policies/chunking/facts.h"

struct fac_state {
  double mean_seconds, deviation_seconds;
  bool is_informed; /* both are known */
  bool is_begun;    /* the first batch was opened */
  struct ls_batch batch;
};

static enum ls_status init_facts(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                 void **memory, struct ls_error *err) {
  enum ls_status status = ls_facts_check(setup, "fac", err);
  if (status != LS_OK) return status;
  struct fac_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->mean_seconds = setup->mean_seconds;
  state->deviation_seconds = setup->deviation_seconds;
  state->is_informed = ls_facts_are_known(setup);
  *memory = state;
  return LS_OK;
}

static uint64_t size_chunk(const struct fac_state *state, const struct ls_chunking_view *view) {
  double rest = (double)view->units_unassigned, p = (double)view->slots;
  if (!state->is_informed) return ls_batch_halve(view->units_unassigned, view->slots);
  double b = p * state->deviation_seconds / (2 * state->mean_seconds * sqrt(rest));
  double x = state->is_begun ? 2 + b * b + b * sqrt(b * b + 4) : 1 + b * b + b * sqrt(b * b + 2);
  return ls_units_ceil(rest / (x * p));
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct fac_state *state = memory;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) {
    ls_batch_open(&state->batch, size_chunk(state, view), view->slots);
    state->is_begun = true;
  }
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_fac = {
    .name = "fac",
    .summary = "factoring: batches of p equal chunks, sized by the units' mean and deviation",
    .reference = "Hummel, Schonberg, Flynn 1992",
    .facts = LS_CHUNKING_MEAN | LS_CHUNKING_DEVIATION,
    .init = init_facts,
    .next_units = give_chunk,
};
