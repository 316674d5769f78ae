/* umr_best.c: Uniform Multi-Round, the best of all numbers of rounds and sets of workers.
 *
 * Reference:  yang2002, rounds and last round as in umr.c; instead of its Eq. 12 and 22 the replay
 *             decides, since they know neither the last round nor the rounding of M*.
 * Assumes:    as umr.
 * Answers:    NOT_APPLICABLE as umr.
 * Cost:       up to 150 replays of O(M N), 200 where several transfers run at once.
 * Symbols:    M -> rounds, W -> load.
 */
#include <math.h>

#include "planners/fit.h"
#include "planners/planner.h"
#include "planners/rounds/umr.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/port_groups.h"
#include "planners/star/reduced_star.h"

/* Behind the sets of workers: the groups of those that transfer at once, and as many of them as the
 * master can keep busy. */
enum { SETS_MAX = LS_STAR_SETS + 2 };

struct candidate {
  size_t set, rounds;
};

/* The candidates, and the best so far. */
struct search {
  const struct ls_planner_setup *setup;
  struct ls_reduced_star sets[SETS_MAX]; /* the last ones are borrowed of the groups */
  struct ls_umr theories[SETS_MAX];
  bool has_theta[SETS_MAX];
  size_t sets_count, own_count; /* all; without the groups */
  struct ls_port_groups groups;
  struct ls_budget *budget; /* a replay is one work */
  double best_s;
  struct candidate best;
};

/* Makes the plan of one candidate in place of what the plan held. */
static enum ls_status make_candidate(const struct search *search, struct candidate candidate,
                                     struct ls_star_notes *notes, struct ls_plan *plan,
                                     struct ls_error *err) {
  const struct ls_umr_rounds rounds = {&search->sets[candidate.set],
                                       &search->theories[candidate.set], candidate.rounds};
  plan->chunks_count = 0;
  enum ls_status status = ls_umr_add_rounds(&rounds, notes, plan, err);
  if (status != LS_OK || candidate.set < search->own_count) return status;
  return ls_port_groups_divide(&search->groups, plan, err);
}

/* One candidate is always tried, so that there is a plan. */
static bool may_go_on(const struct search *search) {
  return !ls_budget_is_spent(search->budget) || search->budget->work == 0;
}

/* Is a chunk of so many uniform rounds left out by rounding, and with it its latencies? */
static bool may_lose_chunks(const struct search *search, size_t set, size_t rounds) {
  const struct ls_umr *theory = &search->theories[set];
  const struct ls_reduced_star *workers = &search->sets[set];
  double sizes[LS_UMR_ROUNDS_MAX];
  if (!search->setup->is_whole) return false;
  ls_umr_round_sizes(theory, rounds, sizes);
  double least = fmin(sizes[0], sizes[rounds - 2]);
  for (size_t i = 0; i < workers->count; i++)
    if (!(ls_umr_chunk(theory, &workers->items[i], least) >= 1)) return true;
  return false;
}

/* No plan of so many rounds ends before: all but the last round cost every worker its latency, and
 * the master all of its own unless transfers share the network. */
static double find_bound(const struct search *search, size_t set, size_t rounds) {
  const struct ls_umr *theory = &search->theories[set];
  const struct ls_reduced_star *workers = &search->sets[set];
  double full = (double)(rounds - 1), send_s = 0;
  if (may_lose_chunks(search, set, rounds)) return theory->load / theory->speed;
  bool is_in_turn = !workers->is_multi_port && set < search->own_count;
  for (size_t i = 0; i < workers->count && is_in_turn; i++) {
    send_s += workers->items[i].send_latency_s;
  }
  return fmax(theory->load / theory->speed + full * theory->compute_latency_s, full * send_s);
}

