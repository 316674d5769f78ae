/* asymptotic.c: periods that grow with the load, so that latencies vanish against it.
 *
 * Reference:  delatorre2009, section 3.5 (its (3.33) prints tau for O); docs/theory/scow.md, 2.
 * Assumes:    sending and computing overlap; results cost nothing.
 * Answers:    NOT_APPLICABLE when the latencies of a period are as long as the period (tau >= 1),
 *             or a worker computes or is sent to at no cost per unit.
 * Cost:       O(p log p).
 * Symbols:    rho -> throughput, y -> rates, T -> period_s, tau -> lost, O -> latencies_s.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_star.h"

static const struct ls_parameter asymptotic_parameters[] = {LS_SCOW_WORKERS, LS_SCOW_WINDOW, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, asymptotic_parameters, why);
}

/* n + 1 periods, one more when the first chunk passes two stations (each a period at most). */
static double predict(const struct ls_scow_star *star, double load, double round_units,
                      double period_s) {
  double rounds = ceil(load / round_units * (1 - LS_SCOW_GUARD));
  return (rounds + 1 + (star->uses_master && star->uses_link)) * period_s;
}

static enum ls_status add_rounds(const struct ls_planner_setup *setup,
                                 const struct ls_scow_star *star, double *rates, void *result,
                                 struct ls_error *err) {
  struct ls_plan *plan = result;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  struct ls_star_notes notes = {0};
  double period_s = ls_scow_period_of_load(&found, plan->load);
  double lost = ls_scow_lost(star, rates, period_s);
  for (size_t i = 0; i < star->count; i++) rates[i] /= found.throughput;
  if (!(lost < 1)) {
    ls_plan_refuse(plan, "the latencies of a period are %.6g s, and the period only %.6g s",
                   lost * period_s, period_s);
    return LS_OK;
  }
  struct ls_scow_rounds rounds = {.star = star,
                                  .shares = rates,
                                  .round_units = (1 - lost) * period_s * found.throughput,
                                  .is_whole = setup->is_whole};
  double wanted = rounds.round_units;
  enum ls_status status = ls_scow_add_rounds(&rounds, plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  ls_plan_set(plan, "throughput", found.throughput);
  ls_plan_set(plan, "period", period_s);
  ls_plan_set(plan, "lost", lost);
  ls_plan_set(plan, "full_workers", (double)found.full);
  ls_plan_set(plan, "predicted_makespan", predict(star, plan->load, wanted, period_s));
  for (size_t i = 0; i < star->count; i++) rates[i] *= wanted;
  status = ls_scow_tell_round(star, rates, period_s, plan, err);
  ls_scow_tell(star, &notes, plan);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  (void)budget;
  return ls_scow_star_use(setup, asymptotic_parameters, add_rounds, plan, err);
}

const struct ls_planner ls_planner_asymptotic = {
    .name = "asymptotic",
    .summary = "periods of sqrt(load / throughput) seconds, optimal for very large loads",
    .reference = "delatorre2009",
    .parameters = asymptotic_parameters,
    .rounds_itself = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
