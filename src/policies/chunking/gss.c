/* gss.c: Guided Self-Scheduling.
 *
 * Reference:  polychronopoulos1987, GSS(k).
 * Assumes:    equal workers that may start at different times.
 * Answers:    max(k, ceil(R/p)); with the rounding rosenvinge2004 prints, max(k, floor(R/p)).
 * Cost:       O(1) per request, about p ln(N/p) requests.
 * Symbols:    R -> units_unassigned, p -> slots, k -> least_units.
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

enum gss_rounding { GSS_CEIL, GSS_FLOOR };

static const char *const roundings[] = {"ceil", "floor", NULL};

static const struct ls_parameter gss_parameters[] = {
    {"least_units", "no chunk is smaller, in units (k)", LS_PARAMETER_WHOLE, 1, 1, 0x1p53, NULL},
    {"rounding", "of R/p: ceil, or floor", LS_PARAMETER_CHOICE, GSS_CEIL, 0, 1, roundings},
    {0}};

struct gss_state {
  uint64_t least_units;
  bool is_floor;
};

static enum ls_status init_limits(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct gss_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->least_units =
      ls_units_of(ls_arguments_get(&setup->arguments, gss_parameters, "least_units"));
  state->is_floor = ls_arguments_get(&setup->arguments, gss_parameters, "rounding") >= GSS_FLOOR;
  *memory = state;
  return LS_OK;
}

static uint64_t give_part(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  const struct gss_state *state = memory;
  (void)worker;
  uint64_t units = state->is_floor ? view->units_unassigned / view->slots
                                   : ls_divide_up(view->units_unassigned, view->slots);
  return ls_units_max(units, state->least_units);
}

const struct ls_chunking ls_chunking_gss = {
    .name = "gss",
    .summary = "guided self-scheduling: one p-th of what is left",
    .reference = "Polychronopoulos, Kuck 1987",
    .parameters = gss_parameters,
    .init = init_limits,
    .next_units = give_part,
};
