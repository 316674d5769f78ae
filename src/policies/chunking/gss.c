/* gss.c: Guided Self-Scheduling.
 *
 * Reference:  polychronopoulos1987, GSS(k).
 * Assumes:    equal workers that may start at different times.
 * Answers:    max(k, ceil(R/p)); with the rounding rosenvinge2004 prints, max(k, floor(R/p)).
 * Cost:       O(1) per request, about p ln(N/p) requests.
 * Symbols:    R -> units_unassigned, p -> members.places, k -> least_units.
 */
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

enum gss_rounding { GSS_CEIL, GSS_FLOOR };

static const char *const roundings[] = {"ceil", "floor", NULL};

static const struct ls_parameter gss_parameters[] = {
    {"least_units", "no chunk is smaller, in units (k)", LS_PARAMETER_WHOLE, 1, 1, 0x1p53, NULL},
    {"rounding", "of R/p: ceil, or floor", LS_PARAMETER_CHOICE, GSS_CEIL, 0, 1, roundings},
    {0}};

struct gss_state {
  uint64_t least_units;
  bool is_floor;
  struct ls_members members;
  bool is_member[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct gss_state) + setup->workers_max * sizeof(bool);
}

static enum ls_status init_limits(void *memory, const struct ls_chunking_setup *setup,
                                  struct ls_error *err) {
  struct gss_state *state = memory;
  (void)err;
  state->least_units =
      ls_units_of(ls_arguments_get(&setup->arguments, gss_parameters, "least_units"));
  state->is_floor = ls_arguments_get(&setup->arguments, gss_parameters, "rounding") >= GSS_FLOOR;
  ls_members_init(&state->members, state->is_member, setup);
  return LS_OK;
}

static uint64_t give_part(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  const struct gss_state *state = memory;
  size_t workers = state->members.places;
  (void)worker;
  uint64_t units = state->is_floor ? view->units_unassigned / workers
                                   : ls_divide_up(view->units_unassigned, workers);
  return ls_units_max(units, state->least_units);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct gss_state *state = memory;
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, state->is_member, worker, change);
}

const struct ls_chunking ls_chunking_gss = {
    .name = "gss",
    .summary = "guided self-scheduling: one p-th of what is left",
    .reference = "Polychronopoulos, Kuck 1987",
    .parameters = gss_parameters,
    .state_bytes = state_bytes,
    .init = init_limits,
    .next_units = give_part,
    .on_worker = on_worker,
};
