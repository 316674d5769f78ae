/* periodic.c: equal rounds at the rates of the steady state, their number from the latencies.
 *
 * Reference:  delatorre2009, section 3.5.2, in the corrected form of docs/theory/scow.md, 2 (the
 *             printed number of rounds drops 1/rho and the workers' latencies).
 * Assumes:    sending and computing overlap; results cost nothing.
 * Answers:    NOT_APPLICABLE when a worker computes or is sent to at no cost per unit. Without
 *             latencies of sending no number of rounds is the best: chunks of one unit then.
 * Cost:       O(p log n).
 * Symbols:    a, b, a' -> a, b, a_prime; T(n) -> find_period, n -> rounds, rho -> throughput.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_star.h"

static const struct ls_parameter periodic_parameters[] = {LS_SCOW_WORKERS, LS_SCOW_WINDOW, {0}};

static const double ROUNDS_MOST = 9007199254740992.0; /* 2^53 */

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, periodic_parameters, why);
}

struct periodic {
  const struct ls_scow_star *star;
  const double *shares; /* y / rho */
  double load;
  double a, b;
};

static double find_period(const struct periodic *periodic, double rounds) {
  double period_s = periodic->a / rounds + periodic->b;
  for (size_t i = 0; i < periodic->star->count; i++) {
    double units = periodic->load * periodic->shares[i] / rounds;
    period_s = fmax(period_s, ls_cost_time(&periodic->star->items[i].compute, units));
  }
  return period_s;
}

static double predict(const struct periodic *periodic, double rounds) {
  return (rounds + 1) * find_period(periodic, rounds);
}

/* The integer argmin of a convex function, by bisection on its differences. */
static double choose_rounds(const struct periodic *periodic, double most) {
  double least = 1;
  while (least < most) {
    double middle = floor((least + most) / 2);
    if (predict(periodic, middle + 1) < predict(periodic, middle) * (1 - LS_SCOW_GUARD))
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

/* No chunk of more rounds has a unit. */
static double count_units(const struct periodic *periodic) {
  double most = 0;
  for (size_t i = 0; i < periodic->star->count; i++)
    most = fmax(most, periodic->load * periodic->shares[i]);
  return fmin(fmax(1, floor(most * (1 + LS_SCOW_GUARD))), ROUNDS_MOST);
}

static void tell(const struct periodic *periodic, double rounds, struct ls_plan *plan) {
  double a_prime = 0;
  for (size_t i = 0; i < periodic->star->count; i++)
    a_prime = fmax(a_prime, periodic->load * periodic->shares[i] *
                                periodic->star->items[i].compute.per_unit_s);
  ls_plan_set(plan, "period", find_period(periodic, rounds));
  ls_plan_set(plan, "a", periodic->a);
  ls_plan_set(plan, "b", periodic->b);
  ls_plan_set(plan, "a_prime", a_prime);
  if (periodic->b > 0)
    ls_plan_set(plan, "rounds_published_rule",
                fmax(sqrt(periodic->a / periodic->b), (a_prime - periodic->a) / periodic->b));
  ls_plan_set(plan, "predicted_makespan", predict(periodic, rounds));
}

static enum ls_status add_rounds(const struct ls_planner_setup *setup,
                                 const struct ls_scow_star *star, double *rates, void *result,
                                 struct ls_error *err) {
  struct ls_plan *plan = result;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  struct periodic periodic = {.star = star, .shares = rates, .load = plan->load};
  struct ls_star_notes notes = {0};
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_cost *send = &star->items[i].send;
    if (rates[i] > 0) periodic.b += send->latency_s;
    rates[i] /= found.throughput;
    periodic.a += plan->load * rates[i] * send->per_unit_s;
  }
  double rounds = count_units(&periodic);
  if (periodic.b > 0)
    rounds = choose_rounds(&periodic, ROUNDS_MOST);
  else
    ls_star_note(&notes,
                 "sending has no latency, so no number of rounds is the best: chunks of "
                 "one unit");
  struct ls_scow_rounds made = {.star = star,
                                .shares = rates,
                                .round_units = plan->load / rounds,
                                .is_whole = setup->is_whole,
                                .are_equal = true};
  tell(&periodic, rounds, plan);
  ls_plan_set(plan, "throughput", found.throughput);
  ls_plan_set(plan, "full_workers", (double)found.full);
  enum ls_status status = ls_scow_add_rounds(&made, plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  for (size_t i = 0; i < star->count; i++) rates[i] *= plan->load / rounds;
  status = ls_scow_tell_round(star, rates, (double)NAN, plan, err);
  ls_scow_tell(star, &notes, plan);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  (void)budget;
  return ls_scow_star_use(setup, periodic_parameters, add_rounds, plan, err);
}

const struct ls_planner ls_planner_periodic = {
    .name = "periodic",
    .summary = "equal rounds at steady-state rates, their number from the latencies",
    .reference = "delatorre2009",
    .parameters = periodic_parameters,
    .rounds_itself = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
