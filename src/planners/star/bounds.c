/* bounds.c: what no plan of a load can beat, and what the platform does at most.
 *
 * Reference:  yang2002, section 3.4 (work over total speed); the others as in model/metrics.h.
 * Assumes:    nothing.
 * Answers:    the lower bound of the makespan and what it counts; units per second of all workers,
 *             who are as fast as the slower of reader and processor, and of the network.
 * Cost:       O(p log p).
 * Symbols:    none.
 */
#include <math.h>

#include "base/statistics.h"
#include "model/metrics.h"
#include "planners/analysis.h"

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  const struct ls_platform *platform = setup->platform;
  struct ls_lower_bound bound;
  struct ls_sum speed = {0};
  double network_s = HUGE_VAL;
  enum ls_status status = ls_lower_bound(platform, setup->load, &bound, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *costs = platform->workers[i].costs;
    double stage_s = costs[LS_OPERATION_STAGE].per_unit_s;
    double own_s = costs[LS_OPERATION_RECEIVE].per_unit_s + costs[LS_OPERATION_COMPUTE].per_unit_s;
    ls_sum_add(&speed, 1 / (platform->stage_ahead > 0 ? fmax(own_s, stage_s) : own_s + stage_s));
    network_s = fmin(network_s, costs[LS_OPERATION_TRANSFER].per_unit_s);
  }
  ls_findings_number(findings, "lower_bound", bound.bound_s, "s: no plan of this load ends before");
  ls_findings_text(findings, "bound", bound.name, "what that bound counts");
  ls_findings_number(findings, "speed", ls_sum_value(&speed), "units/s that all workers compute");
  ls_findings_number(findings, "network", 1 / network_s, "units/s over the fastest link");
  return LS_OK;
}

const struct ls_analysis ls_analysis_bounds = {
    .name = "bounds",
    .summary = "what no plan of a load can beat",
    .reference = "yang2002",
    .needs_load = true,
    .knows_stage = true,
    .analyse = analyse,
};
