/* returns_many.c: loads of more workers with latencies than programs of subsets can look at.
 *
 * Reference:  docs/theory/returns.md, 7.
 * Assumes:    orders with good loads without latencies; no windows and rooms.
 * Answers:    the earliest of: the best subset of LS_RETURNS_AFFINE_MAX of them; the loads without
 *             latencies; a chain of loads; in orders that have no chain one program of all.
 * Cost:       up to LS_RETURNS_AFFINE_MAX programs of as many rows; O(p) a step of the chain.
 * Symbols:    none.
 */
#include "planners/returns/returns_many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "model/load.h"
#include "planners/returns/returns_chain.h"
#include "planners/returns/returns_program.h"
#include "planners/returns/returns_subset.h"

/* In the order of decreasing units, for the limit on programs. */
struct loaded {
  double units;
  uint32_t worker;
};

static int compare_loads(const void *left, const void *right) {
  const struct loaded *a = left, *b = right;
  if (a->units > b->units) return -1;
  if (a->units < b->units) return 1;
  return a->worker < b->worker ? -1 : a->worker > b->worker;
}

enum ls_status ls_returns_keep_largest(struct ls_scenario *scenario, size_t limit,
                                       struct ls_error *err) {
  if (scenario->count <= limit) return LS_OK;
  ls_scenario_compact(scenario);
  if (scenario->count <= limit) return LS_OK;
  struct loaded *loads = calloc(scenario->count, sizeof *loads);
  if (loads == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu loads", scenario->count);
  for (size_t k = 0; k < scenario->count; k++)
    loads[k] = (struct loaded){scenario->units[scenario->sends[k]], scenario->sends[k]};
  qsort(loads, scenario->count, sizeof *loads, compare_loads);
  for (size_t k = limit; k < scenario->count; k++) scenario->units[loads[k].worker] = 0;
  free(loads);
  ls_scenario_compact(scenario);
  return LS_OK;
}

/* The best so far of many workers: in parts of units, and when what is sent of it ends. */
struct many {
  const struct ls_returns *returns;
  struct ls_scenario *best; /* borrowed */
  double makespan_s, end_s;
  const char *why;
};

/* Brings the units to the load; when they end, rounded where whole ones are wanted. */
static enum ls_status find_end(const struct ls_returns *returns, struct ls_scenario *scenario,
                               double *end_s, struct ls_error *err) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < returns->count; i++) ls_sum_add(&sum, scenario->units[i]);
  double scale = returns->load / ls_sum_value(&sum);
  for (size_t i = 0; i < returns->count; i++) scenario->units[i] *= scale;
  if (!returns->is_whole) {
    *end_s = ls_returns_makespan(returns, scenario, scenario->units);
    return LS_OK;
  }
  double *units = calloc(returns->count, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu loads", returns->count);
  enum ls_status status = ls_load_check_whole(returns->load, err);
  if (status == LS_OK)
    status = ls_returns_round(returns, scenario, (uint64_t)returns->load, units, err);
  if (status == LS_OK) *end_s = ls_returns_makespan(returns, scenario, units);
  free(units);
  return status;
}

static enum ls_status offer(struct many *many, struct ls_scenario *scenario, const char *why,
                            struct ls_error *err) {
  double end_s;
  enum ls_status status = find_end(many->returns, scenario, &end_s, err);
  if (status != LS_OK || !(end_s < many->end_s)) return status;
  ls_scenario_copy(many->best, scenario, many->returns->count);
  many->makespan_s = ls_returns_makespan(many->returns, scenario, scenario->units);
  many->end_s = end_s;
  many->why = why;
  return LS_OK;
}

/* All workers of the orders, with their loads without latencies, then with a chain of loads, or, in
 * orders that have none, with those of one program. */
static enum ls_status offer_all(struct many *many, struct ls_scenario *all, struct ls_error *err) {
  const char *why = "more than 200 workers: each load follows from the one before";
  enum ls_status status =
      offer(many, all, "more than 200 workers: the loads are those without latencies", err);
  if (status != LS_OK) return status;
  double makespan_s = ls_returns_chain(many->returns, all);
  if (isinf(makespan_s) && all->count <= LS_RETURNS_PROGRAM_MAX) {
    why = "more than 200 workers: one program of all of them";
    status = ls_returns_affine(many->returns, all, &makespan_s, err);
    /* Costs too far apart for the solver: there are other loads. */
    if (status == LS_EINVAL) return LS_OK;
  }
  return status == LS_OK && isfinite(makespan_s) ? offer(many, all, why, err) : status;
}

enum ls_status ls_returns_load_many(const struct ls_returns *returns, struct ls_scenario *scenario,
                                    struct ls_returns_verdict *verdict, struct ls_error *err) {
  const char *kept = "more than 200 workers: the best of the 200 that have most without latencies";
  const struct ls_returns_search search = {.run = ls_returns_affine_enrolled};
  struct many many = {.returns = returns, .best = scenario, .why = kept};
  struct ls_scenario all;
  enum ls_status status = ls_scenario_open(&all, returns->count, err);
  if (status != LS_OK) return status;
  ls_scenario_copy(&all, scenario, returns->count);
  verdict->linear_s = returns->load / all.throughput;
  verdict->latencies_s = ls_returns_latencies(returns, &all);
  status = ls_returns_keep_largest(scenario, LS_RETURNS_AFFINE_MAX, err);
  if (status == LS_OK) status = ls_returns_improve(returns, &search, scenario, verdict, err);
  if (status == LS_OK) {
    status = find_end(returns, scenario, &many.end_s, err);
    many.makespan_s = verdict->makespan_s;
  } else if (status == LS_EINVAL) {
    /* Costs too far apart for the solver: there are other loads. */
    many.makespan_s = many.end_s = (double)INFINITY;
    status = LS_OK;
  }
  if (status == LS_OK) status = offer_all(&many, &all, err);
  /* Loads that are given to all of an order need not be its best ones. */
  if (verdict->linear_s > fmin(many.makespan_s, many.end_s))
    verdict->linear_s = returns->is_whole ? fmin(many.makespan_s, many.end_s) : 0;
  verdict->makespan_s = many.makespan_s;
  verdict->why = many.why;
  verdict->is_proven = false;
  ls_scenario_close(&all);
  return status;
}
