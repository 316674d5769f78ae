/* steady_state.c: equal rounds at the rates of the steady state.
 *
 * Reference:  delatorre2009, Theorem 1, in the corrected form of docs/theory/scow.md, 2.
 * Assumes:    nothing of latencies, which only the replay charges; sending and computing overlap.
 * Answers:    NOT_APPLICABLE when a worker computes or is sent to at no cost per unit.
 * Cost:       O(p log p).
 * Symbols:    rho -> throughput, y -> rates, T -> period_s, n -> rounds, x -> chunks of a round.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_star.h"

static const struct ls_parameter steady_state_parameters[] = {
    {"period", "seconds of a round; absent: sqrt(load / throughput)", LS_PARAMETER_REAL,
     (double)NAN, 1e-300, 1e300, NULL},
    LS_SCOW_WORKERS,
    LS_SCOW_WINDOW,
    {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, steady_state_parameters, why);
}

static enum ls_status add_rounds(const struct ls_planner_setup *setup,
                                 const struct ls_scow_star *star, double *rates, void *result,
                                 struct ls_error *err) {
  struct ls_plan *plan = result;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  struct ls_star_notes notes = {0};
  double period_s = ls_arguments_get(&setup->arguments, steady_state_parameters, "period");
  if (isnan(period_s)) period_s = ls_scow_period_of_load(&found, plan->load);
  for (size_t i = 0; i < star->count; i++) rates[i] /= found.throughput;
  struct ls_scow_rounds rounds = {.star = star,
                                  .shares = rates,
                                  .round_units = ls_scow_equal_units(&found, plan->load, period_s),
                                  .is_whole = setup->is_whole,
                                  .are_equal = true};
  enum ls_status status = ls_scow_add_rounds(&rounds, plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  ls_plan_set(plan, "throughput", found.throughput);
  ls_plan_set(plan, "period", period_s);
  ls_plan_set(plan, "full_workers", (double)found.full);
  for (size_t i = 0; i < star->count; i++) rates[i] *= rounds.round_units;
  status = ls_scow_tell_round(star, rates, period_s, plan, err);
  ls_scow_tell(star, &notes, plan);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  (void)budget;
  return ls_scow_star_use(setup, steady_state_parameters, add_rounds, plan, err);
}

const struct ls_planner ls_planner_steady_state = {
    .name = "steady-state",
    .summary = "equal rounds at the rates that keep most workers busy, latencies ignored",
    .reference = "delatorre2009",
    .parameters = steady_state_parameters,
    .rounds_itself = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
