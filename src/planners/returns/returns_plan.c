/* returns_plan.c: whole units of a scenario, and the plan made of it.
 *
 * Reference:  beaumont2005, section 1 (rounding at random, replaced: docs/theory/returns.md, 7).
 * Assumes:    a scenario; its units are scaled to the load.
 * Answers:    rows have coefficients >= 0, so rounding down is feasible; fewer units than workers
 *             are left, and they go (a) to the largest fractions or (b) one by one to the worker
 *             that they delay least.  (a) is never later than N/rho + sum (c + d) + max w.
 * Cost:       O(p log p) for (a), O(p^3) for (b), which is left out above 200 workers.
 * Symbols:    N -> total, rho -> throughput, c -> send_s, w -> compute_s, d -> reply_s.
 */

#include "planners/returns/returns_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "model/load.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_many.h"
#include "planners/returns/returns_program.h"
#include "planners/returns/returns_subset.h"
#include "planners/returns/returns_whole.h"

enum { GREEDY_WORKERS_MAX = 200 };

static const double ROUNDING_LOST_NOTHING = 1e-12;

static double round_down(double units) {
  return floor(units + 1e-9);
}

/* (a): the project's one rounding function. */
static enum ls_status round_by_remainder(const struct ls_scenario *scenario, uint64_t total,
                                         size_t workers_count, double *units,
                                         struct ls_error *err) {
  uint64_t *whole = calloc(workers_count, sizeof *whole);
  if (whole == NULL) return ls_fail(err, LS_ENOMEM, "no memory to round %zu loads", workers_count);
  enum ls_status status = ls_load_round(scenario->units, workers_count, total, whole, err);
  for (size_t i = 0; i < workers_count && status == LS_OK; i++) units[i] = (double)whole[i];
  free(whole);
  return status;
}

static bool may_have(const struct ls_returns *returns, size_t worker, double units) {
  return returns->limits == NULL || units <= returns->limits[worker].most;
}

/* (b): the worker that ends the plan soonest with one unit more, ties to the lower number. */
static void round_by_delay(const struct ls_returns *returns, const struct ls_scenario *scenario,
                           uint64_t total, double *units) {
  double given = 0;
  for (size_t i = 0; i < returns->count; i++) {
    units[i] = round_down(scenario->units[i]);
    given += units[i];
  }
  for (; given < (double)total; given++) {
    size_t best = returns->count;
    double best_s = HUGE_VAL;
    for (size_t i = 0; i < returns->count; i++) {
      if (!(scenario->units[i] > 0) || !may_have(returns, i, units[i] + 1)) continue;
      units[i]++;
      double makespan_s = ls_returns_makespan(returns, scenario, units);
      units[i]--;
      if (makespan_s < best_s) {
        best_s = makespan_s;
        best = i;
      }
    }
    if (best == returns->count) return;
    units[best]++;
  }
}

enum ls_status ls_returns_round(const struct ls_returns *returns,
                                const struct ls_scenario *scenario, uint64_t total, double *units,
                                struct ls_error *err) {
  double *other = calloc(returns->count, sizeof *other);
  if (other == NULL) return ls_fail(err, LS_ENOMEM, "no memory to round %zu loads", returns->count);
  enum ls_status status = round_by_remainder(scenario, total, returns->count, units, err);
  if (status == LS_OK && scenario->count <= GREEDY_WORKERS_MAX) {
    round_by_delay(returns, scenario, total, other);
    double given = 0;
    for (size_t i = 0; i < returns->count; i++) given += other[i];
    bool is_whole = fabs(given - (double)total) < 0.5;
    if (is_whole && ls_returns_makespan(returns, scenario, other) <
                        ls_returns_makespan(returns, scenario, units))
      memcpy(units, other, returns->count * sizeof *units);
  }
  free(other);
  return status;
}

static double add_units(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < returns->count; i++) ls_sum_add(&sum, scenario->units[i]);
  return ls_sum_value(&sum);
}

/* Removes what is rounding noise and rescales to the load. */
static void clean_units(const struct ls_returns *returns, struct ls_scenario *scenario) {
  double negligible = 1e-13 * add_units(returns, scenario);
  for (size_t i = 0; i < returns->count; i++) {
    if (!(scenario->units[i] > negligible)) scenario->units[i] = 0;
  }
  double scale = returns->load / add_units(returns, scenario);
  for (size_t i = 0; i < returns->count; i++) scenario->units[i] *= scale;
}

/* No worker can be later than this: docs/theory/returns.md, 7, whole units. */
static double sum_units(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  double transfers_s = 0, compute_s = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    transfers_s += worker->send_s + worker->reply_s;
    compute_s = fmax(compute_s, worker->compute_s);
  }
  return transfers_s + compute_s;
}

/* The same for latencies. */
double ls_returns_latencies(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  double transfers_s = 0, compute_s = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    if (!(scenario->units[scenario->sends[k]] > 0)) continue;
    transfers_s += worker->send_latency_s + worker->reply_latency_s;
    compute_s = fmax(compute_s, worker->compute_latency_s);
  }
  return transfers_s + compute_s;
}

