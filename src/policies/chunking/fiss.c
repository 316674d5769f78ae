/* fiss.c: Fixed Increase Self-Scheduling (FISS).
 *
 * Reference:  philip1997, as the public code LB4OMP has it.
 * Assumes:    workers that start at different times; units that take longer at first than later.
 * Answers:    batches of p equal chunks, B of them: floor(N/((2 + B) p)) in the first, each larger
 *             than the one before by floor(2 N (1 - B/(2 + B))/(p B (B - 1))).  What the floors
 *             leave goes on in chunks of the last size.
 * Cost:       O(1) per request.
 * Symbols:    N -> units, p -> slots, B -> stages.
 */
#include "policies/chunking.h"
#include "policies/chunking/batch.h"

static const struct ls_parameter fiss_parameters[] = {
    {"stages", "batches, each larger than the one before (B)", LS_PARAMETER_WHOLE, 3, 2, 1e6, NULL},
    {0}};

struct fiss_state {
  uint64_t stages, opened; /* batches so far */
  struct ls_batch batch;
};

static enum ls_status init_stages(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct fiss_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->stages = ls_units_of(ls_arguments_get(&setup->arguments, fiss_parameters, "stages"));
  *memory = state;
  return LS_OK;
}

static void open_batch(struct fiss_state *state, const struct ls_chunking_view *view) {
  double n = (double)view->units, p = (double)view->slots, stages = (double)state->stages;
  uint64_t first = ls_units_floor(n / ((2 + stages) * p));
  /* 1 - B/(2 + B) is 2/(2 + B). */
  uint64_t more = ls_units_floor(4 * n / ((2 + stages) * p * stages * (stages - 1)));
  uint64_t step = ls_units_min(state->opened, state->stages - 1);
  ls_batch_open(&state->batch, first + step * more, view->slots);
  state->opened++;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct fiss_state *state = memory;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) open_batch(state, view);
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_fiss = {
    .name = "fiss",
    .summary = "fixed increase self-scheduling: batches of p equal chunks that grow by equal steps",
    .reference = "Philip, Das 1997",
    .parameters = fiss_parameters,
    .init = init_stages,
    .next_units = give_chunk,
};
