/* scow.c: Scheduler for Clusters Of Workers: the best periodic plan that a search finds.
 *
 * Reference:  delatorre2009, chapters 4 and 5, in the corrected form of docs/theory/scow.md, 4 to
 *             6; the search is the project's own.
 * Assumes:    sending and computing overlap; one result of each worker returns, or each chunk's.
 * Answers:    NOT_APPLICABLE as scow-mp.
 * Cost:       up to a few thousand replays of O(p) each; a few hundred above 256 workers.
 * Symbols:    none.
 */
#include "planners/planner.h"
#include "planners/scow/scow_search.h"

static const struct ls_parameter scow_parameters[] = {LS_SCOW_WORKERS, LS_SCOW_WINDOW, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, scow_parameters, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  const struct ls_scow_job job = {setup, scow_parameters, budget};
  return ls_scow_plan_best(&job, LS_SCOW_PERIODS, plan, err);
}

const struct ls_planner ls_planner_scow = {
    .name = "scow",
    .summary = "the best periodic plan: identical rounds, a last and an auxiliary round",
    .reference = "delatorre2009",
    .parameters = scow_parameters,
    .rounds_itself = true,
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
