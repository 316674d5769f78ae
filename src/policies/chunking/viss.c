/* viss.c: Variable Increase Self-Scheduling (VISS).
 *
 * Reference:  philip1997, as the public code LB4OMP has it.
 * Assumes:    workers that start at different times; units that take longer at first than later.
 * Answers:    batches of p equal chunks: floor(f (2 - 2^-j)) in batch j = 0, 1, ..., f = N/(x p):
 *             the increase halves from batch to batch.
 * Cost:       O(1) per request.
 * Symbols:    N -> units, p -> slots, x -> divisor, j -> opened.
 */
#include <math.h>

#include "policies/chunking.h"
#include "policies/chunking/batch.h"

static const struct ls_parameter viss_parameters[] = {
    {"divisor", "the first chunk is N over this many times p (x)", LS_PARAMETER_REAL, 4, 1, 1e9,
     NULL},
    {0}};

struct viss_state {
  double divisor;
  int opened; /* batches so far */
  struct ls_batch batch;
};

static enum ls_status init_stages(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct viss_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->divisor = ls_arguments_get(&setup->arguments, viss_parameters, "divisor");
  *memory = state;
  return LS_OK;
}

/* From then on nothing is added any more. */
enum { INCREASES_MAX = 64 };

static void open_batch(struct viss_state *state, const struct ls_chunking_view *view) {
  double first = (double)view->units / (state->divisor * (double)view->slots);
  ls_batch_open(&state->batch, ls_units_floor(first * (2 - ldexp(1, -state->opened))), view->slots);
  if (state->opened < INCREASES_MAX) state->opened++;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct viss_state *state = memory;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) open_batch(state, view);
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_viss = {
    .name = "viss",
    .summary = "variable increase self-scheduling: batches of p equal chunks whose growth halves",
    .reference = "Philip, Das 1997",
    .parameters = viss_parameters,
    .init = init_stages,
    .next_units = give_chunk,
};
