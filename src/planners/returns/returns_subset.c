/* returns_subset.c: which of the listed workers to enrol in a pair of orders.
 *
 * Reference:  docs/theory/returns.md, 1 (rows of unused workers) and docs/theory/returns.md, 7
 *             (latencies).
 * Assumes:    a pair of orders of the same workers.
 * Answers:    the subset of them whose own program is best: all subsets to 12 workers, beyond that
 *             dropping and adding single workers while it helps, which proves nothing; no worker
 *             and an infinite makespan where windows and rooms leave none.
 * Cost:       2^p programs, or p programs for each worker dropped or added.
 * Symbols:    none.
 */

#include "planners/returns/returns_subset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/returns_program.h"

enum { ALL_SUBSETS_MAX = 12, TRIED_WORKERS_MAX = 64 };

struct choice {
  const struct ls_returns *returns;
  struct ls_scenario listed, candidate, best;
  bool *is_enrolled; /* by worker */
  bool is_affine;    /* programs have latencies, and the load matters */
  double value;      /* of the best: throughput, or minus the makespan */
  double makespan_s; /* of the best, with latencies */
  bool is_stopped;   /* before it was through */
};

static bool is_over(struct choice *choice) {
  choice->is_stopped = ls_budget_is_spent(choice->returns->budget);
  return choice->is_stopped;
}

