/* russian_doll.c: the best pair of orders, from the best of all smaller sets of workers.
 *
 * Reference:  docs/theory/returns.md, 5 (Russian doll search).
 * Assumes:    at most LS_RUSSIAN_DOLL_MAX workers, no latencies.
 * Answers:    optima of all subsets by increasing size; each bounds the larger ones, and the best
 *             subset with one worker less is where a set's search starts.
 * Cost:       exponential: 6 to 8 times more for each worker more.
 * Symbols:    none.
 */

#include "planners/returns/russian_doll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/branch.h"
#include "planners/returns/dual_simplex.h"
#include "planners/returns/iterated_search.h"
#include "planners/returns/pair_search.h"
#include "planners/returns/relax.h"
#include "planners/returns/returns.h"

enum { FULL_STARTS = 3 };

struct doll {
  const struct ls_returns *returns;
  struct ls_branch branch;
  double *throughputs;   /* by mask of workers */
  struct ls_pair *pairs; /* by mask, in numbers within the mask */
  struct ls_pair start;  /* of all workers */
};

static enum ls_status open_doll(struct doll *doll, const struct ls_returns *returns,
                                struct ls_error *err) {
  *doll = (struct doll){.returns = returns};
  enum ls_status status = ls_branch_open(&doll->branch, returns->count, err);
  if (status != LS_OK) return status;
  size_t masks = (size_t)1 << returns->count;
  doll->throughputs = calloc(masks, sizeof *doll->throughputs);
  doll->pairs = calloc(masks, sizeof *doll->pairs);
  doll->branch.budget = returns->budget;
  if (doll->throughputs != NULL && doll->pairs != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "no memory for the subsets of %zu workers", returns->count);
}

static bool is_stopped(const struct doll *doll) {
  return doll->branch.budget != NULL && doll->branch.budget->is_stopped;
}

static void close_doll(struct doll *doll) {
  ls_branch_close(&doll->branch);
  free(doll->throughputs);
  free(doll->pairs);
}

static size_t list_members(uint32_t mask, uint32_t *members) {
  size_t count = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    members[count++] = (uint32_t)__builtin_ctz(rest);
  return count;
}

/* The known optima of the subsets, in the numbers of the set's workers. */
static void load_subsets(struct doll *doll, const uint32_t *members, size_t count) {
  struct ls_branch *branch = &doll->branch;
  for (uint32_t local = 1; local < (uint32_t)1 << count; local++) {
    uint32_t mask = 0;
    for (uint32_t rest = local; rest != 0; rest &= rest - 1)
      mask |= (uint32_t)1 << members[__builtin_ctz(rest)];
    double throughput = doll->throughputs[mask];
    branch->slowness[local] = throughput > 0 ? branch->small.unit / throughput : 0;
  }
}

/* The pair of a subset without its member at place `missing`, which is then sent to last and
 * returns last: no worker waits for one that gets nothing there. */
static void extend_pair(const struct ls_pair *from, size_t count, size_t missing,
                        struct ls_pair *pair) {
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k + 1 < count; k++) {
      uint8_t member = from->order[side][k];
      pair->order[side][side == 0 ? k : k + 1] = member >= missing ? (uint8_t)(member + 1) : member;
    }
  }
  pair->order[0][count - 1] = (uint8_t)missing;
  pair->order[1][0] = (uint8_t)missing;
}

static void offer_pair(struct doll *doll, const struct ls_pair *start) {
  struct ls_pair pair = *start;
  struct ls_budget climb = ls_budget_part(doll->branch.budget, 0);
  double value = ls_pair_climb(&doll->branch.small, &pair, &climb);
  if (!(value > doll->branch.best_value)) return;
  doll->branch.best_value = value;
  doll->branch.best = pair;
}

static void start_from_subsets(struct doll *doll, uint32_t mask, const uint32_t *members,
                               size_t count) {
  size_t best = count;
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double throughput = doll->throughputs[mask & ~((uint32_t)1 << members[i])];
    if (!(throughput > most)) continue;
    most = throughput;
    best = i;
  }
  if (best == count) return;
  struct ls_pair pair = {0};
  extend_pair(&doll->pairs[mask & ~((uint32_t)1 << members[best])], count, best, &pair);
  offer_pair(doll, &pair);
}

