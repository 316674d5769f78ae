/* latency_search.c: scenarios with latencies, windows and rooms.
 *
 * Reference:  docs/theory/returns.md, 7.
 * Assumes:    a scenario that is good without latencies; the enrolled pay them, others do not.
 * Answers:    all pairs of orders of all subsets of at most 4 workers; else the best subset of the
 *             given pair, then drops, adds and swaps while they help.
 * Cost:       748 programs for 4 workers; O(p^3) programs a pass else.
 * Symbols:    none.
 */

#include "planners/returns/latency_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/returns_program.h"
#include "planners/returns/returns_subset.h"

static const double IMPROVEMENT = 1e-12;

struct descent {
  const struct ls_returns *returns;
  struct ls_scenario best, next;
  double best_s;
};

/* Solves descent->next; *is_better: it is the new best. */
static enum ls_status try_next(struct descent *descent, bool *is_better, struct ls_error *err) {
  double makespan_s;
  *is_better = false;
  if (descent->next.count == 0) return LS_OK;
  ls_budget_spend(descent->returns->budget, 1);
  enum ls_status status = ls_returns_affine(descent->returns, &descent->next, &makespan_s, err);
  if (status != LS_OK) return status;
  if (!(makespan_s < descent->best_s * (1 - IMPROVEMENT))) return LS_OK;
  descent->best_s = makespan_s;
  ls_scenario_copy(&descent->best, &descent->next, descent->returns->count);
  *is_better = true;
  return LS_OK;
}

/* The next permutation in lexical order; false: it was the last, now the first again. */
static bool permute(uint32_t *order, size_t count) {
  size_t i = count;
  for (size_t k = 1; k < count; k++) {
    if (order[k - 1] < order[k]) i = k - 1;
  }
  if (i == count) i = SIZE_MAX;
  size_t begin = i == SIZE_MAX ? 0 : i + 1;
  if (i != SIZE_MAX) {
    size_t j = count - 1;
    while (order[j] < order[i]) j--;
    uint32_t kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (size_t end = count; begin + 1 < end; begin++, end--) {
    uint32_t kept = order[begin];
    order[begin] = order[end - 1];
    order[end - 1] = kept;
  }
  return i != SIZE_MAX;
}

static enum ls_status try_all(struct descent *descent, struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t workers = descent->returns->count;
  for (uint32_t mask = 1; mask < (uint32_t)1 << workers && status == LS_OK; mask++) {
    struct ls_scenario *next = &descent->next;
    next->count = 0;
    for (uint32_t i = 0; i < workers; i++) {
      if (((mask >> i) & 1) == 0) continue;
      next->sends[next->count] = i;
      next->returns[next->count++] = i;
    }
    do {
      do {
        bool is_better;
        if (ls_budget_is_spent(descent->returns->budget)) return LS_OK;
        status = try_next(descent, &is_better, err);
      } while (status == LS_OK && permute(next->returns, next->count));
    } while (status == LS_OK && permute(next->sends, next->count));
  }
  return status;
}

static void copy_best(struct descent *descent) {
  ls_scenario_copy(&descent->next, &descent->best, descent->returns->count);
}

static void remove_from(uint32_t *order, size_t count, uint32_t worker) {
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (order[k] != worker) order[kept++] = order[k];
  }
}

static void insert_at(uint32_t *order, size_t count, size_t place, uint32_t worker) {
  memmove(order + place + 1, order + place, (count - place) * sizeof *order);
  order[place] = worker;
}

static enum ls_status try_drops(struct descent *descent, bool *has_changed, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint32_t i = 0; i < descent->returns->count && status == LS_OK; i++) {
    bool is_better;
    if (!(descent->best.units[i] > 0) || descent->best.count == 1) continue;
    if (ls_budget_is_spent(descent->returns->budget)) return LS_OK;
    copy_best(descent);
    remove_from(descent->next.sends, descent->next.count, i);
    remove_from(descent->next.returns, descent->next.count, i);
    descent->next.count--;
    status = try_next(descent, &is_better, err);
    if (is_better) *has_changed = true;
  }
  return status;
}

/* Worker i anywhere in both orders, until it helps. */
static enum ls_status try_adding(struct descent *descent, uint32_t i, bool *has_changed,
                                 struct ls_error *err) {
  size_t count = descent->best.count;
  enum ls_status status = LS_OK;
  for (size_t at = 0; at <= count; at++) {
    for (size_t back = 0; back <= count && status == LS_OK; back++) {
      bool is_better;
      if (ls_budget_is_spent(descent->returns->budget)) return LS_OK;
      copy_best(descent);
      insert_at(descent->next.sends, count, at, i);
      insert_at(descent->next.returns, count, back, i);
      descent->next.count++;
      status = try_next(descent, &is_better, err);
      if (!is_better) continue;
      *has_changed = true;
      return status;
    }
  }
  return status;
}

static enum ls_status try_swaps(struct descent *descent, bool *has_changed, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < descent->best.count; i++) {
      for (size_t j = i + 1; j < descent->best.count && status == LS_OK; j++) {
        bool is_better;
        if (ls_budget_is_spent(descent->returns->budget)) return LS_OK;
        copy_best(descent);
        uint32_t *order = side == 0 ? descent->next.sends : descent->next.returns;
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
        status = try_next(descent, &is_better, err);
        if (is_better) *has_changed = true;
      }
    }
  }
  return status;
}

static enum ls_status climb(struct descent *descent, struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool has_changed = true;
  while (status == LS_OK && has_changed && !ls_budget_is_spent(descent->returns->budget)) {
    has_changed = false;
    status = try_drops(descent, &has_changed, err);
    for (uint32_t i = 0; i < descent->returns->count && status == LS_OK; i++) {
      if (!(descent->best.units[i] > 0)) status = try_adding(descent, i, &has_changed, err);
    }
    if (status == LS_OK) status = try_swaps(descent, &has_changed, err);
  }
  return status;
}

enum ls_status ls_latency_search_run(const struct ls_returns *returns, struct ls_scenario *scenario,
                                     struct ls_returns_verdict *verdict, struct ls_error *err) {
  struct descent descent = {.returns = returns, .best_s = HUGE_VAL};
  struct ls_returns_verdict subset = {0};
  bool is_small = returns->count <= LS_LATENCY_SEARCH_ALL_MAX;
  ls_scenario_compact(scenario);
  /* Limits may ask for workers that are of no use without them. */
  if (returns->limits != NULL) ls_scenario_list_others(scenario, returns->count);
  enum ls_status status = ls_scenario_open(&descent.best, returns->count, err);
  if (status == LS_OK) status = ls_scenario_open(&descent.next, returns->count, err);
  if (status == LS_OK) status = ls_returns_affine_enrolled(returns, scenario, &subset, err);
  if (status == LS_OK) {
    descent.best_s = subset.makespan_s;
    ls_scenario_copy(&descent.best, scenario, returns->count);
    status = is_small ? try_all(&descent, err) : climb(&descent, err);
  }
  if (status == LS_OK) {
    ls_scenario_copy(scenario, &descent.best, returns->count);
    verdict->makespan_s = descent.best_s;
    verdict->is_proven = is_small && (returns->budget == NULL || !returns->budget->is_stopped);
  }
  ls_scenario_close(&descent.best);
  ls_scenario_close(&descent.next);
  return status;
}
