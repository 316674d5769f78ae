/* next_size.c: sizes by the least variance of predictions, one after another.
 *
 * Reference:  V. Fedorov, Theory of Optimal Experiments, 1972 (a design that is built point by
 *             point; the criterion is the mean variance over a range, relative to the time).
 * Cost:       O(points + count * CANDIDATES^2).
 */
#include "calibrate/next_size.h"

#include <assert.h>
#include <math.h>

enum { CANDIDATES = 33 };
/* A measurement without any known noise is worth as much as one that is one percent off. */
static const double NOISE_SHARE_LEAST = 0.01;
/* What is known before the first measurement: next to nothing, but the matrix has an inverse. */
static const double PRIOR = 1e-9;

/* What is known of latency and rate: the sums of w, w x, w x^2 with w = 1 / variance. */
struct knowledge {
  double weight, units, squares;
};

struct choice {
  const struct ls_affine_fit *fit;
  double sizes[CANDIDATES];
  size_t count;
};

static double predict(const struct ls_affine_fit *fit, double units) {
  return fit->law.latency_s + fit->law.per_unit_s * units;
}

static double find_variance(const struct ls_affine_fit *fit, double units) {
  double seconds = predict(fit, units);
  double noise = fmax(ls_affine_noise(fit, seconds), NOISE_SHARE_LEAST * seconds);
  return noise > 0 ? noise * noise : 1;
}

static void learn(struct knowledge *known, double units, double variance) {
  known->weight += 1 / variance;
  known->units += units / variance;
  known->squares += units * units / variance;
}

/* The mean over the candidates of the prediction's variance, in squares of the time. */
static double judge(const struct choice *choice, const struct knowledge *known) {
  double determinant = known->weight * known->squares - known->units * known->units, sum = 0;
  for (size_t i = 0; i < choice->count; i++) {
    double x = choice->sizes[i], seconds = predict(choice->fit, x);
    double variance = (known->squares - 2 * known->units * x + known->weight * x * x) / determinant;
    sum += seconds > 0 ? variance / (seconds * seconds) : variance;
  }
  return sum;
}

static void list_candidates(struct choice *choice, const struct ls_size_range *range) {
  double step = log(range->most / range->least) / (CANDIDATES - 1);
  for (size_t i = 0; i < CANDIDATES; i++) {
    double size = i + 1 == CANDIDATES ? range->most : range->least * exp((double)i * step);
    if (range->is_whole) size = fmax(1, round(size));
    if (choice->count == 0 || size > choice->sizes[choice->count - 1])
      choice->sizes[choice->count++] = size;
  }
}

void ls_next_sizes(const struct ls_points *points, const struct ls_affine_fit *fit,
                   const struct ls_size_range *range, double *sizes, size_t count) {
  assert(range->least > 0 && range->most >= range->least);
  struct choice choice = {.fit = fit};
  struct knowledge known = {.weight = 0};
  list_candidates(&choice, range);
  for (size_t i = 0; i < points->count; i++)
    learn(&known, points->units[i], find_variance(fit, points->units[i]));
  /* At both ends, so that nothing is certain and everything can be told. */
  learn(&known, range->least, find_variance(fit, range->least) / PRIOR);
  learn(&known, range->most, find_variance(fit, range->most) / PRIOR);
  if (choice.count == 1) known.weight += PRIOR / find_variance(fit, choice.sizes[0]);
  for (size_t i = 0; i < count; i++) {
    struct knowledge best_known = known;
    double best = (double)INFINITY;
    sizes[i] = choice.sizes[0];
    for (size_t j = 0; j < choice.count; j++) {
      struct knowledge next = known;
      learn(&next, choice.sizes[j], find_variance(fit, choice.sizes[j]));
      double left = judge(&choice, &next);
      if (!(left < best)) continue;
      best = left;
      best_known = next;
      sizes[i] = choice.sizes[j];
    }
    known = best_known;
  }
}

struct ls_size_range ls_size_range_around(const struct ls_affine_fit *fit, bool is_whole) {
  double least = fit->units_least / 10;
  if (is_whole) least = fmax(1, round(least));
  return (struct ls_size_range){least, fit->units_most * 10, is_whole};
}
