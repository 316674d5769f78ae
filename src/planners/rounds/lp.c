/* lp.c: linear program: the best sizes for given rounds.
 *
 * Reference:  yang2002, the model; the program is the project's own (lp_sequence.c).
 * Assumes:    one transfer at a time; results cost nothing to return (the replay charges them).
 * Answers:    NOT_APPLICABLE when M < 1 or M rounds are more than 20000 messages; without M, when
 *             one round of every set of workers is more than 400.
 * Cost:       a linear program of M p messages, and smaller ones while some of their messages get
 *             nothing; without M up to 3 * 50 times as many.
 * Symbols:    M -> rounds, W -> setup->load.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "planners/rounds/lp_sequence.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/reduced_star.h"

enum { MESSAGES_MAX = 20000, SEARCH_MESSAGES_MAX = 400, ROUNDS_MARGIN = 6, FREE_ROUNDS = 4 };

static const struct ls_parameter lp_parameters[] = {
    {"rounds", "rounds in the platform's order; absent: the best of some orders and numbers",
     LS_PARAMETER_WHOLE, (double)NAN, 0, MESSAGES_MAX, NULL},
    {0}};

/* The best that the search has found so far. */
struct search {
  const struct ls_planner_setup *setup;
  struct ls_plan best;
  double makespan_s;
  struct ls_budget *budget; /* a program is one work */
};

static enum ls_status plan_rounds(const struct search *search,
                                  const struct ls_reduced_star *workers, size_t rounds,
                                  struct ls_plan *plan, struct ls_error *err) {
  size_t count = workers->count * rounds;
  struct ls_message *messages = calloc(count, sizeof *messages);
  if (messages == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu messages", count);
  for (size_t i = 0; i < count; i++) {
    messages[i].worker = workers->items[i % workers->count].number;
    messages[i].round = (uint32_t)(i / workers->count);
  }
  struct ls_messages all = {messages, count};
  enum ls_status status = ls_lp_plan_sent(search->setup, &all, search->budget, plan, err);
  free(messages);
  return status;
}

/* M_umr, from which the window of the search follows; the most where uniform rounds say nothing. */
static size_t find_window(const struct ls_reduced_star *workers, double load) {
  for (size_t i = 0; i < workers->count; i++) {
    if (!isfinite(1 / workers->items[i].compute_per_unit_s)) return LS_UMR_ROUNDS_MAX;
  }
  if (!ls_reduced_star_has_theta(workers)) return LS_UMR_ROUNDS_MAX;
  struct ls_umr umr;
  ls_umr_init(&umr, workers->items, workers->count, load);
  size_t rounds = ls_umr_choose_rounds(&umr) + ROUNDS_MARGIN;
  return rounds < LS_UMR_ROUNDS_MAX ? rounds : LS_UMR_ROUNDS_MAX;
}

static enum ls_status try_rounds(struct search *search, const struct ls_reduced_star *workers,
                                 size_t rounds, struct ls_error *err) {
  struct ls_plan plan;
  double makespan_s = (double)INFINITY;
  ls_plan_init(&plan, "lp", search->setup->load);
  enum ls_status status = plan_rounds(search, workers, rounds, &plan, err);
  if (status == LS_OK) status = ls_lp_makespan(search->setup, &plan, &makespan_s, err);
  /* Where none lies within windows that are hard to meet, the first is left to ls_planner_run. */
  bool is_first = plan.outcome == LS_PLAN_OK && search->best.chunks_count == 0;
  if (status == LS_OK && (is_first || makespan_s < search->makespan_s)) {
    ls_plan_take(&search->best, &plan);
    search->makespan_s = makespan_s;
  }
  ls_plan_close(&plan);
  return status;
}

static bool has_latencies(const struct ls_reduced_star *workers) {
  for (size_t i = 0; i < workers->count; i++) {
    const struct ls_star_worker *worker = &workers->items[i];
    if (worker->send_latency_s > 0 || worker->compute_latency_s > 0) return true;
  }
  return false;
}

/* Where nothing has a latency, more rounds are never worse, and gain less and less: a few numbers
 * of them, the largest one included, tell as much as all. */
static size_t next_rounds(size_t rounds, size_t window, bool are_free) {
  size_t next = are_free && rounds >= FREE_ROUNDS ? rounds * 2 : rounds + 1;
  return next > window && rounds < window ? window : next;
}

static enum ls_status search_set(struct search *search, const struct ls_reduced_star *workers,
                                 struct ls_error *err) {
  size_t window = find_window(workers, search->setup->load);
  enum ls_status status = LS_OK;
  size_t most = SEARCH_MESSAGES_MAX / workers->count;
  if (window > most) window = most;
  bool are_free = !has_latencies(workers);
  for (size_t rounds = 1; rounds <= window && status == LS_OK;
       rounds = next_rounds(rounds, window, are_free)) {
    if (ls_budget_is_spent(search->budget)) break;
    status = try_rounds(search, workers, rounds, err);
  }
  return status;
}

static enum ls_status search_rounds(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                    struct ls_plan *plan, struct ls_error *err) {
  struct search search = {.setup = setup, .budget = budget, .makespan_s = (double)INFINITY};
  struct ls_reduced_star sets[LS_STAR_SETS];
  struct ls_star_notes notes = {0};
  size_t sets_count = 0;
  enum ls_status status = ls_star_sets_init(sets, &sets_count, setup->platform, err);
  if (status != LS_OK) return status;
  ls_plan_init(&search.best, "lp", setup->load);
  for (size_t i = 0; i < sets_count && status == LS_OK; i++) {
    status = search_set(&search, &sets[i], err);
  }
  if (status != LS_OK) goto done;
  if (search.best.chunks_count > 0) {
    ls_plan_take(plan, &search.best);
    ls_plan_set(plan, "programs_solved", (double)budget->work);
    ls_star_tell(&notes, &sets[0], plan);
  } else if (budget->is_stopped || budget->work > 0) {
    ls_plan_refuse(plan, "no linear program was solved before the end of the search");
  } else {
    ls_plan_refuse(plan, "one round of %zu workers has more than %d messages", sets[0].count,
                   SEARCH_MESSAGES_MAX);
  }
done:
  ls_plan_close(&search.best);
  ls_star_sets_close(sets, sets_count);
  return status;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  double rounds = ls_arguments_get(&setup->arguments, lp_parameters, "rounds");
  size_t workers = setup->platform->workers_count;
  if (isnan(rounds) || (rounds >= 1 && (size_t)rounds <= MESSAGES_MAX / workers)) return true;
  return ls_planner_refuse(why, "%g rounds of %zu workers: must be 1 to %d messages", rounds,
                           workers, MESSAGES_MAX);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  double wanted = ls_arguments_get(&setup->arguments, lp_parameters, "rounds");
  if (isnan(wanted)) return search_rounds(setup, budget, plan, err);
  struct search search = {.setup = setup, .budget = budget};
  struct ls_reduced_star workers;
  struct ls_star_notes notes = {0};
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  status = plan_rounds(&search, &workers, (size_t)wanted, plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK) ls_star_tell(&notes, &workers, plan);
  ls_reduced_star_close(&workers);
  return status;
}

const struct ls_planner ls_planner_lp = {
    .name = "lp",
    .summary = "linear program: the best sizes for rounds in a given order",
    .reference = "yang2002",
    .parameters = lp_parameters,
    .is_search = true,
    .cost = LS_PLANNER_PROGRAMS,
    .applicable = is_applicable,
    .plan = make_plan,
};
