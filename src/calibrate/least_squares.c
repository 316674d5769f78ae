/* least_squares.c: the plain fit, by weight, and the same with no coefficient below 0. */
#include <assert.h>
#include <math.h>

#include "calibrate/affine_fit.h"

/* Sums around the weighted mean, so that no digits are lost far from the origin. */
struct sums {
  double weight, units, seconds; /* means but for the first */
  double squares, products;      /* around the means */
  double raw_squares, raw_products;
};

static double read_weight(const double *weights, size_t i) {
  return weights == NULL ? 1 : weights[i];
}

static struct sums add_up(const struct ls_points *points, const double *weights) {
  struct sums sums = {.weight = 0};
  for (size_t i = 0; i < points->count; i++) {
    double weight = read_weight(weights, i);
    sums.weight += weight;
    sums.units += weight * points->units[i];
    sums.seconds += weight * points->seconds[i];
  }
  if (!(sums.weight > 0)) return sums;
  sums.units /= sums.weight;
  sums.seconds /= sums.weight;
  for (size_t i = 0; i < points->count; i++) {
    double weight = read_weight(weights, i), units = points->units[i];
    double apart = units - sums.units;
    sums.squares += weight * apart * apart;
    sums.products += weight * apart * (points->seconds[i] - sums.seconds);
    sums.raw_squares += weight * units * units;
    sums.raw_products += weight * units * points->seconds[i];
  }
  return sums;
}

static struct ls_cost solve(const struct sums *sums) {
  if (!(sums->weight > 0)) return (struct ls_cost){0, 0};
  /* What rounding leaves of points of one size is no spread. */
  if (!(sums->squares > 1e-20 * sums->raw_squares))
    return (struct ls_cost){0, sums->seconds / sums->units};
  double per_unit_s = sums->products / sums->squares;
  return (struct ls_cost){sums->seconds - per_unit_s * sums->units, per_unit_s};
}

static double add_errors(const struct ls_points *points, const double *weights,
                         const struct ls_cost *law) {
  double sum = 0;
  for (size_t i = 0; i < points->count; i++) {
    double error = points->seconds[i] - law->latency_s - law->per_unit_s * points->units[i];
    sum += read_weight(weights, i) * error * error;
  }
  return sum;
}

struct ls_cost ls_least_squares(const struct ls_points *points, const double *weights) {
  assert(points->count >= 1);
  struct sums sums = add_up(points, weights);
  return solve(&sums);
}

struct ls_cost ls_least_squares_nonnegative(const struct ls_points *points, const double *weights) {
  assert(points->count >= 1);
  struct sums sums = add_up(points, weights);
  struct ls_cost law = solve(&sums);
  if (law.latency_s >= 0 && law.per_unit_s >= 0) return law;
  struct ls_cost slope = {0, fmax(0, sums.raw_products / sums.raw_squares)};
  struct ls_cost constant = {fmax(0, sums.seconds), 0};
  return add_errors(points, weights, &slope) <= add_errors(points, weights, &constant) ? slope
                                                                                       : constant;
}