static enum ls_status add_chunks(const struct ls_scenario *scenario, const double *units,
                                 size_t workers_count, struct ls_plan *plan, struct ls_error *err) {
  size_t *places = calloc(workers_count, sizeof *places);
  if (places == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", workers_count);
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->sends[k];
    if (!(units[worker] > 0)) continue;
    places[worker] = plan->chunks_count;
    ls_plan_add(plan, worker, 0, units[worker]);
  }
  ls_plan_order_returns(plan);
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->returns[k];
    if (units[worker] > 0) ls_plan_add_return(plan, places[worker]);
  }
  free(places);
  return LS_OK;
}

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Without latencies and with parts of units nothing in these orders ends sooner. */
static double find_least_s(const struct ls_returns_verdict *verdict) {
  bool is_loose = verdict->linear_s > 0 && verdict->linear_s < verdict->makespan_s;
  return is_loose ? verdict->linear_s : verdict->makespan_s;
}

/* The verdict on parts of units, said of whole ones: they are proven when rounding lost nothing,
 * else they may lag by the loss of rounding, too. */
static void judge_rounding(const struct ls_returns *returns, const struct ls_scenario *scenario,
                           const double *units, struct ls_returns_verdict *verdict) {
  double makespan_s = ls_returns_makespan(returns, scenario, units);
  verdict->is_proven =
      verdict->is_proven && makespan_s <= find_least_s(verdict) * (1 + ROUNDING_LOST_NOTHING);
  verdict->gap = fmax(0, (1 + verdict->gap) * (makespan_s / verdict->makespan_s) - 1);
}

