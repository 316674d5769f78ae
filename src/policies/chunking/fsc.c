/* fsc.c: Fixed-Size Chunking.
 *
 * Reference:  kruskal1985, the chunk size that balances requests against the last chunks' spread;
 *             banicescu2013, the size without knowledge (mFSC).
 * Assumes:    equal workers; independent units with a known deviation; a known cost of a request.
 * Answers:    k = (sqrt(2) N h / (sigma p sqrt(ln p)))^(2/3), rounded up, within [1, ceil(N/p)];
 *             ceil(N/p) when p = 1 or sigma = 0, else 1 when h = 0.  When sigma or h is unknown,
 *             mfsc's size.
 * Cost:       O(1).
 * Symbols:    N -> units, p -> slots, h -> overhead_seconds, sigma -> deviation_seconds,
 *             k -> chunk_units.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/mfsc.h"
#include "policies/chunking/rounding.h"

enum fsc_rounding { FSC_CEIL, FSC_MULTIPLE };

static const char *const roundings[] = {"ceil", "multiple", NULL};

static const struct ls_parameter fsc_parameters[] = {
    {"rounding", "ceil, or multiple: a size that makes the number of chunks a multiple of p",
     LS_PARAMETER_CHOICE, FSC_CEIL, 0, 1, roundings},
    {0}};

struct fsc_state {
  uint64_t units, chunk_units;
  double deviation_seconds, overhead_seconds;
  bool is_multiple;
  size_t slots; /* p of this size */
};

static uint64_t size_chunk(const struct fsc_state *state) {
  size_t workers = state->slots;
  uint64_t most = ls_divide_up(state->units, workers);
  double p = (double)workers;
  if (isnan(state->deviation_seconds) || isnan(state->overhead_seconds)) {
    return ls_mfsc_size(state->units, workers);
  }
  if (workers == 1 || !(state->deviation_seconds > 0)) return most;
  if (!(state->overhead_seconds > 0)) return 1;
  double k = pow(sqrt(2) * (double)state->units * state->overhead_seconds /
                     (state->deviation_seconds * p * sqrt(log(p))),
                 2.0 / 3.0);
  return ls_units_min(ls_units_ceil(k), most);
}

static void choose_size(struct fsc_state *state, size_t slots) {
  state->slots = slots;
  uint64_t units = ls_units_max(size_chunk(state), 1);
  if (state->is_multiple && state->units > 0) {
    /* As few chunks more or less as make every worker get equally many. */
    double rounds = (double)state->units / ((double)units * (double)slots);
    uint64_t whole_rounds = ls_units_max(ls_units_nearest(rounds), 1);
    units = ls_divide_up(state->units, slots * whole_rounds);
  }
  state->chunk_units = units;
}

static enum ls_status init_size(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                void **memory, struct ls_error *err) {
  if (setup->deviation_seconds < 0) {
    return ls_fail(err, LS_EINVAL, "fsc: deviation_seconds is %g, expected a number >= 0",
                   setup->deviation_seconds);
  }
  if (setup->overhead_seconds < 0) {
    return ls_fail(err, LS_EINVAL, "fsc: overhead_seconds is %g, expected a number >= 0",
                   setup->overhead_seconds);
  }
  struct fsc_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->units = setup->units;
  state->deviation_seconds = setup->deviation_seconds;
  state->overhead_seconds = setup->overhead_seconds;
  state->is_multiple =
      ls_arguments_get(&setup->arguments, fsc_parameters, "rounding") >= FSC_MULTIPLE;
  choose_size(state, setup->slots);
  *memory = state;
  return LS_OK;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct fsc_state *state = memory;
  (void)worker;
  if (state->slots != view->slots) choose_size(state, view->slots);
  return state->chunk_units;
}

const struct ls_chunking ls_chunking_fsc = {
    .name = "fsc",
    .summary = "fixed-size chunking: chunks of one size, from the deviation and the overhead",
    .reference = "Kruskal, Weiss 1985",
    .parameters = fsc_parameters,
    .facts = LS_CHUNKING_DEVIATION | LS_CHUNKING_OVERHEAD,
    .init = init_size,
    .next_units = give_chunk,
};
