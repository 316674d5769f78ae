/* fac2.c: Factoring with a factor of two (FAC2).
 *
 * Reference:  hummel1992, with the factor x = 2 for unknown mean and deviation.
 * Assumes:    equal workers; nothing of the units.
 * Answers:    ceil(R/(2p)) with R at the opening of the batch, for p consecutive requests of any
 *             workers; `rounding: floor` gives max(1, floor(R/(2p))).
 * Cost:       O(1) per request, about p log2(N/p) requests.
 * Symbols:    R -> units_unassigned, p -> slots.
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch.h"

enum fac2_rounding { FAC2_CEIL, FAC2_FLOOR };

static const char *const roundings[] = {"ceil", "floor", NULL};

static const struct ls_parameter fac2_parameters[] = {
    {"rounding", "of R/(2p): ceil, or floor", LS_PARAMETER_CHOICE, FAC2_CEIL, 0, 1, roundings},
    {0}};

struct fac2_state {
  struct ls_batch batch;
  bool is_floor;
};

static enum ls_status init_batches(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                   void **memory, struct ls_error *err) {
  struct fac2_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->is_floor = ls_arguments_get(&setup->arguments, fac2_parameters, "rounding") >= FAC2_FLOOR;
  *memory = state;
  return LS_OK;
}

static uint64_t size_chunk(const struct fac2_state *state, const struct ls_chunking_view *view) {
  if (state->is_floor) return view->units_unassigned / (2 * (uint64_t)view->slots);
  return ls_batch_halve(view->units_unassigned, view->slots);
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct fac2_state *state = memory;
  (void)worker;
  /* A newcomer counts from the next opening on: an open batch keeps its p. */
  if (ls_batch_is_used_up(&state->batch))
    ls_batch_open(&state->batch, size_chunk(state, view), view->slots);
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_fac2 = {
    .name = "fac2",
    .summary = "factoring by two: batches of p equal chunks, each batch half of what is left",
    .reference = "Hummel, Schonberg, Flynn 1992",
    .parameters = fac2_parameters,
    .init = init_batches,
    .next_units = give_chunk,
};
