/* affine_fit_private.h: what a robust fit works with: its points, a sample of them, its noise. */
#ifndef LS_CALIBRATE_AFFINE_FIT_PRIVATE_H
#define LS_CALIBRATE_AFFINE_FIT_PRIVATE_H

#include "calibrate/affine_fit.h"

/* Deviation of a point whose time is y: sqrt(constant_s^2 + (share y)^2). */
struct ls_noise_shape {
  double constant_s, share;
};

/* So many points are few: their noise is weighed, not known. */
enum { LS_FIT_FEW_MAX = 64 };

struct ls_fit_work {
  const struct ls_points *points;
  bool is_affine;     /* else all points are of one size */
  bool uses_observed; /* the noise of a point is that of its own time, not of the law's */
  double units_most;
  double reach;       /* in deviations; beyond, a point has no weight */
  double middle_s;    /* the median time */
  struct ls_cost law; /* so far */
  struct ls_noise_shape noise;
  double *weights; /* of each point */
  size_t sample_count;
  double *sample_units, *sample_seconds; /* a part of the points, ascending by units */
  double *scratch;                       /* two for each of the sample */
};

LS_CHECKED enum ls_status ls_fit_work_open(struct ls_fit_work *work, struct ls_error *err);
void ls_fit_work_close(struct ls_fit_work *work);

double ls_noise_at(const struct ls_noise_shape *noise, double seconds);
double ls_fit_law_at(const struct ls_fit_work *work, double units);
/* The time by which the noise of a point is judged, > 0. */
double ls_fit_expected(const struct ls_fit_work *work, double units, double seconds);
/* The median of slopes through pairs that are far apart, and the constant of the small sizes. */
struct ls_cost ls_fit_first_line(struct ls_fit_work *work);
/* Do most, of one size nearly all, lie on the line but for rounding? */
bool ls_fit_is_exact(const struct ls_fit_work *work, double tolerance);
/* The noise under which the residuals of the sample are likeliest. */
struct ls_noise_shape ls_fit_learn_noise(struct ls_fit_work *work);

/* few_points.c: raw fit, intervals and outliers, and the work's law, weights and noise, of at most
 * LS_FIT_FEW_MAX points, from the law so far. Where no more are kept than a line needs, nothing but
 * the raw fit is known. */
void ls_fit_few(struct ls_fit_work *work, struct ls_affine_fit *fit);

#endif
