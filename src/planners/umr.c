/* umr.c: Uniform Multi-Round.
 *
 * Reference:  yang2002: selection of section 6.3, rounds of Eq. 12, 13, 22, 23, last round of
 *             App. D, in the corrected form of the project's specification, sections 3.4-3.6.
 * Assumes:    one message after another; receiving and computing overlap; results cost nothing.
 * Answers:    NOT_APPLICABLE when computing costs nothing per unit, or sending does; with a number
 *             of rounds given also when a uniform chunk is negative (Eq. 15) or it is below 1.
 * Cost:       O(N log N + M N).
 * Symbols:    M -> rounds, M* -> rounds_real; else as in umr_math.c.
 */
#include <math.h>
#include <stdlib.h>

#include "planners/planner.h"
#include "planners/umr_private.h"

enum umr_selection { UMR_PAPER, UMR_NONE };

static const char *const selections[] = {"paper", "none", NULL};

static const struct ls_parameter umr_parameters[] = {
    {"rounds", "rounds to send; absent: the number that the theory finds best", LS_PARAMETER_WHOLE,
     (double)NAN, 0, 10000, NULL},
    {"selection", "paper: as many workers as the master can keep busy; none: all, as they stand",
     LS_PARAMETER_CHOICE, UMR_PAPER, 0, 1, selections},
    {0}};

enum ls_status ls_umr_add_rounds(const struct ls_umr_rounds *rounds, struct ls_umr_notes *notes,
                                 struct ls_plan *plan, struct ls_error *err) {
  const struct ls_umr_worker *workers = rounds->workers->items;
  size_t count = rounds->workers->count, last = rounds->count - 1;
  if (last == 0) return ls_one_round_add(rounds->workers, notes, plan, err);
  enum ls_status status = ls_umr_reserve(plan, rounds->count * count, err);
  if (status != LS_OK) return status;
  double *units = calloc(count + rounds->count, sizeof *units);
  if (units == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu rounds of %zu chunks", rounds->count, count);
  }
  double *sizes = units + count;
  ls_umr_round_sizes(rounds->theory, rounds->count, sizes);
  for (size_t j = 0; j < last; j++) {
    for (size_t i = 0; i < count; i++) {
      const struct ls_umr_worker *worker = &workers[i];
      double size = ls_umr_chunk(rounds->theory, worker, sizes[j]);
      if (size > 0) ls_plan_add(plan, worker->number, (uint32_t)j, size);
    }
  }
  if (ls_umr_last_round(rounds->theory, workers, sizes[0], sizes[last], units)) {
    ls_umr_note(notes, "in the last round some workers get nothing, so that all end together");
  }
  for (size_t i = 0; i < count; i++) {
    if (units[i] > 0) ls_plan_add(plan, workers[i].number, (uint32_t)last, units[i]);
  }
  free(units);
  return LS_OK;
}

/* The number of rounds, chosen or given; 0: the plan is refused. */
static size_t find_rounds(const struct ls_umr *umr, double given, struct ls_umr_notes *notes,
                          struct ls_plan *plan) {
  if (isnan(given)) {
    struct ls_umr_choice choice;
    ls_umr_choose(umr, &choice);
    if (choice.is_clamped) ls_umr_note(notes, "no more than W/eta rounds, else they would shrink");
    if (choice.is_lowered) ls_umr_note(notes, "fewer rounds, else a chunk would be negative");
    ls_plan_set(plan, "rounds_real", choice.rounds_real);
    return choice.rounds;
  }
  size_t rounds = (size_t)given;
  if (rounds < 1) {
    ls_plan_refuse(plan, "the number of rounds is 0");
  } else if (rounds > 1 && !ls_umr_is_possible(umr, rounds)) {
    ls_plan_refuse(plan, "with %zu rounds a uniform chunk would be negative", rounds);
    return 0;
  }
  return rounds;
}

static enum ls_status plan_rounds(const struct ls_umr_workers *workers, double given,
                                  struct ls_umr_notes *notes, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_umr umr;
  ls_umr_init(&umr, workers->items, workers->count, plan->load);
  struct ls_umr_rounds rounds = {.workers = workers, .theory = &umr};
  rounds.count = find_rounds(&umr, given, notes, plan);
  if (rounds.count == 0) return LS_OK;
  ls_umr_tell_theory(&umr, rounds.count, plan);
  enum ls_status status = ls_umr_add_rounds(&rounds, notes, plan, err);
  ls_umr_tell(notes, workers, plan);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                struct ls_error *err) {
  double given = ls_arguments_get(&setup->arguments, umr_parameters, "rounds");
  bool selects = ls_arguments_get(&setup->arguments, umr_parameters, "selection") < UMR_NONE;
  struct ls_umr_workers workers;
  struct ls_umr_notes notes = {0};
  enum ls_status status = ls_umr_workers_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  if (ls_umr_refuses(&workers, true, plan)) goto done;
  if (selects) ls_umr_workers_take(&workers, LS_UMR_SELECTED);
  /* Those that are kept may be the ones that cost nothing. */
  if (ls_umr_refuses(&workers, true, plan)) goto done;
  size_t dropped = setup->platform->workers_count - workers.count;
  if (dropped > 0)
    ls_umr_note(&notes, "%zu of %zu workers are left out: the master could not keep them busy",
                dropped, setup->platform->workers_count);
  status = plan_rounds(&workers, given, &notes, plan, err);
done:
  ls_umr_workers_close(&workers);
  return status;
}

const struct ls_planner ls_planner_umr = {
    .name = "umr",
    .summary = "uniform multi-round: rounds of equal computing time that grow",
    .reference = "yang2002",
    .parameters = umr_parameters,
    .plan = make_plan,
};
