/* umr.c: Uniform Multi-Round.
 *
 * Reference:  yang2002: selection of section 6.3, rounds of Eq. 12, 13, 22, 23, last round of
 *             App. D, in the corrected form of docs/theory/umr.md, 3.4 to 3.6.
 * Assumes:    one message after another; receiving and computing overlap; results cost nothing.
 *             Where ports let k transfers run at once, k workers are one of the theory's
 *             (port_groups.h); the replay chooses between this plan and the one without.
 * Answers:    NOT_APPLICABLE when computing costs nothing per unit, or sending does; with a number
 *             of rounds given also when a uniform chunk is negative (Eq. 15) or it is below 1.
 * Cost:       O(N log N + M N).
 * Symbols:    M -> rounds, M* -> rounds_real; else as in umr_theory.c.
 */

#include "planners/rounds/umr.h"

#include <math.h>
#include <stdlib.h>

#include "planners/fit.h"
#include "planners/planner.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/one_round.h"
#include "planners/star/port_groups.h"
#include "planners/star/reduced_star.h"

enum umr_selection { UMR_PAPER, UMR_NONE };

static const char *const selections[] = {"paper", "none", NULL};

static const struct ls_parameter umr_parameters[] = {
    {"rounds", "rounds to send; absent: the number that the theory finds best", LS_PARAMETER_WHOLE,
     (double)NAN, 0, 10000, NULL},
    {"selection", "paper: as many workers as the master can keep busy; none: all, as they stand",
     LS_PARAMETER_CHOICE, UMR_PAPER, 0, 1, selections},
    {0}};

void ls_umr_tell_theory(const struct ls_umr *umr, size_t rounds, struct ls_plan *plan) {
  ls_plan_set(plan, "theta", umr->theta);
  if (!isnan(umr->eta)) ls_plan_set(plan, "eta", umr->eta);
  ls_plan_set(plan, "predicted_makespan", ls_umr_predict(umr, (double)rounds));
}

enum ls_status ls_umr_add_rounds(const struct ls_umr_rounds *rounds, struct ls_star_notes *notes,
                                 struct ls_plan *plan, struct ls_error *err) {
  const struct ls_star_worker *workers = rounds->workers->items;
  size_t count = rounds->workers->count, last = rounds->count - 1;
  if (last == 0) return ls_one_round_add(rounds->workers, notes, plan, err);
  enum ls_status status = ls_star_reserve(plan, rounds->count * count, err);
  if (status != LS_OK) return status;
  double *units = calloc(count + rounds->count, sizeof *units);
  if (units == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu rounds of %zu chunks", rounds->count, count);
  }
  double *sizes = units + count;
  ls_umr_round_sizes(rounds->theory, rounds->count, sizes);
  for (size_t j = 0; j < last; j++) {
    for (size_t i = 0; i < count; i++) {
      const struct ls_star_worker *worker = &workers[i];
      double size = ls_umr_chunk(rounds->theory, worker, sizes[j]);
      if (size > 0) ls_plan_add(plan, worker->number, (uint32_t)j, size);
    }
  }
  if (ls_umr_last_round(rounds->theory, workers, sizes[0], sizes[last], units)) {
    ls_star_note(notes, "in the last round some workers get nothing, so that all end together");
  }
  for (size_t i = 0; i < count; i++) {
    if (units[i] > 0) ls_plan_add(plan, workers[i].number, (uint32_t)last, units[i]);
  }
  free(units);
  return LS_OK;
}

/* The workers of a plan, and the platform that knows their windows; NULL: nobody asks for them. */
struct limited_star {
  const struct ls_reduced_star *workers;
  const struct ls_platform *platform;
};

/* Do the first and the last uniform round, the smallest and the largest, lie in all windows? */
static bool lies_within(const struct ls_umr *umr, const struct limited_star *star, size_t rounds) {
  double sizes[LS_UMR_ROUNDS_MAX];
  ls_umr_round_sizes(umr, rounds, sizes);
  for (size_t i = 0; i < star->workers->count; i++) {
    const struct ls_star_worker *worker = &star->workers->items[i];
    const struct ls_worker_model *model = &star->platform->workers[worker->number];
    double first = ls_umr_chunk(umr, worker, sizes[0]);
    double last = ls_umr_chunk(umr, worker, sizes[rounds - 1]);
    if (!(fmin(first, last) >= ls_worker_chunk_least(model))) return false;
    if (!(fmax(first, last) <= ls_worker_chunk_most(model))) return false;
  }
  return true;
}

/* The number of rounds next to the chosen one whose chunks lie in the windows; else the chosen one,
 * whose chunks are then made to fit. */
static size_t find_rounds_within(const struct ls_umr *umr, const struct limited_star *star,
                                 size_t chosen, struct ls_star_notes *notes) {
  if (star->platform == NULL || !ls_fit_is_needed(star->platform)) return chosen;
  for (size_t step = 0; step < LS_UMR_ROUNDS_MAX; step++) {
    for (int side = 0; side < 2; side++) {
      size_t rounds = side == 0 ? chosen + step : chosen - step;
      if (rounds < 2 || rounds > LS_UMR_ROUNDS_MAX || !ls_umr_is_possible(umr, rounds)) continue;
      if (!lies_within(umr, star, rounds)) continue;
      if (step > 0) ls_star_note(notes, "another number of rounds, for the windows of the workers");
      return rounds;
    }
  }
  return chosen;
}

