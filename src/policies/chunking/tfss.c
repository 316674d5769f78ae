/* tfss.c: Trapezoid Factoring Self-Scheduling (TFSS).
 *
 * Reference:  chronopoulos2001; the formula agrees with the public codes LB4OMP and DLS4LB.
 * Assumes:    equal workers.
 * Answers:    batches of p: the floor of the mean of the next p chunks of tss (with its whole
 *             step), at least 1, for p consecutive requests of any workers.
 * Cost:       O(1) per request, O(p) per batch.
 * Symbols:    p -> slots; f, l, delta as in tss.c.
 */
#include "policies/chunking.h"
#include "policies/chunking/batch.h"
#include "policies/chunking/trapezoid.h"

struct tfss_state {
  uint64_t units;
  struct ls_trapezoid trapezoid;
  uint64_t chunks; /* of the trapezoid that the batches so far stand for */
  struct ls_batch batch;
  size_t slots; /* p of this trapezoid */
};

static void choose_trapezoid(struct tfss_state *state, size_t slots) {
  state->slots = slots;
  state->trapezoid.last_units = 1;
  ls_trapezoid_choose(&state->trapezoid, state->units, slots, 0, false);
}

static enum ls_status init_trapezoid(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                     void **memory, struct ls_error *err) {
  struct tfss_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->units = setup->units;
  choose_trapezoid(state, setup->slots);
  *memory = state;
  return LS_OK;
}

static void open_batch(struct tfss_state *state, size_t workers) {
  uint64_t latest_units = state->batch.chunk_units, units = 0;
  if (state->slots != workers) choose_trapezoid(state, workers);
  for (size_t i = 0; i < workers; i++) {
    units += ls_trapezoid_size(&state->trapezoid, state->chunks + i);
  }
  units /= workers;
  /* After p has grown the slope is flatter, and must not lead upwards again. */
  if (latest_units > 0) units = ls_units_min(units, latest_units);
  state->chunks += workers;
  ls_batch_open(&state->batch, units, workers);
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct tfss_state *state = memory;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) open_batch(state, view->slots);
  return ls_batch_take(&state->batch);
}

const struct ls_chunking ls_chunking_tfss = {
    .name = "tfss",
    .summary = "trapezoid factoring: batches of p equal chunks that shrink by equal steps",
    .reference = "Chronopoulos and others 2001",
    .init = init_trapezoid,
    .next_units = give_chunk,
};
