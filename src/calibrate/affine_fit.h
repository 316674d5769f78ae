/* affine_fit.h: seconds = latency + per_unit * units, from measurements with noise and outliers.
 *
 * The plain form is least squares whose coefficients are not negative (docs/theory/scow.md, 7).
 * The robust form weighs each measurement by the noise at its size, which it learns from the
 * residuals, and gives no weight to outliers; where the spread is so large that it must be the
 * tasks' own, every measurement counts, since the mean is what matters then.  The interval of a
 * coefficient holds the truth in nine cases of ten; it is that of the raw fit, whose coefficients
 * may be negative, so a latency near 0 has an interval that reaches below.
 */
#ifndef LS_CALIBRATE_AFFINE_FIT_H
#define LS_CALIBRATE_AFFINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/platform.h"

LS_C_BEGIN

/* Measurements of one operation. Borrowed; units > 0, seconds >= 0, in any order. */
struct ls_points {
  const double *units, *seconds;
  size_t count;
};

struct ls_interval {
  double least, most;
};

struct ls_affine_fit {
  struct ls_cost law;                       /* coefficients >= 0 */
  struct ls_cost raw;                       /* as the measurements have them */
  struct ls_interval latency_s, per_unit_s; /* 90 %, of the raw fit; NAN: not known */
  size_t count, outliers;                   /* points; those without weight */
  double units_least, units_most;
  double noise_s, noise_share; /* deviation of one point: sqrt(noise_s^2 + (noise_share y)^2) */
  double mean_per_unit_s;      /* all seconds over all units, of points with weight */
  bool is_rate_bounded;        /* the points cannot tell the rate: half of the most it can be */
  bool is_told_apart; /* false: all points are of one size, and all cost is called per_unit */
};

/* Least squares by weight (NULL: equal weights) over count >= 1 points. All of one size: latency
 * 0. */
struct ls_cost ls_least_squares(const struct ls_points *points, const double *weights);
/* The same with no coefficient below 0: where one is, the better of the two laws that have 0 for
 * one coefficient. */
struct ls_cost ls_least_squares_nonnegative(const struct ls_points *points, const double *weights);

/* LS_EINVAL: no points; LS_ENOMEM. O(count). */
LS_CHECKED enum ls_status ls_affine_fit(const struct ls_points *points, struct ls_affine_fit *fit,
                                        struct ls_error *err);
/* Where a coefficient came out below 0, all of the cost becomes rate: what all chunks took together
 * stays right, and no unit is for nothing.  The plain law leaves that to the smallest points, which
 * tell least of what a large chunk takes. */
void ls_affine_fit_make_proportional(struct ls_affine_fit *fit);
/* No unit takes more than `most_s`, as larger chunks have shown: a rate above it, which small ones
 * alone seem to have, becomes the middle of what is possible, and what the points take beyond it
 * (their median) latency.
 * LS_ENOMEM. */
LS_CHECKED enum ls_status ls_affine_fit_bound_rate(struct ls_affine_fit *fit,
                                                   const struct ls_points *points, double most_s,
                                                   struct ls_error *err);
/* Deviation of one point whose law says `seconds`. */
double ls_affine_noise(const struct ls_affine_fit *fit, double seconds);

LS_C_END

#endif
