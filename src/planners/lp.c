/* lp.c: linear program: the best sizes for given rounds.
 *
 * Reference:  yang2002, the model; the program is the project's own (lp_sequence.c).
 * Assumes:    one transfer at a time; results cost nothing to return (the replay charges them).
 * Answers:    NOT_APPLICABLE when M < 1 or M rounds are more than 20000 messages; without M, when
 *             one round of every set of workers is more than 400.
 * Cost:       one linear program of M p messages; without M up to 3 * 50 of them.
 * Symbols:    M -> rounds, W -> setup->load.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/replay.h"
#include "planners/lp_private.h"
#include "planners/umr_private.h"

enum { MESSAGES_MAX = 20000, SEARCH_MESSAGES_MAX = 400, ROUNDS_MARGIN = 6 };

static const struct ls_parameter lp_parameters[] = {
    {"rounds", "rounds in the platform's order; absent: the best of some orders and numbers",
     LS_PARAMETER_WHOLE, (double)NAN, 0, MESSAGES_MAX, NULL},
    {0}};

/* What the search has found so far. */
struct search {
  const struct ls_planner_setup *setup;
  struct ls_plan best;
  double makespan_s;
  uint64_t programs;
  bool is_stopped;
};

static enum ls_status plan_rounds(const struct ls_planner_setup *setup,
                                  const struct ls_umr_workers *workers, size_t rounds,
                                  struct ls_plan *plan, struct ls_error *err) {
  size_t count = workers->count * rounds;
  struct ls_message *messages = calloc(count, sizeof *messages);
  if (messages == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", count);
  for (size_t i = 0; i < count; i++) {
    messages[i].worker = workers->items[i % workers->count].number;
    messages[i].round = (uint32_t)(i / workers->count);
  }
  enum ls_status status = ls_lp_plan(setup, messages, count, plan, err);
  free(messages);
  return status;
}

/* M_umr, from which the window of the search follows; the most where uniform rounds say nothing. */
static size_t find_window(const struct ls_umr_workers *workers, double load) {
  for (size_t i = 0; i < workers->count; i++) {
    if (!isfinite(1 / workers->items[i].compute_per_unit_s)) return LS_UMR_ROUNDS_MAX;
  }
  if (!ls_umr_has_theta(workers)) return LS_UMR_ROUNDS_MAX;
  struct ls_umr umr;
  ls_umr_init(&umr, workers->items, workers->count, load);
  size_t rounds = ls_umr_choose_rounds(&umr) + ROUNDS_MARGIN;
  return rounds < LS_UMR_ROUNDS_MAX ? rounds : LS_UMR_ROUNDS_MAX;
}

static bool must_stop(struct search *search) {
  const struct ls_planner_setup *setup = search->setup;
  bool has_spent = setup->work_max > 0 && search->programs >= setup->work_max;
  if (has_spent || (setup->stop != NULL && setup->stop(setup->stop_context))) {
    search->is_stopped = true;
  }
  return search->is_stopped;
}

static enum ls_status try_rounds(struct search *search, const struct ls_umr_workers *workers,
                                 size_t rounds, struct ls_error *err) {
  struct ls_plan plan;
  double makespan_s = (double)INFINITY;
  ls_plan_init(&plan, "lp", search->setup->load);
  enum ls_status status = plan_rounds(search->setup, workers, rounds, &plan, err);
  search->programs++;
  if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
    status = ls_replay_makespan(&plan, search->setup->platform, &makespan_s, err);
  }
  if (status == LS_OK && makespan_s < search->makespan_s) {
    ls_plan_take(&search->best, &plan);
    search->makespan_s = makespan_s;
  }
  ls_plan_close(&plan);
  return status;
}

static enum ls_status search_set(struct search *search, const struct ls_umr_workers *workers,
                                 struct ls_error *err) {
  size_t window = find_window(workers, search->setup->load);
  enum ls_status status = LS_OK;
  for (size_t rounds = 1; rounds <= window && status == LS_OK; rounds++) {
    if (rounds * workers->count > SEARCH_MESSAGES_MAX || must_stop(search)) break;
    status = try_rounds(search, workers, rounds, err);
  }
  return status;
}

static enum ls_status search_rounds(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                    struct ls_error *err) {
  struct search search = {.setup = setup, .makespan_s = (double)INFINITY};
  struct ls_umr_workers sets[LS_UMR_SETS];
  struct ls_umr_notes notes = {0};
  size_t sets_count = 0;
  enum ls_status status = ls_umr_sets_init(sets, &sets_count, setup->platform, err);
  if (status != LS_OK) return status;
  ls_plan_init(&search.best, "lp", setup->load);
  for (size_t i = 0; i < sets_count && status == LS_OK; i++) {
    status = search_set(&search, &sets[i], err);
  }
  if (status != LS_OK) goto done;
  if (search.makespan_s < (double)INFINITY) {
    ls_plan_take(plan, &search.best);
    ls_plan_set(plan, "programs_solved", (double)search.programs);
    if (search.is_stopped) ls_plan_set_flag(plan, "stopped", true);
    ls_umr_tell(&notes, &sets[0], plan);
  } else if (search.is_stopped || search.programs > 0) {
    ls_plan_refuse(plan, "no linear program was solved before the end of the search");
  } else {
    ls_plan_refuse(plan, "one round of %zu workers has more than %d messages", sets[0].count,
                   SEARCH_MESSAGES_MAX);
  }
done:
  ls_plan_close(&search.best);
  ls_umr_sets_close(sets, sets_count);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                struct ls_error *err) {
  double wanted = ls_arguments_get(&setup->arguments, lp_parameters, "rounds");
  if (isnan(wanted)) return search_rounds(setup, plan, err);
  size_t rounds = (size_t)wanted, most = MESSAGES_MAX / setup->platform->workers_count;
  if (rounds < 1 || rounds > most) {
    ls_plan_refuse(plan, "%zu rounds of %zu workers: must be 1 to %d messages", rounds,
                   setup->platform->workers_count, MESSAGES_MAX);
    return LS_OK;
  }
  struct ls_umr_workers workers;
  struct ls_umr_notes notes = {0};
  enum ls_status status = ls_umr_workers_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  status = plan_rounds(setup, &workers, rounds, plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK) ls_umr_tell(&notes, &workers, plan);
  ls_umr_workers_close(&workers);
  return status;
}

const struct ls_planner ls_planner_lp = {
    .name = "lp",
    .summary = "linear program: the best sizes for rounds in a given order",
    .reference = "yang2002",
    .parameters = lp_parameters,
    .plan = make_plan,
};
