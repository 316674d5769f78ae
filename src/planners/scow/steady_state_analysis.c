/* steady_state_analysis.c: how many units a second a platform takes at most.
 *
 * Reference:  delatorre2009, Theorem 1; docs/theory/scow.md, 2.
 * Assumes:    no latencies.
 * Answers:    rates by worker, their sum, the workers that are always busy and what they leave of
 *             the master's time; not applicable as steady-state.
 * Cost:       O(p log p).
 * Symbols:    y -> rates, rho -> throughput, q -> full_workers, eps -> slack.
 */
#include <math.h>
#include "planners/analysis.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_star.h"

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

static enum ls_status tell_all(const struct ls_planner_setup *setup,
                               const struct ls_scow_star *star, double *rates, void *result,
                               struct ls_error *err) {
  struct ls_findings *findings = result;
  double *by_worker = rates + star->count;
  (void)setup, (void)err;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  for (size_t i = 0; i < star->count; i++) by_worker[star->items[i].number] = rates[i];
  ls_findings_number(findings, "throughput", found.throughput, "units/s, the most there can be");
  ls_findings_number(findings, "full_workers", (double)found.full, "workers that are always busy");
  ls_findings_number(findings, "slack", found.slack, "share of the master's time they leave");
  ls_findings_numbers(findings, "rates", by_worker, star->count, "units/s, by worker");
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  return ls_scow_star_use(setup, NULL, tell_all, findings, err);
}

const struct ls_analysis ls_analysis_steady_state = {
    .name = "steady-state",
    .summary = "how many units a second a platform takes at most",
    .reference = "delatorre2009, Theorem 1",
    .applicable = is_applicable,
    .analyse = analyse,
};
