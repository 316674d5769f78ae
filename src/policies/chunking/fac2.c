/* fac2.c: Factoring with a factor of two (FAC2).
 *
 * Reference:  hummel1992, with the factor x = 2 for unknown mean and deviation.
 * Assumes:    equal workers; nothing of the units.
 * Answers:    ceil(R/(2p)) with R at the opening of the batch, for p consecutive requests, whoever
 *             asks; `rounding: floor` gives max(1, floor(R/(2p))).
 * Cost:       O(1) per request, about p log2(N/p) requests.
 * Symbols:    R -> units_unassigned, p -> members.places.
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch_private.h"
#include "policies/chunking/members_private.h"

enum fac2_rounding { FAC2_CEIL, FAC2_FLOOR };

static const char *const roundings[] = {"ceil", "floor", NULL};

static const struct ls_parameter fac2_parameters[] = {
    {"rounding", "of R/(2p): ceil, or floor", LS_PARAMETER_CHOICE, FAC2_CEIL, 0, 1, roundings},
    {0}};

struct fac2_state {
  struct ls_batch batch;
  bool is_floor;
  struct ls_members members;
  bool is_member[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct fac2_state) + setup->workers_max * sizeof(bool);
}

static enum ls_status init_batches(void *memory, const struct ls_chunking_setup *setup,
                                   struct ls_error *err) {
  struct fac2_state *state = memory;
  (void)err;
  state->is_floor = ls_arguments_get(&setup->arguments, fac2_parameters, "rounding") >= FAC2_FLOOR;
  ls_members_init(&state->members, state->is_member, setup);
  return LS_OK;
}

static uint64_t size_chunk(const struct fac2_state *state, uint64_t units_unassigned) {
  size_t workers = state->members.places;
  if (state->is_floor) return units_unassigned / (2 * (uint64_t)workers);
  return ls_batch_halve(units_unassigned, workers);
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct fac2_state *state = memory;
  (void)worker;
  if (ls_batch_is_used_up(&state->batch)) {
    ls_batch_open(&state->batch, size_chunk(state, view->units_unassigned), state->members.places);
  }
  return ls_batch_take(&state->batch);
}

/* A newcomer counts from the next opening on: an open batch keeps its p. */
static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct fac2_state *state = memory;
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, state->is_member, worker, change);
}

const struct ls_chunking ls_chunking_fac2 = {
    .name = "fac2",
    .summary = "factoring by two: batches of p equal chunks, each batch half of what is left",
    .reference = "Hummel, Schonberg, Flynn 1992",
    .parameters = fac2_parameters,
    .state_bytes = state_bytes,
    .init = init_batches,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
