/* tfss.c: Trapezoid Factoring Self-Scheduling (TFSS).
 *
 * Reference:  chronopoulos2001; the formula agrees with the public codes LB4OMP and DLS4LB.
 * Assumes:    equal workers.
 * Answers:    batches of p: the floor of the mean of the next p chunks of tss (with its whole
 *             step), at least 1, for p consecutive requests, whoever asks.
 * Cost:       O(1) per request, O(p) per batch.
 * Symbols:    p -> members.places; f, l, delta as in tss.c.
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch_private.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/trapezoid_private.h"

struct tfss_state {
  uint64_t units;
  struct ls_trapezoid trapezoid;
  uint64_t chunks; /* of the trapezoid that the batches so far stand for */
  struct ls_batch batch;
  bool is_grown; /* p has grown: a new trapezoid at the next opening */
  struct ls_members members;
  bool is_member[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct tfss_state) + setup->workers_max * sizeof(bool);
}

static void choose_trapezoid(struct tfss_state *state) {
  state->trapezoid.last_units = 1;
  ls_trapezoid_choose(&state->trapezoid, state->units, state->members.places, 0, false);
}

static enum ls_status init_trapezoid(void *memory, const struct ls_chunking_setup *setup,
                                     struct ls_error *err) {
  struct tfss_state *state = memory;
  (void)err;
  state->units = setup->units;
  ls_members_init(&state->members, state->is_member, setup);
  choose_trapezoid(state);
  return LS_OK;
}

static void open_batch(struct tfss_state *state) {
  size_t workers = state->members.places;
  uint64_t latest_units = state->batch.chunk_units, units = 0;
  if (state->is_grown) choose_trapezoid(state);
  state->is_grown = false;
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
  (void)view;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) open_batch(state);
  return ls_batch_take(&state->batch);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct tfss_state *state = memory;
  (void)view;
  (void)units_back;
  if (ls_members_change(&state->members, state->is_member, worker, change)) {
    state->is_grown = true;
  }
}

const struct ls_chunking ls_chunking_tfss = {
    .name = "tfss",
    .summary = "trapezoid factoring: batches of p equal chunks that shrink by equal steps",
    .reference = "Chronopoulos and others 2001",
    .state_bytes = state_bytes,
    .init = init_trapezoid,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
