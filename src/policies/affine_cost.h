/* affine_cost.h: what a chunk costs: a start and a time for each unit, learnt from whole chunks.
 *
 * A chunk of k units takes a worker (s + k) / r seconds and a deviation of v sqrt(k) / r: r is its
 * rate in units per second, s the start in units (start seconds over seconds per unit), v the
 * deviation of a unit's time over its mean.  Rates are each worker's own; s and v are common: a
 * slower worker starts as much more slowly as it computes.  Least squares with weights 1 / k, whose
 * sums are kept by worker, so that a chunk costs a few additions.  Only a worker whose chunks had
 * different sizes tells the start from the rate.  Values: they own no memory, and {0} has heard
 * nothing.
 */
#ifndef LS_POLICIES_AFFINE_COST_H
#define LS_POLICIES_AFFINE_COST_H

#include <stdbool.h>

/* Of a worker's chunks: sums of 1/k, 1, k, t/k, t, t^2/k. */
struct ls_affine_sums {
  double inverse, chunks, units, pace, seconds, squares;
};

/* The sums of all workers whose chunks tell sizes apart, seconds times the rate of each. */
struct ls_affine_pool {
  struct ls_affine_sums sums;
  double tellers; /* the workers, each of which has a rate of its own */
};

struct ls_affine_cost {
  double start_units; /* s; 0 until is_fitted */
  double variation;   /* v */
  bool is_fitted;
};

/* Before anything is known: times as of a Poisson process. */
void ls_affine_cost_init(struct ls_affine_cost *cost);
/* One more chunk of the worker, of `units` >= 1.  A time that is far beyond what the worker has
 * shown (one giant among its units) counts up to twice that and eight deviations. */
void ls_affine_cost_observe(struct ls_affine_sums *sums, const struct ls_affine_cost *cost,
                            double units, double seconds);
/* Units per second; 0: nothing was heard of it. */
double ls_affine_cost_rate(const struct ls_affine_sums *sums, double start_units);
/* Adds a worker to the pool, by its rate at this start; ignores one that tells nothing. */
void ls_affine_cost_pool(struct ls_affine_pool *pool, const struct ls_affine_sums *sums,
                         double start_units);
/* Start and variation by the pool; an empty one changes nothing. */
void ls_affine_cost_fit(struct ls_affine_cost *cost, const struct ls_affine_pool *pool);

#endif
