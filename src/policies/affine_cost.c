#include "policies/affine_cost.h"

#include <math.h>

/* Deviations beyond twice the expected time that a time may count with. */
static const double DEVIATIONS_MOST = 8;
/* The variation to begin with, and how many chunks it weighs as much as. */
static const double VARIATION_PRIOR = 1, VARIATION_CHUNKS = 2;
/* Zero times would make a worker infinitely fast, and endless ones leave no sums. */
static const double SECONDS_LEAST = 1e-9, SECONDS_MOST = 1e15;
/* Sizes closer than this (relative, of squares) are one size. */
static const double SIZES_APART = 1e-6;

void ls_affine_cost_init(struct ls_affine_cost *cost) {
  *cost = (struct ls_affine_cost){.variation = VARIATION_PRIOR};
}

double ls_affine_cost_rate(const struct ls_affine_sums *sums, double start_units) {
  if (!(sums->chunks > 0)) return 0;
  return (sums->chunks * start_units + sums->units) / sums->seconds;
}

void ls_affine_cost_observe(struct ls_affine_sums *sums, const struct ls_affine_cost *cost,
                            double units, double seconds) {
  double counted_s = fmin(fmax(seconds, SECONDS_LEAST), SECONDS_MOST);
  double rate = ls_affine_cost_rate(sums, cost->start_units);
  if (rate > 0) {
    double spread = fmax(cost->variation, VARIATION_PRIOR) * sqrt(units);
    double most = 2 * (cost->start_units + units) + DEVIATIONS_MOST * spread;
    counted_s = fmin(counted_s, most / rate);
  }
  sums->inverse += 1 / units;
  sums->chunks += 1;
  sums->units += units;
  sums->pace += counted_s / units;
  sums->seconds += counted_s;
  sums->squares += counted_s * (counted_s / units);
}

/* With weights 1/k the determinant of the normal equations; 0: all chunks have one size. */
static double measure_sizes(const struct ls_affine_sums *sums) {
  double whole = sums->inverse * sums->units;
  double determinant = whole - sums->chunks * sums->chunks;
  return determinant > SIZES_APART * whole ? determinant : 0;
}

void ls_affine_cost_pool(struct ls_affine_pool *pool, const struct ls_affine_sums *sums,
                         double start_units) {
  double rate = ls_affine_cost_rate(sums, start_units);
  if (!(measure_sizes(sums) > 0)) return;
  pool->tellers++;
  pool->sums.inverse += sums->inverse;
  pool->sums.chunks += sums->chunks;
  pool->sums.units += sums->units;
  pool->sums.pace += rate * sums->pace;
  pool->sums.seconds += rate * sums->seconds;
  pool->sums.squares += rate * rate * sums->squares;
}

/* The line y = start + slope k through times that are counted in units; neither is below 0. */
void ls_affine_cost_fit(struct ls_affine_cost *cost, const struct ls_affine_pool *pool) {
  const struct ls_affine_sums *sums = &pool->sums;
  double determinant = measure_sizes(sums);
  if (!(determinant > 0)) return;
  double start = (sums->units * sums->pace - sums->chunks * sums->seconds) / determinant;
  double slope = (sums->inverse * sums->seconds - sums->chunks * sums->pace) / determinant;
  if (!(start > 0)) {
    start = 0;
    slope = sums->seconds / sums->units;
  } else if (!(slope > 0)) {
    start = sums->pace / sums->inverse;
    slope = SECONDS_LEAST * start;
  }
  double residue = sums->squares - 2 * start * sums->pace - 2 * slope * sums->seconds +
                   start * start * sums->inverse + 2 * start * slope * sums->chunks +
                   slope * slope * sums->units;
  /* Each worker spends one of its chunks on its rate, and all of them one on the start. */
  double spare = fmax(0, sums->chunks - pool->tellers - 1);
  double prior = VARIATION_CHUNKS * VARIATION_PRIOR * VARIATION_PRIOR;
  cost->start_units = start / slope;
  cost->variation = sqrt((fmax(0, residue) / (slope * slope) + prior) / (spare + VARIATION_CHUNKS));
  cost->is_fitted = true;
}
