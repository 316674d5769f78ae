/* umr_scow.c: Uniform Multi-Round, then SCOW: growing rounds before identical ones.
 *
 * Reference:  delatorre2009, section 6.4.4, in the sound form of docs/theory/scow.md, 6.6; the
 *             search is the project's own, and begins with that of scow.
 * Assumes:    sending and computing overlap; one result of each worker returns, or each chunk's.
 * Answers:    NOT_APPLICABLE as scow-mp.
 * Cost:       that of scow, times the number of growing rounds.
 * Symbols:    none.
 */
#include "planners/planner.h"
#include "planners/scow/scow_search.h"

static const struct ls_parameter umr_scow_parameters[] = {LS_SCOW_WORKERS, LS_SCOW_WINDOW, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, umr_scow_parameters, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  const struct ls_scow_job job = {setup, umr_scow_parameters, budget};
  return ls_scow_plan_best(&job, true, plan, err);
}

const struct ls_planner ls_planner_umr_scow = {
    .name = "umr-scow",
    .summary = "growing rounds before periodic ones, as many as end soonest",
    .reference = "delatorre2009",
    .parameters = umr_scow_parameters,
    .rounds_itself = true,
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