/* The number of rounds, chosen or given; 0: the plan is refused. */
static size_t find_rounds(const struct ls_umr *umr, const struct limited_star *workers,
                          double given, struct ls_star_notes *notes, struct ls_plan *plan) {
  if (isnan(given)) {
    struct ls_umr_choice choice;
    ls_umr_choose(umr, &choice);
    if (choice.is_clamped) ls_star_note(notes, "no more than W/eta rounds, else they would shrink");
    if (choice.is_lowered) ls_star_note(notes, "fewer rounds, else a chunk would be negative");
    ls_plan_set(plan, "rounds_real", choice.rounds_real);
    return find_rounds_within(umr, workers, choice.rounds, notes);
  }
  size_t rounds = (size_t)given;
  if (rounds == 1 || ls_umr_is_possible(umr, rounds)) return rounds;
  ls_plan_refuse(plan, "with %zu rounds a uniform chunk would be negative", rounds);
  return 0;
}

static enum ls_status plan_rounds(const struct limited_star *star, double given,
                                  struct ls_star_notes *notes, struct ls_plan *plan,
                                  struct ls_error *err) {
  const struct ls_reduced_star *workers = star->workers;
  struct ls_umr umr;
  ls_umr_init(&umr, workers->items, workers->count, plan->load);
  struct ls_umr_rounds rounds = {.workers = workers, .theory = &umr};
  rounds.count = find_rounds(&umr, star, given, notes, plan);
  if (rounds.count == 0) return LS_OK;
  ls_umr_tell_theory(&umr, rounds.count, plan);
  enum ls_status status = ls_umr_add_rounds(&rounds, notes, plan, err);
  ls_star_tell(notes, workers, plan);
  return status;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  if (ls_arguments_get(&setup->arguments, umr_parameters, "rounds") < 1)
    return ls_planner_refuse(why, "the number of rounds is 0");
  return ls_reduced_star_keeps_busy(setup->platform, why) &&
         ls_reduced_star_grows(setup->platform, why);
}

/* One transfer after another. */
static enum ls_status plan_in_turn(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                   struct ls_error *err) {
  double given = ls_arguments_get(&setup->arguments, umr_parameters, "rounds");
  bool selects = ls_arguments_get(&setup->arguments, umr_parameters, "selection") < UMR_NONE;
  struct ls_reduced_star workers;
  struct ls_star_notes notes = {0};
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  if (selects) ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  /* Those that are kept may be the ones that cost nothing. */
  if (!ls_reduced_star_has_theta(&workers)) {
    ls_plan_refuse(plan,
                   "sending to the workers that are kept costs nothing per unit, so no number "
                   "of rounds is the best");
    goto done;
  }
  size_t dropped = setup->platform->workers_count - workers.count;
  if (dropped > 0)
    ls_star_note(&notes, "%zu of %zu workers are left out: the master could not keep them busy",
                 dropped, setup->platform->workers_count);
  const struct limited_star star = {&workers, setup->platform};
  status = plan_rounds(&star, given, &notes, plan, err);
done:
  ls_reduced_star_close(&workers);
  return status;
}

/* As many transfers at once as the ports let. */
static enum ls_status plan_at_once(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                   struct ls_error *err) {
  double given = ls_arguments_get(&setup->arguments, umr_parameters, "rounds");
  bool selects = ls_arguments_get(&setup->arguments, umr_parameters, "selection") < UMR_NONE;
  struct ls_port_groups groups;
  struct ls_star_notes notes = {0};
  enum ls_status status = ls_port_groups_open(&groups, setup->platform, err);
  if (status != LS_OK) return status;
  if (selects) ls_reduced_star_take(&groups.star, LS_STAR_SELECTED);
  ls_star_note(&notes, "planned for %zu transfers at once", groups.size);
  ls_plan_set(plan, "connections", (double)groups.size);
  const struct limited_star star = {&groups.star, NULL};
  status = plan_rounds(&star, given, &notes, plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK)
    status = ls_port_groups_divide(&groups, plan, err);
  ls_port_groups_close(&groups);
  return status;
}

static enum ls_status judge(const struct ls_planner_setup *setup, const struct ls_plan *plan,
                            double *makespan_s, struct ls_error *err) {
  *makespan_s = (double)INFINITY;
  /* Of a plan that is not taken nobody else asks. */
  if (plan->failure.status != LS_OK)
    return ls_fail(err, plan->failure.status, "%s", plan->failure.text);
  if (plan->outcome != LS_PLAN_OK) return LS_OK;
  return ls_fit_makespan(plan, setup->platform, setup->is_whole, makespan_s, err);
}

/* Puts the plan for several transfers at once in the place of `plan` where the replay ends it
 * sooner. */
static enum ls_status improve_at_once(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                      struct ls_error *err) {
  struct ls_plan other;
  double in_turn_s, at_once_s = (double)INFINITY;
  ls_plan_init(&other, plan->algorithm, plan->load);
  enum ls_status status = judge(setup, plan, &in_turn_s, err);
  if (status == LS_OK) status = plan_at_once(setup, &other, err);
  if (status == LS_OK) status = judge(setup, &other, &at_once_s, err);
  if (status == LS_OK && at_once_s < in_turn_s) ls_plan_take(plan, &other);
  ls_plan_close(&other);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  (void)budget;
  enum ls_status status = plan_in_turn(setup, plan, err);
  bool has_others = ls_port_groups_size(setup->platform) > 1;
  return status == LS_OK && has_others ? improve_at_once(setup, plan, err) : status;
}

const struct ls_planner ls_planner_umr = {
    .name = "umr",
    .summary = "uniform multi-round: rounds of equal computing time that grow",
    .reference = "yang2002",
    .parameters = umr_parameters,
    .applicable = is_applicable,
    .plan = make_plan,
};
