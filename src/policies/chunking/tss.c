/* tss.c: Trapezoid Self-Scheduling.
 *
 * Reference:  tzen1993, TSS(f, l).
 * Assumes:    equal workers.
 * Answers:    f, f - delta, f - 2 delta, ..., never below l, with Q = max(2, ceil(2N/(f+l))) chunks
 *             meant and delta = floor((f-l)/(Q-1)).  The rounding `real` keeps delta real and
 *             floors each chunk (rosenvinge2004 prints that formula).
 * Cost:       O(1) per request, about 4p requests.
 * Symbols:    N -> units, p -> slots, f -> first_units, l -> last_units,
 *             delta -> step_units (trapezoid.h).
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/rounding.h"
#include "policies/chunking/trapezoid.h"

enum tss_rounding { TSS_INTEGER, TSS_REAL };

static const char *const roundings[] = {"integer", "real", NULL};

static const struct ls_parameter tss_parameters[] = {
    {"first_units", "size of the first chunk, in units (f); 0: ceil(N/2p)", LS_PARAMETER_WHOLE, 0,
     0, 0x1p53, NULL},
    {"last_units", "no chunk is smaller, in units (l)", LS_PARAMETER_WHOLE, 1, 1, 0x1p53, NULL},
    {"rounding", "of the step between chunks: integer, or real (each chunk is then rounded down)",
     LS_PARAMETER_CHOICE, TSS_INTEGER, 0, 1, roundings},
    {0}};

struct tss_state {
  uint64_t units;
  uint64_t first_given; /* the argument; 0: from the formula */
  struct ls_trapezoid trapezoid;
  uint64_t chunks;       /* given so far */
  uint64_t latest_units; /* size of the latest chunk */
  bool is_real;
  size_t slots; /* p of this trapezoid */
};

static void choose_trapezoid(struct tss_state *state, size_t slots) {
  state->slots = slots;
  ls_trapezoid_choose(&state->trapezoid, state->units, slots, state->first_given, state->is_real);
}

static enum ls_status init_trapezoid(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                     void **memory, struct ls_error *err) {
  const struct ls_arguments *arguments = &setup->arguments;
  struct tss_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->units = setup->units;
  state->first_given = ls_units_of(ls_arguments_get(arguments, tss_parameters, "first_units"));
  state->trapezoid.last_units =
      ls_units_of(ls_arguments_get(arguments, tss_parameters, "last_units"));
  state->is_real = ls_arguments_get(arguments, tss_parameters, "rounding") >= TSS_REAL;
  choose_trapezoid(state, setup->slots);
  state->latest_units = state->trapezoid.first_units;
  *memory = state;
  return LS_OK;
}

static uint64_t give_next(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct tss_state *state = memory;
  (void)worker;
  if (state->slots != view->slots) choose_trapezoid(state, view->slots);
  uint64_t units = ls_trapezoid_size(&state->trapezoid, state->chunks);
  /* After p has grown the slope is flatter, and must not lead upwards again. */
  state->latest_units = ls_units_min(units, state->latest_units);
  state->chunks++;
  return state->latest_units;
}

const struct ls_chunking ls_chunking_tss = {
    .name = "tss",
    .summary = "trapezoid self-scheduling: chunks that shrink by equal steps",
    .reference = "Tzen, Ni 1993",
    .parameters = tss_parameters,
    .init = init_trapezoid,
    .next_units = give_next,
};