static enum ls_status try_set(struct search *search, size_t set, struct ls_plan *plan,
                              struct ls_error *err) {
  for (size_t rounds = 1; rounds <= LS_UMR_ROUNDS_MAX; rounds++) {
    struct ls_star_notes notes = {0};
    double makespan_s;
    if (rounds > 1 &&
        (!search->has_theta[set] || !ls_umr_is_possible(&search->theories[set], rounds))) {
      continue;
    }
    if (rounds > 1 && find_bound(search, set, rounds) > search->best_s) continue;
    if (!may_go_on(search)) return LS_OK;
    struct candidate candidate = {set, rounds};
    enum ls_status status = make_candidate(search, candidate, &notes, plan, err);
    if (status != LS_OK) return status;
    status =
        ls_fit_makespan(plan, search->setup->platform, search->setup->is_whole, &makespan_s, err);
    if (status != LS_OK) return status;
    ls_budget_spend(search->budget, 1);
    if (makespan_s < search->best_s) {
      search->best_s = makespan_s;
      search->best = candidate;
    }
  }
  return LS_OK;
}

static void tell_best(const struct search *search, struct ls_star_notes *notes,
                      struct ls_plan *plan) {
  const struct ls_reduced_star *set = &search->sets[search->best.set];
  if (search->has_theta[search->best.set]) {
    ls_umr_tell_theory(&search->theories[search->best.set], search->best.rounds, plan);
  }
  if (search->best.set >= search->own_count) {
    ls_star_note(notes, "planned for %zu transfers at once", search->groups.size);
    ls_plan_set(plan, "connections", (double)search->groups.size);
  } else if (set->count < search->setup->platform->workers_count) {
    ls_star_note(notes, "%zu workers are left out",
                 search->setup->platform->workers_count - set->count);
  }
  ls_plan_set(plan, "replays", (double)search->budget->work);
  ls_star_tell(notes, set, plan);
}

static enum ls_status run_search(struct search *search, struct ls_plan *plan,
                                 struct ls_error *err) {
  struct ls_star_notes notes = {0};
  enum ls_status status = LS_OK;
  for (size_t set = 0; set < search->sets_count; set++) {
    const struct ls_reduced_star *workers = &search->sets[set];
    /* The selection may keep only workers to which sending is free: one round is all they need. */
    search->has_theta[set] = ls_reduced_star_has_theta(workers);
    if (search->has_theta[set]) {
      ls_umr_init(&search->theories[set], workers->items, workers->count, plan->load);
    }
    status = try_set(search, set, plan, err);
    if (status != LS_OK || search->budget->is_stopped) break;
  }
  if (status != LS_OK) return status;
  status = make_candidate(search, search->best, &notes, plan, err);
  tell_best(search, &notes, plan);
  return status;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_reduced_star_keeps_busy(setup->platform, why) &&
         ls_reduced_star_grows(setup->platform, why);
}

static enum ls_status add_groups(struct search *search, struct ls_error *err) {
  enum ls_status status = ls_port_groups_open(&search->groups, search->setup->platform, err);
  if (status != LS_OK) return status;
  struct ls_reduced_star all = search->groups.star, kept = all;
  ls_reduced_star_take(&kept, LS_STAR_SELECTED);
  search->sets[search->sets_count++] = all;
  if (kept.count < all.count) search->sets[search->sets_count++] = kept;
  return LS_OK;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct search search = {
      .setup = setup, .budget = budget, .best_s = (double)INFINITY, .best.rounds = 1};
  enum ls_status status = ls_star_sets_init(search.sets, &search.sets_count, setup->platform, err);
  if (status != LS_OK) return status;
  search.own_count = search.sets_count;
  if (ls_port_groups_size(setup->platform) > 1) status = add_groups(&search, err);
  if (status == LS_OK) status = run_search(&search, plan, err);
  ls_star_sets_close(search.sets, search.own_count);
  ls_port_groups_close(&search.groups);
  return status;
}

const struct ls_planner ls_planner_umr_best = {
    .name = "umr-best",
    .summary = "uniform multi-round with the rounds and workers that the replay finds best",
    .reference = "yang2002",
    .is_search = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
