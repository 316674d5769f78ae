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

#include "planners/fit.h"
#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_search.h"
#include "planners/scow/scow_star.h"

enum { LAST_EQUAL, LAST_TOGETHER };
static const char *const lasts[] = {"equal", "together", NULL};
enum { WHOLE_CARRY, WHOLE_ALIKE };
static const char *const wholes[] = {"carry", "alike", NULL};

static const struct ls_parameter periodic_parameters[] = {
    LS_SCOW_WORKERS,
    LS_SCOW_WINDOW,
    {"last", "equal: as the other rounds; together: a last round in which all end together",
     LS_PARAMETER_CHOICE, LAST_EQUAL, 0, LAST_TOGETHER, lasts},
    {"whole", "units: carry: what a round lacks the next ones get, where that ends sooner; alike",
     LS_PARAMETER_CHOICE, WHOLE_CARRY, 0, WHOLE_ALIKE, wholes},
    {0}};

static const double ROUNDS_MOST = 9007199254740992.0; /* 2^53 */
/* Chunks that are written out one by one. */
static const double CARRIED_MOST = 1e6;

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, periodic_parameters, why);
}

struct periodic {
  const struct ls_scow_star *star;
  const double *shares; /* y / rho */
  double load;
  double a, b;
  double rounds;
  const struct ls_scow_rates *found;
  struct ls_star_notes notes;
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

static void tell(const struct periodic *periodic, struct ls_plan *plan) {
  double a_prime = 0;
  for (size_t i = 0; i < periodic->star->count; i++)
    a_prime = fmax(a_prime, periodic->load * periodic->shares[i] *
                                periodic->star->items[i].compute.per_unit_s);
  ls_plan_set(plan, "period", find_period(periodic, periodic->rounds));
  ls_plan_set(plan, "a", periodic->a);
  ls_plan_set(plan, "b", periodic->b);
  ls_plan_set(plan, "a_prime", a_prime);
  if (periodic->b > 0)
    ls_plan_set(plan, "rounds_published_rule",
                fmax(sqrt(periodic->a / periodic->b), (a_prime - periodic->a) / periodic->b));
  ls_plan_set(plan, "predicted_makespan", predict(periodic, periodic->rounds));
  ls_plan_set(plan, "throughput", periodic->found->throughput);
  ls_plan_set(plan, "full_workers", (double)periodic->found->full);
}

/* Shares instead of rates, a and b; the number of rounds. */
static void find_rounds(struct periodic *periodic, double *rates) {
  for (size_t i = 0; i < periodic->star->count; i++) {
    const struct ls_cost *send = &periodic->star->items[i].send;
    if (rates[i] > 0) periodic->b += send->latency_s;
    rates[i] /= periodic->found->throughput;
    periodic->a += periodic->load * rates[i] * send->per_unit_s;
  }
  periodic->rounds = count_units(periodic);
  if (periodic->b > 0)
    periodic->rounds = choose_rounds(periodic, ROUNDS_MOST);
  else
    ls_star_note(&periodic->notes,
                 "sending has no latency, so no number of rounds is the best: "
                 "chunks of one unit");
}

/* What is made, and what it may cost. */
struct job {
  const struct ls_planner_setup *setup;
  struct ls_plan *plan;
  struct ls_budget *budget;
};

/* The same rounds; their last ones end together where that is sooner. */
static enum ls_status end_together(const struct job *job, struct periodic *periodic,
                                   struct ls_scow_rounds *rounds, struct ls_error *err) {
  struct ls_scow_search search;
  struct ls_scow_optimum none = {.makespan_s = (double)INFINITY};
  enum ls_status status = ls_scow_search_open(&search, job->setup, rounds->star, job->budget, err);
  if (status != LS_OK) return status;
  status = ls_scow_search_last(&search, rounds, err);
  if (status == LS_OK)
    status = ls_scow_search_write(&search, &none, &periodic->notes, job->plan, err);
  ls_scow_search_close(&search);
  return status;
}

/* Whole units: rounds of real sizes whose remainders go to the next ones. Equal rounds of few units
 * are rounded alike, and a worker may have twice its share of each. */
static enum ls_status carry_remainders(const struct ls_planner_setup *setup,
                                       const struct ls_scow_rounds *equal, struct ls_plan *carried,
                                       struct ls_error *err) {
  struct ls_scow_rounds rounds = *equal;
  rounds.is_whole = false;
  enum ls_status status = ls_scow_add_rounds(&rounds, carried, err);
  if (status == LS_OK) status = ls_plan_finish(carried, err);
  if (status != LS_OK || carried->outcome != LS_PLAN_OK) return status;
  return ls_plan_make_whole(carried, setup->platform, err);
}

static enum ls_status play(const struct ls_planner_setup *setup, const struct ls_plan *plan,
                           double *makespan_s, struct ls_error *err) {
  *makespan_s = (double)INFINITY;
  if (plan->outcome != LS_PLAN_OK) return LS_OK;
  return ls_fit_makespan(plan, setup->platform, true, makespan_s, err);
}

/* Others take the place of the rounds in the plan where they end sooner. */
static enum ls_status take_if_better(const struct job *job, struct ls_plan *carried,
                                     struct ls_error *err) {
  double made_s, carried_s;
  enum ls_status status = ls_plan_finish(job->plan, err);
  if (status == LS_OK) status = play(job->setup, job->plan, &made_s, err);
  if (status == LS_OK) status = play(job->setup, carried, &carried_s, err);
  if (status == LS_OK && carried_s < made_s * (1 - LS_SCOW_GUARD)) ls_plan_take(job->plan, carried);
  return status;
}

/* Rounds that are rounded alike, or end together, and in whole units those that carry. */
static enum ls_status add_best(const struct job *job, struct periodic *periodic,
                               struct ls_scow_rounds *rounds, struct ls_error *err) {
  const struct ls_arguments *arguments = &job->setup->arguments;
  struct ls_plan carried;
  bool may_carry = job->setup->is_whole &&
                   ls_arguments_get(arguments, periodic_parameters, "whole") < WHOLE_ALIKE &&
                   periodic->rounds * (double)rounds->star->count <= CARRIED_MOST;
  ls_plan_init(&carried, job->plan->algorithm, job->plan->load);
  tell(periodic, job->plan);
  if (may_carry) tell(periodic, &carried);
  enum ls_status status = LS_OK;
  if (may_carry) status = carry_remainders(job->setup, rounds, &carried, err);
  if (status == LS_OK)
    status = ls_arguments_get(arguments, periodic_parameters, "last") > LAST_EQUAL
                 ? end_together(job, periodic, rounds, err)
                 : ls_scow_add_rounds(rounds, job->plan, err);
  if (status == LS_OK && may_carry) status = take_if_better(job, &carried, err);
  ls_plan_close(&carried);
  return status;
}

static enum ls_status add_rounds(const struct ls_planner_setup *setup,
                                 const struct ls_scow_star *star, double *rates, void *result,
                                 struct ls_error *err) {
  const struct job *job = result;
  struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, rates);
  struct periodic periodic = {
      .star = star, .shares = rates, .load = job->plan->load, .found = &found};
  find_rounds(&periodic, rates);
  struct ls_scow_rounds made = {.star = star,
                                .shares = rates,
                                .round_units = job->plan->load / periodic.rounds,
                                .is_whole = setup->is_whole,
                                .are_equal = true};
  enum ls_status status = add_best(job, &periodic, &made, err);
  bool is_told = status != LS_OK || ls_plan_has(job->plan, "lower_bound");
  if (is_told || job->plan->outcome != LS_PLAN_OK) return status;
  for (size_t i = 0; i < star->count; i++) rates[i] *= made.round_units;
  status = ls_scow_tell_round(star, rates, (double)NAN, job->plan, err);
  ls_scow_tell(star, &periodic.notes, job->plan);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct job job = {setup, plan, budget};
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
