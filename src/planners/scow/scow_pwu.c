/* scow_pwu.c: periods in which all workers are full, last round.
 *
 * Reference:  delatorre2009, Theorem 13 and section 5.3.2, in the corrected form of
 *             docs/theory/scow.md, 4 to 6; `search=published` as printed (Figure 5-2).
 * Assumes:    sending and computing overlap; one result of each worker returns, or each chunk's.
 * Answers:    NOT_APPLICABLE when a worker computes or is sent to at no cost per unit, or windows
 *             leave no sizes; the published search also when workers differ, units are whole, or it
 *             finds no period.
 * Cost:       O(p log p), and up to a hundred replays.
 * Symbols:    X -> load, nu -> rounds_real, T* -> period, N -> rounds.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_search.h"

static const struct ls_parameter scow_pwu_parameters[] = {
    LS_SCOW_WORKERS, LS_SCOW_WINDOW, LS_SCOW_SEARCH, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_constraint_is_applicable(setup, scow_pwu_parameters, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  const struct ls_scow_job job = {setup, scow_pwu_parameters, budget};
  return ls_scow_plan_constraint(&job, LS_SCOW_PWU, plan, err);
}

const struct ls_planner ls_planner_scow_pwu = {
    .name = "scow-pwu",
    .summary = "periods of perfect utilization: all workers that are used are full",
    .reference = "delatorre2009",
    .parameters = scow_pwu_parameters,
    .rounds_itself = true,
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