static enum ls_status open_choice(struct choice *choice, const struct ls_returns *returns,
                                  const struct ls_scenario *scenario, bool is_affine,
                                  struct ls_error *err) {
  *choice = (struct choice){.returns = returns, .is_affine = is_affine, .value = -HUGE_VAL};
  enum ls_status status = ls_scenario_open(&choice->listed, returns->count, err);
  if (status == LS_OK) status = ls_scenario_open(&choice->candidate, returns->count, err);
  if (status == LS_OK) status = ls_scenario_open(&choice->best, returns->count, err);
  choice->is_enrolled = calloc(returns->count, sizeof *choice->is_enrolled);
  if (status == LS_OK && choice->is_enrolled == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", returns->count);
  if (status == LS_OK) ls_scenario_copy(&choice->listed, scenario, returns->count);
  return status;
}

static void close_choice(struct choice *choice) {
  ls_scenario_close(&choice->listed);
  ls_scenario_close(&choice->candidate);
  ls_scenario_close(&choice->best);
  free(choice->is_enrolled);
}

/* The orders restricted to the enrolled. */
static void restrict_orders(struct choice *choice) {
  size_t sends = 0, returned = 0;
  for (size_t k = 0; k < choice->listed.count; k++) {
    uint32_t worker = choice->listed.sends[k], back = choice->listed.returns[k];
    if (choice->is_enrolled[worker]) choice->candidate.sends[sends++] = worker;
    if (choice->is_enrolled[back]) choice->candidate.returns[returned++] = back;
  }
  choice->candidate.count = sends;
}

/* Solves the program of the enrolled; *is_better: it is the new best. */
static enum ls_status try_enrolled(struct choice *choice, bool *is_better, struct ls_error *err) {
  restrict_orders(choice);
  *is_better = false;
  if (choice->candidate.count == 0) return LS_OK;
  double makespan_s = 0;
  ls_budget_spend(choice->returns->budget, 1);
  enum ls_status status =
      choice->is_affine ? ls_returns_affine(choice->returns, &choice->candidate, &makespan_s, err)
                        : ls_returns_program(choice->returns, &choice->candidate, err);
  if (status != LS_OK) return status;
  double value = choice->is_affine ? -makespan_s : choice->candidate.throughput;
  if (isinf(value) || !(value > choice->value + 1e-13 * fabs(choice->value))) {
    if (!(isinf(choice->value) && isfinite(value))) return LS_OK;
  }
  choice->value = value;
  choice->makespan_s = makespan_s;
  ls_scenario_copy(&choice->best, &choice->candidate, choice->returns->count);
  *is_better = true;
  return LS_OK;
}

/* Larger subsets first, so that of equals the one with more workers stays. */
static enum ls_status try_all(struct choice *choice, struct ls_error *err) {
  size_t count = choice->listed.count;
  enum ls_status status = LS_OK;
  for (uint32_t left_out = 0; left_out + 1 < (uint32_t)1 << count && status == LS_OK; left_out++) {
    bool is_better;
    if (is_over(choice)) break;
    for (size_t k = 0; k < count; k++)
      choice->is_enrolled[choice->listed.sends[k]] = ((left_out >> k) & 1) == 0;
    status = try_enrolled(choice, &is_better, err);
  }
  return status;
}

/* One pass of dropping or adding each worker; *has_changed: one helped. */
static enum ls_status try_neighbours(struct choice *choice, bool *has_changed,
                                     struct ls_error *err) {
  enum ls_status status = LS_OK;
  *has_changed = false;
  for (size_t k = 0; k < choice->listed.count && status == LS_OK; k++) {
    bool is_better;
    if (is_over(choice)) break;
    bool *is_enrolled = &choice->is_enrolled[choice->listed.sends[k]];
    *is_enrolled = !*is_enrolled;
    status = try_enrolled(choice, &is_better, err);
    if (is_better)
      *has_changed = true;
    else
      *is_enrolled = !*is_enrolled;
  }
  return status;
}

/* Limits may ask for other workers: those that can hold the load; false: there are none. */
static bool enrol_within_limits(struct choice *choice) {
  restrict_orders(choice);
  if (!choice->is_affine || ls_returns_can_hold(choice->returns, &choice->candidate)) return true;
  return ls_returns_enrol(choice->returns, &choice->listed, choice->is_enrolled);
}

/* With latencies a large set may leave a worker idle, which counts as no schedule at all.  So the
 * search starts from the workers that are loaded without latencies, where they are known, and drops
 * those that get nothing. */
static enum ls_status shrink(struct choice *choice, struct ls_error *err) {
  bool is_better = false, has_units = false;
  const struct ls_scenario *listed = &choice->listed;
  for (size_t k = 0; k < listed->count; k++)
    has_units = has_units || listed->units[listed->sends[k]] > 0;
  for (size_t k = 0; k < listed->count; k++)
    choice->is_enrolled[listed->sends[k]] = !has_units || listed->units[listed->sends[k]] > 0;
  if (!enrol_within_limits(choice)) return LS_OK;
  enum ls_status status = try_enrolled(choice, &is_better, err);
  while (status == LS_OK && !is_better && choice->candidate.count > 1) {
    uint32_t least = choice->candidate.sends[0];
    for (size_t k = 0; k < choice->candidate.count; k++) {
      uint32_t worker = choice->candidate.sends[k];
      if (choice->candidate.units[worker] < choice->candidate.units[least]) least = worker;
    }
    for (size_t k = 0; k < choice->candidate.count; k++) {
      uint32_t worker = choice->candidate.sends[k];
      if (!(choice->candidate.units[worker] > 1e-12 * choice->returns->load))
        choice->is_enrolled[worker] = false;
    }
    choice->is_enrolled[least] = false;
    restrict_orders(choice);
    if (choice->candidate.count == 0) choice->is_enrolled[least] = true;
    status = try_enrolled(choice, &is_better, err);
  }
  return status;
}

/* However soon it is stopped, there is a schedule. */
static enum ls_status search_subsets(struct choice *choice, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (choice->listed.count <= ALL_SUBSETS_MAX) {
    status = try_all(choice, err);
    bool has_none = choice->best.count == 0;
    return status == LS_OK && has_none ? shrink(choice, err) : status;
  }
  status = shrink(choice, err);
  bool has_changed = choice->best.count <= TRIED_WORKERS_MAX;
  while (status == LS_OK && has_changed && !choice->is_stopped)
    status = try_neighbours(choice, &has_changed, err);
  return status;
}

static void conclude(const struct choice *choice, struct ls_scenario *scenario,
                     struct ls_returns_verdict *verdict) {
  const struct ls_returns *returns = choice->returns;
  ls_scenario_copy(scenario, &choice->best, returns->count);
  if (!choice->is_affine) ls_scenario_compact(scenario);
  verdict->makespan_s =
      choice->is_affine ? choice->makespan_s : returns->load / scenario->throughput;
  if (scenario->count == 0) verdict->makespan_s = HUGE_VAL;
  verdict->is_proven = choice->listed.count <= ALL_SUBSETS_MAX && !choice->is_stopped;
}

static enum ls_status choose(const struct ls_returns *returns, struct ls_scenario *scenario,
                             bool is_affine, struct ls_returns_verdict *verdict,
                             struct ls_error *err) {
  struct choice choice;
  enum ls_status status = open_choice(&choice, returns, scenario, is_affine, err);
  if (status == LS_OK) status = search_subsets(&choice, err);
  if (status == LS_OK) conclude(&choice, scenario, verdict);
  close_choice(&choice);
  return status;
}

enum ls_status ls_returns_enrolled(const struct ls_returns *returns, struct ls_scenario *scenario,
                                   struct ls_returns_verdict *verdict, struct ls_error *err) {
  return choose(returns, scenario, false, verdict, err);
}

enum ls_status ls_returns_affine_enrolled(const struct ls_returns *returns,
                                          struct ls_scenario *scenario,
                                          struct ls_returns_verdict *verdict,
                                          struct ls_error *err) {
  return choose(returns, scenario, true, verdict, err);
}