static void solve_subset(struct doll *doll, uint32_t mask, bool is_everybody) {
  uint32_t members[LS_RUSSIAN_DOLL_MAX] = {0};
  size_t count = list_members(mask, members);
  struct ls_branch *branch = &doll->branch;
  ls_small_init(&branch->small, doll->returns, members, count);
  branch->best_value = 0;
  memset(&branch->best, 0, sizeof branch->best);
  if (count == 1) {
    branch->best_value = 1;
  } else {
    load_subsets(doll, members, count);
    branch->is_full = !branch->small.is_one_port;
    start_from_subsets(doll, mask, members, count);
    if (is_everybody) offer_pair(doll, &doll->start);
    ls_branch_solve(branch);
  }
  if (count > 1 && is_stopped(doll)) return;
  doll->throughputs[mask] = branch->best_value * branch->small.unit;
  doll->pairs[mask] = branch->best;
}

static bool solve_all_smaller(struct doll *doll) {
  int workers = (int)doll->returns->count;
  for (int size = 1; size < workers; size++) {
    for (uint32_t mask = 1; mask < (uint32_t)1 << workers; mask++) {
      if (__builtin_popcount(mask) != size) continue;
      solve_subset(doll, mask, false);
      if (is_stopped(doll)) return false;
    }
  }
  return true;
}

/* The set of all workers after a stop: the bound at the root from the known optima, with rows that
 * hold for all supports. */
static void bound_root(struct doll *doll, const uint32_t *members) {
  struct ls_branch *branch = &doll->branch;
  struct ls_branch_node root;
  ls_small_init(&branch->small, doll->returns, members, doll->returns->count);
  branch->best_value = 0;
  offer_pair(doll, &doll->start);
  load_subsets(doll, members, doll->returns->count);
  branch->slowness[((size_t)1 << doll->returns->count) - 1] = 0;
  branch->is_full = false;
  branch->recent_count = branch->recent_next = 0;
  ls_branch_root(branch, &root);
  bool is_open = ls_branch_relax(branch, &root);
  branch->open_bound = is_open ? root.vertex.bound : branch->best_value;
}

/* The start of the whole set: the local search that returns-search makes. */
static enum ls_status find_start(struct doll *doll, const uint32_t *members,
                                 struct ls_scenario *scenario, struct ls_error *err) {
  const struct ls_iterated_search local = {.starts = FULL_STARTS, .seed = 1};
  struct ls_budget climb = ls_budget_part(doll->branch.budget, 0);
  struct ls_returns returns = *doll->returns;
  returns.budget = &climb;
  enum ls_status status = ls_iterated_search_run(&returns, &local, scenario, err);
  if (status != LS_OK) return status;
  ls_small_init(&doll->branch.small, doll->returns, members, doll->returns->count);
  ls_pair_of(&doll->start, &doll->branch.small, members, scenario);
  return LS_OK;
}

enum ls_status ls_russian_doll_run(const struct ls_returns *returns, struct ls_scenario *scenario,
                                   double *upper_bound, struct ls_error *err) {
  struct doll doll;
  uint32_t members[LS_RUSSIAN_DOLL_MAX] = {0};
  for (size_t i = 0; i < returns->count; i++) members[i] = (uint32_t)i;
  enum ls_status status = open_doll(&doll, returns, err);
  if (status == LS_OK) status = find_start(&doll, members, scenario, err);
  if (status == LS_OK) {
    struct ls_branch *branch = &doll.branch;
    if (solve_all_smaller(&doll))
      solve_subset(&doll, ((uint32_t)1 << returns->count) - 1, true);
    else
      bound_root(&doll, members);
    ls_pair_to(&branch->best, &branch->small, returns, members, scenario);
    *upper_bound = scenario->throughput;
    if (is_stopped(&doll))
      *upper_bound = fmax(branch->open_bound * branch->small.unit, scenario->throughput);
  }
  close_doll(&doll);
  return status;
}
