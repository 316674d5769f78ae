/* one_round.c: one round, each worker one chunk, all end together (the UMR paper's One-Batch).
 *
 * Reference:  rosenberg2001, with the latencies of yang2002, section 6.
 * Assumes:    the master sends one message after another, in the platform's order; results cost
 *             nothing.
 * Answers:    NOT_APPLICABLE when compute.per_unit and transfer.per_unit of one worker are both 0:
 *             it ends together with others at any size.
 * Cost:       O(N) for identical workers, else O(N) for each worker that is dropped, and for more
 *             than 300 that of one_round_drop.c.
 * Symbols:    c_i = p_i x + q_i -> units, W -> load, N -> count.
 */

#include "planners/star/one_round.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "planners/planner.h"
#include "planners/star/one_round_drop.h"
#include "planners/star/reduced_star.h"

/* More different workers than that are first thinned out by one_round_drop.c. */
enum { DROPPED_ONE_BY_ONE = 300 };

/* Identical workers: p and q do not depend on how many are used, so the sums over the first n of
 * them are made once, and the last worker's chunk (the least) decides n. */
static size_t size_identical(const struct ls_star_worker *worker, size_t count, double load,
                             double *scratch, double *units) {
  double *p = scratch, *q = p + count, *p_sums = q + count, *q_sums = p_sums + count;
  double per_unit_s = worker->compute_per_unit_s + worker->send_per_unit_s;
  double ratio = worker->compute_per_unit_s / per_unit_s;
  double step = worker->send_latency_s / per_unit_s;
  struct ls_sum p_sum = {0}, q_sum = {0};
  for (size_t i = 0; i < count; i++) {
    p[i] = i == 0 ? 1 : ratio * p[i - 1];
    q[i] = i == 0 ? 0 : ratio * q[i - 1] - step;
    ls_sum_add(&p_sum, p[i]);
    ls_sum_add(&q_sum, q[i]);
    p_sums[i] = ls_sum_value(&p_sum);
    q_sums[i] = ls_sum_value(&q_sum);
  }
  size_t used = count;
  double x = (load - q_sums[used - 1]) / p_sums[used - 1];
  while (used > 1 && !(p[used - 1] * x + q[used - 1] > 0)) {
    used--;
    x = (load - q_sums[used - 1]) / p_sums[used - 1];
  }
  for (size_t i = 0; i < count; i++) units[i] = i < used ? p[i] * x + q[i] : 0;
  return used;
}

/* The workers still used (whole numbers, exact as doubles), and units = p x + q of each. */
struct chain {
  size_t used;
  double *p, *q, *order;
};

/* p and q, and the x that gives out the whole load. */
static double solve_chain(const struct chain *chain, const struct ls_star_worker *workers,
                          double load) {
  double *p = chain->p, *q = chain->q;
  struct ls_sum p_sum = {0}, q_sum = {0};
  for (size_t k = 0; k < chain->used; k++) {
    p[k] = 1;
    q[k] = 0;
    if (k > 0) {
      const struct ls_star_worker *a = &workers[(size_t)chain->order[k - 1]];
      const struct ls_star_worker *b = &workers[(size_t)chain->order[k]];
      double per_unit_s = b->send_per_unit_s + b->compute_per_unit_s;
      p[k] = p[k - 1] * a->compute_per_unit_s / per_unit_s;
      q[k] = (q[k - 1] * a->compute_per_unit_s + a->compute_latency_s + a->delay_s -
              b->send_latency_s - b->delay_s - b->compute_latency_s) /
             per_unit_s;
    }
    ls_sum_add(&p_sum, p[k]);
    ls_sum_add(&q_sum, q[k]);
  }
  return (load - ls_sum_value(&q_sum)) / ls_sum_value(&p_sum);
}

size_t ls_one_round_sizes(const struct ls_star_worker *workers, size_t count, double load,
                          double *scratch, double *units) {
  if (ls_star_is_identical(workers, count)) {
    return size_identical(&workers[0], count, load, scratch, units);
  }
  struct chain chain = {count, scratch, scratch + count, scratch + 2 * count};
  for (size_t i = 0; i < count; i++) chain.order[i] = (double)i;
  for (;;) {
    double x = solve_chain(&chain, workers, load), least = HUGE_VAL;
    size_t worst = 0;
    for (size_t k = 0; k < chain.used; k++) {
      units[k] = chain.p[k] * x + chain.q[k];
      if (units[k] < least) worst = k;
      least = fmin(least, units[k]);
    }
    if (chain.used == 1 || least > 0) break;
    chain.used--;
    for (size_t k = worst; k < chain.used; k++) chain.order[k] = chain.order[k + 1];
  }
  /* From places in the chain to workers: backwards, since no place is beyond its worker. */
  for (size_t k = chain.used, i = count; i-- > 0;) {
    bool is_used = k > 0 && (size_t)chain.order[k - 1] == i;
    units[i] = is_used ? units[--k] : 0;
  }
  return chain.used;
}

/* The workers that remain of many, in `*kept`, which the caller frees. */
static enum ls_status keep_workers(const struct ls_reduced_star *workers, double load,
                                   struct ls_star_worker **kept, size_t *kept_count,
                                   struct ls_error *err) {
  size_t count = workers->count, found = 0;
  struct ls_star_worker *items = calloc(count, sizeof *items);
  bool *is_dropped = calloc(count, sizeof *is_dropped);
  enum ls_status status = LS_OK;
  if (items == NULL || is_dropped == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  } else {
    status = ls_one_round_drop(workers->items, count, load, is_dropped, err);
  }
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    if (!is_dropped[i]) items[found++] = workers->items[i];
  }
  free(is_dropped);
  if (status != LS_OK) {
    free(items);
    return status;
  }
  *kept = items;
  *kept_count = found;
  return LS_OK;
}

static enum ls_status add_chunks(const struct ls_star_worker *workers, size_t count,
                                 struct ls_plan *plan, size_t *used, struct ls_error *err) {
  double *scratch = calloc(count, 5 * sizeof *scratch);
  if (scratch == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", count);
  double *units = scratch + 4 * count;
  *used = ls_one_round_sizes(workers, count, plan->load, scratch, units);
  for (size_t i = 0; i < count; i++) {
    if (units[i] > 0) ls_plan_add(plan, workers[i].number, 0, units[i]);
  }
  free(scratch);
  return LS_OK;
}

enum ls_status ls_one_round_add(const struct ls_reduced_star *workers, struct ls_star_notes *notes,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_star_worker *kept = NULL;
  size_t count = workers->count, kept_count = count, used = 0;
  enum ls_status status = LS_OK;
  if (count > DROPPED_ONE_BY_ONE && !ls_star_is_identical(workers->items, count)) {
    status = keep_workers(workers, plan->load, &kept, &kept_count, err);
  }
  if (status == LS_OK) {
    status = add_chunks(kept != NULL ? kept : workers->items, kept_count, plan, &used, err);
  }
  if (used < count) {
    ls_star_note(notes, "one round: %zu of %zu workers would get nothing", count - used, count);
  }
  free(kept);
  return status;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_reduced_star_takes_time(setup->platform, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_reduced_star workers;
  struct ls_star_notes notes = {0};
  (void)budget;
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  status = ls_one_round_add(&workers, &notes, plan, err);
  ls_star_tell(&notes, &workers, plan);
  ls_reduced_star_close(&workers);
  return status;
}

const struct ls_planner ls_planner_one_round = {
    .name = "one-round",
    .summary = "one chunk each, all workers end together (One-Batch)",
    .reference = "rosenberg2001",
    .applicable = is_applicable,
    .plan = make_plan,
};
