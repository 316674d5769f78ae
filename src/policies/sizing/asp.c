/* asp.c: the number of workers by achievable speedup.
 *
 * Reference:  ours; asp is the perfect number of heymann2001 in closed form
 *             (docs/theory/adaptive.md, 1).
 * Assumes:    iterations that resemble each other.
 * Answers:    ceil(asp / (1 + slack)) of the last iteration's task times; with speeds the least
 *             number of the fastest workers that have so many times the largest speed together.
 *             The reference has slack 0; but each measured time has some overhead in it, so an asp
 *             that is a whole number comes out a little above it.
 * Cost:       O(p log p) with speeds of p workers, else O(1).
 * Symbols:    asp -> tasks.asp.
 */
#include "policies/sizing.h"

static const struct ls_parameter asp_parameters[] = {
    {"slack", "share of the largest task that an iteration may last longer than it",
     LS_PARAMETER_REAL, 0.01, 0, 10, NULL},
    {0}};

static size_t want_speedup(const struct ls_sizing_view *view, size_t given) {
  size_t wanted = (size_t)view->units;
  if (!view->is_start) {
    wanted = view->wanted;
    bool is_known = view->tasks.tasks > 0 && view->current > 0;
    size_t most = view->speeds != NULL ? view->current : view->tasks.tasks;
    double slack = ls_arguments_get(&view->arguments, asp_parameters, "slack");
    if (is_known) wanted = ls_eer_size_by_asp(view->tasks.asp / (1 + slack), view->speeds, most);
  }
  return ls_sizing_clamp(wanted, view->units, given);
}

const struct ls_sizing ls_sizing_asp = {
    .name = "asp",
    .summary = "sum of the task times / largest, of the iteration before",
    .reference = "after Heymann 2001",
    .parameters = asp_parameters,
    .learns = true,
    .wanted = want_speedup,
};
