/* mfsc.c: modified Fixed-Size Chunking (mFSC).
 *
 * Reference:  banicescu2013; the formula agrees with the public codes LB4OMP and DLS4LB.
 * Assumes:    nothing of the units; equal workers.
 * Answers:    t = ceil(N/p); 1 when t < 3, else trunc(0.55 + t ln 2 / ln t), always the same: about
 *             as many chunks as factoring makes.
 * Cost:       O(1).
 * Symbols:    N -> units, p -> members.places, t -> units_per_worker.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/mfsc_private.h"
#include "policies/chunking/rounding_private.h"

struct mfsc_state {
  uint64_t units, chunk_units;
  struct ls_members members;
  bool is_member[];
};

uint64_t ls_mfsc_size(uint64_t units, size_t workers) {
  uint64_t units_per_worker = ls_divide_up(units, workers);
  double t = (double)units_per_worker;
  if (units_per_worker < 3) return 1;
  return ls_units_max(ls_units_of(trunc(0.55 + t * log(2) / log(t))), 1);
}

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct mfsc_state) + setup->workers_max * sizeof(bool);
}

static enum ls_status init_size(void *memory, const struct ls_chunking_setup *setup,
                                struct ls_error *err) {
  struct mfsc_state *state = memory;
  (void)err;
  state->units = setup->units;
  ls_members_init(&state->members, state->is_member, setup);
  state->chunk_units = ls_mfsc_size(state->units, state->members.places);
  return LS_OK;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  const struct mfsc_state *state = memory;
  (void)view;
  (void)worker;
  return state->chunk_units;
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct mfsc_state *state = memory;
  (void)view;
  (void)units_back;
  if (ls_members_change(&state->members, state->is_member, worker, change)) {
    state->chunk_units = ls_mfsc_size(state->units, state->members.places);
  }
}

const struct ls_chunking ls_chunking_mfsc = {
    .name = "mfsc",
    .summary = "modified fixed-size chunking: one size, from the load and the workers alone",
    .reference = "Banicescu and others 2013",
    .state_bytes = state_bytes,
    .init = init_size,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
