/* The reference of the bound of bins is martello1990, 8.3: for a threshold t at most half of the
 * capacity c, sizes above c - t are alone, those above c / 2 are in bins of their own, and those
 * from t on fill only what these leave.
 */
#include "planners/pack/pack_bound.h"

#include <math.h>

#include "base/statistics.h"

/* Bisections of a makespan: it is known to a millionth of the interval then. */
enum { STEPS = 40 };

/* Times in whole grains are exact up to here; what is nearer to a grain than that is one. */
#define WHOLE_MOST     1e12
#define GRAIN_ROUNDING 1e-4

static double bound_of_work(const struct ls_pack_problem *problem) {
  struct ls_sum work = {0}, speed = {0};
  double bound_s = 0;
  for (size_t k = 0; k < problem->shards && k < problem->tasks; k++) {
    ls_sum_add(&work, problem->seconds[k]);
    ls_sum_add(&speed, problem->speeds[k]);
    bound_s = fmax(bound_s, ls_sum_value(&work) / ls_sum_value(&speed));
  }
  for (size_t i = problem->shards; i < problem->tasks; i++) ls_sum_add(&work, problem->seconds[i]);
  for (size_t k = problem->tasks; k < problem->shards; k++) ls_sum_add(&speed, problem->speeds[k]);
  return fmax(bound_s, ls_sum_value(&work) / ls_sum_value(&speed));
}

/* Of the i K + 1 longest, the i + 1 shortest are the least that can be together. */
static double bound_of_pigeonholes(const struct ls_pack_problem *problem) {
  double bound_s = 0;
  for (size_t i = 1; i < problem->tasks / problem->shards + 1; i++) {
    size_t last = i * problem->shards;
    if (last >= problem->tasks || i > problem->shards) break;
    double together = 0;
    for (size_t k = 0; k <= i; k++) together += problem->seconds[last - k];
    bound_s = fmax(bound_s, together / problem->speeds[0]);
  }
  return bound_s;
}

/* Of what all times are multiples, as far as they are written with so many digits; 0: of nothing.
 */
static double find_grain(const struct ls_pack_problem *problem) {
  double scale = 1;
  for (int digits = 0; digits <= 6; digits++, scale *= 10) {
    size_t i = 0;
    if (problem->seconds[0] * scale > WHOLE_MOST) return 0;
    while (i < problem->tasks) {
      double scaled = problem->seconds[i] * scale;
      if (fabs(scaled - floor(scaled + 0.5)) > GRAIN_ROUNDING) break;
      i++;
    }
    if (i == problem->tasks) return 1 / scale;
  }
  return 0;
}

/* What the shards hold of whole grains until then. */
static double grains_until(const struct ls_pack_problem *problem, double makespan_s, double grain) {
  double grains = 0;
  for (size_t k = 0; k < problem->shards; k++)
    grains +=
        floor(makespan_s * problem->speeds[k] / grain * (1 + LS_PACK_ROUNDING) + GRAIN_ROUNDING);
  return grains;
}

/* No shard ends between two grains: the least makespan from the bound on until which all grains of
 * work have room. */
static double round_to_grains(const struct ls_pack_problem *problem, double bound_s) {
  double grain = find_grain(problem), work = 0;
  if (!(grain > 0)) return bound_s;
  for (size_t i = 0; i < problem->tasks; i++) work += floor(problem->seconds[i] / grain + 0.5);
  if (work > WHOLE_MOST) return bound_s;
  double from_s = bound_s, to_s = bound_s;
  for (double step_s = grain / problem->speeds[0]; grains_until(problem, to_s, grain) < work;
       step_s *= 2)
    to_s += step_s;
  for (int step = 0; step < 2 * STEPS && to_s - from_s > from_s * LS_PACK_ROUNDING / 16; step++) {
    double middle_s = from_s + (to_s - from_s) / 2;
    if (grains_until(problem, middle_s, grain) < work)
      from_s = middle_s;
    else
      to_s = middle_s;
  }
  /* Some shard ends at a grain, and with it all. */
  double next_s = to_s * 2;
  for (size_t k = 0; k < problem->shards; k++) {
    double step_s = grain / problem->speeds[k];
    next_s = fmin(next_s, ceil(from_s / step_s - GRAIN_ROUNDING) * step_s);
  }
  return fmax(bound_s, next_s);
}

double ls_pack_bound(const struct ls_pack_problem *problem) {
  double bound_s = bound_of_work(problem);
  if (ls_pack_is_uniform(problem)) bound_s = fmax(bound_s, bound_of_pigeonholes(problem));
  return round_to_grains(problem, bound_s);
}

/* For a threshold: `alone` sizes are above capacity - threshold, `large` above half of it; `work`
 * is that of all sizes from the threshold on that are not alone. */
static size_t bins_at(size_t alone, size_t large, double work, double capacity) {
  double rest = work - (double)(large - alone) * capacity;
  if (!(rest > 0)) return large;
  return large + (size_t)ceil(rest / capacity * (1 - LS_PACK_ROUNDING) - LS_PACK_ROUNDING);
}

size_t ls_pack_bins_least(const double *sizes, size_t count, double capacity) {
  size_t large = 0;
  while (large < count && sizes[large] > capacity / 2 * (1 + LS_PACK_ROUNDING)) large++;
  size_t alone = large, last = large, most = large;
  /* From the large thresholds to 0: fewer are alone, and more sizes count. The large ones count
   * from the threshold on at which they are not alone. */
  struct ls_sum counted = {0};
  while (last < count) {
    double threshold = sizes[last];
    while (last < count && !(sizes[last] < threshold)) ls_sum_add(&counted, sizes[last++]);
    while (alone > 0 && !(sizes[alone - 1] > (capacity - threshold) * (1 + LS_PACK_ROUNDING)))
      ls_sum_add(&counted, sizes[--alone]);
    size_t bins = bins_at(alone, large, ls_sum_value(&counted), capacity);
    if (bins > most) most = bins;
  }
  /* Threshold 0: all work. */
  for (size_t i = 0; i < alone; i++) ls_sum_add(&counted, sizes[i]);
  size_t bins = bins_at(0, 0, ls_sum_value(&counted), capacity);
  return bins > most ? bins : most;
}

double ls_pack_bound_of_bins(const struct ls_pack_problem *problem, double from_s, double to_s) {
  double speed = problem->speeds[0];
  for (int step = 0; step < STEPS && to_s - from_s > from_s * LS_PACK_ROUNDING; step++) {
    double middle_s = from_s + (to_s - from_s) / 2;
    if (ls_pack_bins_least(problem->seconds, problem->tasks, middle_s * speed) > problem->shards)
      from_s = middle_s;
    else
      to_s = middle_s;
  }
  return from_s;
}