static enum ls_status set_parameters(const struct ls_returns *returns,
                                     const struct ls_scenario *scenario,
                                     const struct ls_returns_verdict *verdict, struct ls_plan *plan,
                                     struct ls_error *err) {
  uint32_t *enrolled = calloc(scenario->count + 1, sizeof *enrolled);
  if (enrolled == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu names", scenario->count);
  memcpy(enrolled, scenario->sends, scenario->count * sizeof *enrolled);
  qsort(enrolled, scenario->count, sizeof *enrolled, compare_numbers);
  double predicted_s = verdict->makespan_s;
  ls_plan_set(plan, "throughput", returns->load / predicted_s);
  ls_plan_set(plan, "predicted_makespan", predicted_s);
  ls_plan_set_list(plan, "enrolled", enrolled, scenario->count);
  ls_plan_set_list(plan, "send_order", scenario->sends, scenario->count);
  ls_plan_set_list(plan, "return_order", scenario->returns, scenario->count);
  ls_plan_set_flag(plan, "proven", verdict->is_proven);
  if (verdict->is_search) {
    if (isfinite(verdict->gap)) ls_plan_set(plan, "search_gap", verdict->gap);
    if (verdict->nodes > 0) ls_plan_set(plan, "nodes", (double)verdict->nodes);
  }
  if (verdict->why != NULL) ls_plan_set_text(plan, "why", verdict->why);
  /* The makespan lies between these two, by the costs of rounding and of latencies. */
  if (returns->is_whole) {
    if (verdict->has_least) ls_plan_set(plan, "makespan_at_least", find_least_s(verdict));
    ls_plan_set(plan, "makespan_at_most", predicted_s + verdict->rounding_s);
  } else if (verdict->linear_s > 0) {
    ls_plan_set(plan, "linear_makespan", verdict->linear_s);
    if (returns->limits == NULL)
      ls_plan_set(plan, "linear_makespan_and_latencies", verdict->linear_s + verdict->latencies_s);
  }
  free(enrolled);
  return LS_OK;
}

enum ls_status ls_returns_emit(const struct ls_returns *returns, struct ls_scenario *scenario,
                               const struct ls_returns_verdict *verdict, struct ls_plan *plan,
                               struct ls_error *err) {
  clean_units(returns, scenario);
  ls_scenario_compact(scenario);
  double *units = calloc(returns->count, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu loads", returns->count);
  enum ls_status status = LS_OK;
  struct ls_returns_verdict judged = *verdict;
  if (!returns->is_whole) {
    memcpy(units, scenario->units, returns->count * sizeof *units);
  } else {
    judged.rounding_s = sum_units(returns, scenario);
    judged.has_least = verdict->is_proven || returns->freedom == LS_RETURNS_GIVEN_ORDERS;
    status = ls_load_check_whole(returns->load, err);
    if (status == LS_OK)
      status = ls_returns_round(returns, scenario, (uint64_t)returns->load, units, err);
    if (status == LS_OK) status = ls_returns_improve_whole(returns, scenario, units, err);
  }
  if (status == LS_OK) status = add_chunks(scenario, units, returns->count, plan, err);
  if (status == LS_OK && returns->is_whole) judge_rounding(returns, scenario, units, &judged);
  if (status == LS_OK) status = set_parameters(returns, scenario, &judged, plan, err);
  free(units);
  return status;
}

/* The best loads of FIFO or LIFO orders without latencies, where zeros tell which ones are out. */
static enum ls_status bound_orders(const struct ls_returns *returns,
                                   const struct ls_scenario *scenario,
                                   struct ls_returns_verdict *verdict, struct ls_error *err) {
  struct ls_scenario linear;
  enum ls_status status = ls_scenario_open(&linear, returns->count, err);
  if (status != LS_OK) return status;
  ls_scenario_copy(&linear, scenario, returns->count);
  status = ls_returns_program(returns, &linear, err);
  if (status == LS_OK) {
    verdict->linear_s = returns->load / linear.throughput;
    verdict->latencies_s = ls_returns_latencies(returns, &linear);
  }
  ls_scenario_close(&linear);
  return status;
}

enum ls_status ls_returns_improve(const struct ls_returns *returns,
                                  const struct ls_returns_search *search,
                                  struct ls_scenario *scenario, struct ls_returns_verdict *verdict,
                                  struct ls_error *err) {
  struct ls_scenario found;
  enum ls_status status = ls_scenario_open(&found, returns->count, err);
  if (status != LS_OK) return status;
  ls_scenario_copy(&found, search->listed != NULL ? search->listed : scenario, returns->count);
  if (returns->limits != NULL)
    memcpy(found.units, scenario->units, returns->count * sizeof *found.units);
  status = search->run(returns, &found, verdict, err);
  if (status == LS_OK && isfinite(verdict->makespan_s)) {
    ls_scenario_copy(scenario, &found, returns->count);
  } else if (status == LS_OK) {
    verdict->makespan_s = returns->load / scenario->throughput;
    verdict->is_proven = false;
  }
  ls_scenario_close(&found);
  return status;
}

/* Too many workers for the programs, or none of their subsets was found: all workers stand in the
 * orders, those that can hold the load are enrolled, and loads outside the limits are clamped, what
 * that takes or leaves going to the others. Where that is not found either nothing changes. */
static enum ls_status hold_load(const struct ls_returns *returns, struct ls_scenario *scenario,
                                struct ls_returns_verdict *verdict, struct ls_error *err) {
  bool *is_enrolled = calloc(returns->count, sizeof *is_enrolled);
  if (is_enrolled == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", returns->count);
  if (!(verdict->linear_s > 0)) verdict->linear_s = returns->load / scenario->throughput;
  ls_scenario_list_others(scenario, returns->count);
  for (size_t i = 0; i < returns->count; i++) is_enrolled[i] = scenario->units[i] > 0;
  if (ls_returns_enrol(returns, scenario, is_enrolled)) {
    double scale = returns->load / add_units(returns, scenario);
    ls_scenario_keep(scenario, is_enrolled);
    for (size_t i = 0; i < returns->count; i++) scenario->units[i] *= scale;
    ls_returns_settle(returns, scenario);
    verdict->makespan_s = ls_returns_makespan(returns, scenario, scenario->units);
  }
  free(is_enrolled);
  return LS_OK;
}

enum ls_status ls_returns_finish(const struct ls_returns *returns, struct ls_scenario *scenario,
                                 bool is_proven, struct ls_plan *plan, struct ls_error *err) {
  bool fits = ls_returns_fits(returns, scenario);
  bool is_affine = returns->has_latency || !fits;
  struct ls_returns_verdict verdict = {.makespan_s = returns->load / scenario->throughput,
                                       .is_proven = is_proven && !is_affine};
  enum ls_status status = LS_OK;
  if (returns->has_latency && returns->limits == NULL) {
    if (scenario->count > LS_RETURNS_AFFINE_MAX) ls_scenario_compact(scenario);
    if (scenario->count > LS_RETURNS_AFFINE_MAX) {
      status = ls_returns_load_many(returns, scenario, &verdict, err);
      return status == LS_OK ? ls_returns_emit(returns, scenario, &verdict, plan, err) : status;
    }
  }
  if (returns->has_latency) status = ls_returns_keep_largest(scenario, LS_RETURNS_AFFINE_MAX, err);
  bool is_small = scenario->count <= LS_RETURNS_AFFINE_MAX;
  bool is_bounded = is_affine || (returns->is_whole && !is_proven);
  if (status == LS_OK && is_bounded && is_small)
    status = bound_orders(returns, scenario, &verdict, err);
  if (status == LS_OK && is_affine && is_small) {
    if (returns->limits != NULL && returns->count <= LS_RETURNS_AFFINE_MAX)
      ls_scenario_list_others(scenario, returns->count);
    const struct ls_returns_search search = {.run = ls_returns_affine_enrolled};
    status = ls_returns_improve(returns, &search, scenario, &verdict, err);
    /* The best subset in these orders; others may be better. */
    verdict.is_proven = false;
  }
  if (status == LS_OK && !ls_returns_fits(returns, scenario))
    status = hold_load(returns, scenario, &verdict, err);
  if (status != LS_OK) return status;
  return ls_returns_emit(returns, scenario, &verdict, plan, err);
}
