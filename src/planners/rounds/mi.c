/* mi.c: Multi-Installment.
 *
 * Reference:  bharadwaj1996, chapter 10, as compared in yang2002, section 6.1.
 * Assumes:    identical workers; no latencies (the plan ignores them, the replay charges them);
 *             results cost nothing.
 * Answers:    NOT_APPLICABLE when the workers differ, when the number of installments is not given
 *             or below 1, when computing costs nothing per unit.
 * Cost:       O(x N).
 * Symbols:    x -> installments, N -> count, s = S/B -> ratio, Q_k -> units (last message first).
 */

#include "planners/rounds/mi.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "planners/planner.h"
#include "planners/star/reduced_star.h"

static const struct ls_parameter mi_parameters[] = {
    {"installments", "chunks per worker", LS_PARAMETER_WHOLE, (double)NAN, 0, 10000, NULL}, {0}};

/* Sizes beyond that are brought down with all others; only their ratios count. */
static const double LARGE = 1e150;

static void shrink(double *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) sizes[i] /= LARGE;
}

void ls_mi_sizes(double ratio, size_t count, size_t installments, double load, double *units) {
  size_t messages = count * installments;
  double *tails = units + messages;
  double *last = units + (messages - 1);
  last[0] = 1;
  for (size_t k = 1; k < count; k++) {
    *(last - k) = (1 + ratio) * *(last - k + 1);
    if (*(last - k) > LARGE) shrink(last - k, k + 1);
  }
  /* The sum of the N messages before one is a tail of the block before plus a head of its own, so
   * nothing is ever subtracted and small sizes keep their digits. */
  for (size_t block = count; block < messages; block += count) {
    double tail = 0, head = 0;
    for (size_t j = count; j-- > 0;) {
      tail += *(last - (block - count + j));
      tails[j] = tail;
    }
    for (size_t j = 0; j < count; j++) {
      double size = ratio * (tails[j] + head);
      *(last - (block + j)) = size;
      head += size;
      if (size > LARGE) {
        shrink(last - (block + j), block + j + 1);
        shrink(tails, count);
        head /= LARGE;
      }
    }
  }
  struct ls_sum sum = {0};
  for (size_t i = 0; i < messages; i++) ls_sum_add(&sum, units[i]);
  double scale = load / ls_sum_value(&sum);
  for (size_t i = 0; i < messages; i++) units[i] *= scale;
}

static enum ls_status add_chunks(const struct ls_reduced_star *workers, size_t installments,
                                 struct ls_plan *plan, struct ls_error *err) {
  const struct ls_star_worker *worker = &workers->items[0];
  size_t count = workers->count;
  enum ls_status status = ls_star_reserve(plan, installments * count, err);
  if (status != LS_OK) return status;
  double *units = calloc(count, (installments + 1) * sizeof *units);
  if (units == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu installments for %zu workers", installments,
                   count);
  }
  ls_mi_sizes(worker->send_per_unit_s / worker->compute_per_unit_s, count, installments, plan->load,
              units);
  for (size_t round = 0; round < installments; round++) {
    for (size_t i = 0; i < count; i++) {
      double size = units[round * count + i];
      /* Early installments of a slow worker on a fast network may be too small for a number. */
      if (size > 0) ls_plan_add(plan, (uint32_t)i, (uint32_t)round, size);
    }
  }
  free(units);
  return LS_OK;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  double installments = ls_arguments_get(&setup->arguments, mi_parameters, "installments");
  if (isnan(installments))
    return ls_planner_refuse(why, "the number of installments is not given (mi:X)");
  if (!(installments >= 1)) return ls_planner_refuse(why, "the number of installments is below 1");
  return ls_reduced_star_is_alike(setup->platform, why) &&
         ls_reduced_star_keeps_busy(setup->platform, why);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  double installments = ls_arguments_get(&setup->arguments, mi_parameters, "installments");
  struct ls_reduced_star workers;
  struct ls_star_notes notes = {0};
  (void)budget;
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  status = add_chunks(&workers, (size_t)installments, plan, err);
  ls_star_tell(&notes, &workers, plan);
  ls_reduced_star_close(&workers);
  return status;
}

const struct ls_planner ls_planner_mi = {
    .name = "mi",
    .summary = "multi-installment: X rounds of a theory without latencies, identical workers",
    .reference = "bharadwaj1996",
    .parameters = mi_parameters,
    .trial_first = 1,
    .trial_last = 8,
    .ignores_latencies = true,
    .applicable = is_applicable,
    .plan = make_plan,
};
