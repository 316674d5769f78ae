/* periodic.c: equal rounds at the rates of the steady state, their number from the latencies.
 *
 * Reference:  delatorre2009, section 3.5.2, in the corrected form of docs/theory/scow.md, 2 (the
 *             printed number of rounds drops 1/rho and the workers' latencies).
 * Assumes:    sending and computing overlap; results cost nothing.
 * Answers:    NOT_APPLICABLE when a worker computes or is sent to at no cost per unit. Without
 *             latencies of sending no number of rounds is the best: chunks of one unit then.
 * Cost:       O(p log n); `last=together`: some forty replays at most.
 * Symbols:    a, b, a' -> a, b, a_prime; T(n) -> find_period, n -> rounds, rho -> throughput.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_search.h"
#include "planners/scow/scow_star.h"

enum { LAST_EQUAL, LAST_TOGETHER };
static const char *const lasts[] = {"equal", "together", NULL};

static const struct ls_parameter periodic_parameters[] = {
    LS_SCOW_WORKERS,
    LS_SCOW_WINDOW,
    {"last", "equal: as the other rounds; together: a last round in which all end together",
     LS_PARAMETER_CHOICE, LAST_EQUAL, 0, LAST_TOGETHER, lasts},
    {0}};

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

/* Shares instead of rates, a and b; the number of rounds. */
static double find_rounds(struct periodic *periodic, const struct ls_scow_rates *found,
                          double *rates, struct ls_star_notes *notes) {
  for (size_t i = 0; i < periodic->star->count; i++) {
    const struct ls_cost *send = &periodic->star->items[i].send;
    if (rates[i] > 0) periodic->b += send->latency_s;
    rates[i] /= found->throughput;
    periodic->a += periodic->load * rates[i] * send->per_unit_s;
  }
  double rounds = count_units(periodic);
  if (periodic->b > 0) return choose_rounds(periodic, ROUNDS_MOST);
  ls_star_note(notes,
               "sending has no latency, so no number of rounds is the best: chunks of "
               "one unit");
  return rounds;
}

/* What is made, and what it may cost. */
struct job {
  struct ls_plan *plan;
  struct ls_budget *budget;
};

/* The same rounds; their last ones end together where that is sooner. */
static enum ls_status end_together(const struct ls_planner_setup *setup, const struct job *job,
                                   struct ls_scow_rounds *rounds, struct ls_star_notes *notes,
                                   struct ls_error *err) {
  struct ls_scow_search search;
  struct ls_scow_optimum none = {.makespan_s = (double)INFINITY};
  enum ls_status status = ls_scow_search_open(&search, setup, rounds->star, job->budget, err);
  if (status != LS_OK) return status;
  status = ls_scow_search_last(&search, rounds, err);
  if (status == LS_OK) status = ls_scow_search_write(&search, &none, notes, job->plan, err);
  ls_scow_search_close(&search);
  return status;
}

static enum ls_status add_equal(struct ls_scow_rounds *rounds, struct ls_star_notes *notes,
                                struct ls_plan *plan, struct ls_error *err) {
  enum ls_status status = ls_scow_add_rounds(rounds, plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  for (size_t i = 0; i < rounds->star->count; i++) rounds->shares[i] *= rounds->round_units;
  status = ls_scow_tell_round(rounds->star, rounds->shares, (double)NAN, plan, err);
  ls_scow_tell(rounds->star, notes, plan);
  return status;
}

static enum ls_status add_rounds(const struct ls_planner_setup *setup,
                                 const struct ls_scow_star *star, double *rates, void *result,
                                 struct ls_error *err) {
  const struct job *job = result;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  struct periodic periodic = {.star = star, .shares = rates, .load = job->plan->load};
  struct ls_star_notes notes = {0};
  double rounds = find_rounds(&periodic, &found, rates, &notes);
  struct ls_scow_rounds made = {.star = star,
                                .shares = rates,
                                .round_units = job->plan->load / rounds,
                                .is_whole = setup->is_whole,
                                .are_equal = true};
  tell(&periodic, rounds, job->plan);
  ls_plan_set(job->plan, "throughput", found.throughput);
  ls_plan_set(job->plan, "full_workers", (double)found.full);
  if (ls_arguments_get(&setup->arguments, periodic_parameters, "last") > LAST_EQUAL)
    return end_together(setup, job, &made, &notes, err);
  return add_equal(&made, &notes, job->plan, err);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct job job = {plan, budget};
  return ls_scow_star_use(setup, periodic_parameters, add_rounds, &job, err);
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
