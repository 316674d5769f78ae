/* umr_scow.c: Uniform Multi-Round, SCOW, UMR2: growing, identical and shrinking rounds.
 *
 * Reference:  delatorre2009, section 6.4.4 and the three phases of its future work, in the sound
 *             form of docs/theory/scow.md, 6.6; the search is the project's own, and begins with
 *             that of scow.
 * Assumes:    sending and computing overlap; one result of each worker returns, or each chunk's.
 * Answers:    NOT_APPLICABLE as scow-mp.
 * Cost:       that of scow, times the number of growing rounds; a few thousand replays more for the
 *             shrinking ones.
 * Symbols:    none.
 */
#include "planners/planner.h"
#include "planners/scow/scow_search.h"

enum { TAIL_UMR2, TAIL_NONE };
static const char *const tails[] = {"umr2", "none", NULL};

static const struct ls_parameter umr_scow_parameters[] = {
    LS_SCOW_WORKERS,
    LS_SCOW_WINDOW,
    {"tail", "umr2: shrinking rounds at the end where they are better; none: a last round",
     LS_PARAMETER_CHOICE, TAIL_UMR2, 0, TAIL_NONE, tails},
    {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, umr_scow_parameters, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  const struct ls_scow_job job = {setup, umr_scow_parameters, budget};
  bool has_tail = ls_arguments_get(&setup->arguments, umr_scow_parameters, "tail") < TAIL_NONE;
  return ls_scow_plan_best(&job, has_tail ? LS_SCOW_RAMP_AND_FALLING : LS_SCOW_RAMP, plan, err);
}

const struct ls_planner ls_planner_umr_scow = {
    .name = "umr-scow",
    .summary = "growing, periodic and shrinking rounds, as many of each as end soonest",
    .reference = "delatorre2009",
    .parameters = umr_scow_parameters,
    .rounds_itself = true,
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
