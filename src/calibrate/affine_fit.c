/* affine_fit.c: an affine law by an M-estimate, with the noise learnt from the residuals.
 *
 * Reference:  docs/theory/scow.md, 7; Beaton and Tukey's biweight; Huber and Ronchetti, Robust
 *             Statistics, 7.6 (the covariance of an M-estimate, corrected for few points), with the
 *             residuals' own squares divided by (1 - leverage)^2: MacKinnon and White, HC3.
 * Assumes:    the noise of a point has deviation sqrt(s^2 + (r y)^2): a part that is the same for
 *             all sizes and one that grows with the time; points are independent.
 * Cost:       O(points) a round; the noise is learnt from at most SAMPLE_MAX points. At most
 *             LS_FIT_FEW_MAX points tell too little of their noise: few_points.c.
 */
#include "calibrate/affine_fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/student.h"
#include "calibrate/affine_fit_private.h"

enum { ROUNDS_MAX = 50, LEARNING_ROUNDS = 5, OBSERVED_ROUNDS = 2 };
/* Tukey's constant: 95 % as good as least squares where the noise is normal. */
static const double REACH = 4.685;
/* Deviations of the noise by the share of the time: beyond, the spread is that of the tasks. */
static const double SPREAD_MOST = 0.25;
static const double EXACT = 1e-9;

/* Tukey's weight of a residual in deviations; without a reach all weigh the same. */
static double find_weight(double z, double reach) {
  double share = z / reach;
  if (!(fabs(share) < 1)) return 0;
  double rest = 1 - share * share;
  return rest * rest;
}

static struct ls_noise_shape choose_reach(struct ls_fit_work *work) {
  struct ls_noise_shape noise = ls_fit_learn_noise(work);
  double middle = work->middle_s;
  work->reach = ls_noise_at(&noise, middle) > SPREAD_MOST * middle ? (double)INFINITY : REACH;
  return noise;
}

static void weigh_points(struct ls_fit_work *work) {
  const struct ls_points *points = work->points;
  for (size_t i = 0; i < points->count; i++) {
    double expected = ls_fit_expected(work, points->units[i], points->seconds[i]);
    double deviation = ls_noise_at(&work->noise, expected);
    double residual = points->seconds[i] - ls_fit_law_at(work, points->units[i]);
    work->weights[i] = find_weight(residual / deviation, work->reach) / (deviation * deviation);
  }
}

static bool is_near(const struct ls_fit_work *work, const struct ls_cost *before) {
  double scale = fabs(work->law.latency_s) + fabs(work->law.per_unit_s) * work->units_most;
  double moved = fabs(work->law.latency_s - before->latency_s) +
                 fabs(work->law.per_unit_s - before->per_unit_s) * work->units_most;
  return moved <= 1e-12 * scale;
}

static void iterate(struct ls_fit_work *work) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    struct ls_cost before = work->law;
    work->uses_observed = round < OBSERVED_ROUNDS;
    if (round < LEARNING_ROUNDS) work->noise = choose_reach(work);
    weigh_points(work);
    work->law = ls_least_squares(work->points, work->weights);
    if (round >= LEARNING_ROUNDS && is_near(work, &before)) break;
  }
  work->uses_observed = false;
}

/* Of all points, each in deviations: what is known of units, and how psi slopes. */
struct spread {
  double weight, units, units_squares; /* of 1 / deviation^2, its mean size, around it */
  double slope, slope_squares;         /* means of psi' */
};

static double find_deviation(const struct ls_fit_work *work, size_t i) {
  const struct ls_points *points = work->points;
  return ls_noise_at(&work->noise, ls_fit_expected(work, points->units[i], points->seconds[i]));
}

static struct spread measure_spread(const struct ls_fit_work *work, size_t *outliers) {
  const struct ls_points *points = work->points;
  double count = (double)points->count;
  struct spread spread = {.weight = 0};
  for (size_t i = 0; i < points->count; i++) {
    double deviation = find_deviation(work, i);
    double z = (points->seconds[i] - ls_fit_law_at(work, points->units[i])) / deviation;
    double share = z / work->reach * (z / work->reach);
    double slope = share < 1 ? (1 - share) * (1 - 5 * share) : 0;
    if (!(share < 1)) ++*outliers;
    spread.slope += slope / count;
    spread.slope_squares += slope * slope / count;
    spread.weight += 1 / (deviation * deviation);
    spread.units += points->units[i] / (deviation * deviation);
  }
  spread.units /= spread.weight;
  for (size_t i = 0; i < points->count; i++) {
    double apart = (points->units[i] - spread.units) / find_deviation(work, i);
    spread.units_squares += apart * apart;
  }
  return spread;
}

/* The variances of the coefficients. Each point enters with what it missed the law by, so that a
 * noise that was learnt wrong does no harm; what the fit took of it by its leverage is given back.
 */
static void find_variances(const struct ls_fit_work *work, const struct spread *spread,
                           double *latency, double *per_unit) {
  const struct ls_points *points = work->points;
  for (size_t i = 0; i < points->count; i++) {
    double deviation = find_deviation(work, i), apart = points->units[i] - spread->units;
    double z = (points->seconds[i] - ls_fit_law_at(work, points->units[i])) / deviation;
    double psi = z * find_weight(z, work->reach) / spread->slope;
    double leverage = 1 / spread->weight;
    double slope_part = 0;
    if (work->is_affine) {
      slope_part = apart / spread->units_squares;
      leverage += apart * slope_part;
    }
    leverage /= deviation * deviation;
    double kept = deviation * fmax(1 - leverage, 1e-3);
    double rest = psi * psi / (kept * kept);
    double level_part = 1 / spread->weight - spread->units * slope_part;
    *latency += rest * level_part * level_part;
    *per_unit += rest * slope_part * slope_part;
  }
}

static struct ls_interval widen(double value, double by) {
  return (struct ls_interval){value - by, value + by};
}

static void find_intervals(const struct ls_fit_work *work, struct ls_affine_fit *fit) {
  struct spread spread = measure_spread(work, &fit->outliers);
  double count = (double)fit->count, columns = fit->is_told_apart ? 2 : 1;
  double latency = 0, per_unit = 0;
  if (!(spread.slope > 0)) return;
  double slope_variance = spread.slope_squares - spread.slope * spread.slope;
  double correction = 1 + columns / count * slope_variance / (spread.slope * spread.slope);
  find_variances(work, &spread, &latency, &per_unit);
  /* Two numbers of the noise were learnt from the same residuals, beside the coefficients. */
  correction *= sqrt(count / (count - 4));
  double reach = ls_student_quantile(0.95, (uint64_t)(count - columns)) * correction;
  if (!fit->is_told_apart) {
    fit->per_unit_s = widen(fit->raw.per_unit_s, reach * sqrt(latency) / spread.units);
    return;
  }
  fit->per_unit_s = widen(fit->raw.per_unit_s, reach * sqrt(per_unit));
  fit->latency_s = widen(fit->raw.latency_s, reach * sqrt(latency));
}

/* Measurements without noise: those on the line are fitted, the others are outliers. */
static void fit_exact(struct ls_fit_work *work, struct ls_affine_fit *fit) {
  const struct ls_points *points = work->points;
  for (size_t i = 0; i < points->count; i++) {
    double residual = points->seconds[i] - ls_fit_law_at(work, points->units[i]);
    bool is_on_line = fabs(residual) <= EXACT * fmax(points->seconds[i], work->middle_s);
    work->weights[i] = is_on_line ? 1 : 0;
    fit->outliers += is_on_line ? 0 : 1;
  }
  work->noise = (struct ls_noise_shape){0, 0};
  fit->raw = ls_least_squares(points, work->weights);
  if (points->count <= 2) return;
  fit->per_unit_s = widen(fit->raw.per_unit_s, 0);
  if (fit->is_told_apart) fit->latency_s = widen(fit->raw.latency_s, 0);
}

static double find_mean(const struct ls_fit_work *work) {
  double units = 0, seconds = 0;
  for (size_t i = 0; i < work->points->count; i++) {
    if (!(work->weights[i] > 0)) continue;
    units += work->points->units[i];
    seconds += work->points->seconds[i];
  }
  return units > 0 ? seconds / units : 0;
}

static void fit_points(struct ls_fit_work *work, struct ls_affine_fit *fit) {
  work->law = ls_fit_first_line(work);
  work->uses_observed = true;
  if (ls_fit_is_exact(work, EXACT)) {
    fit_exact(work, fit);
  } else {
    iterate(work);
    if (work->points->count <= LS_FIT_FEW_MAX) {
      ls_fit_few(work, fit);
    } else {
      fit->raw = work->law;
      find_intervals(work, fit);
    }
  }
  fit->law = ls_least_squares_nonnegative(work->points, work->weights);
  fit->mean_per_unit_s = find_mean(work);
  fit->noise_s = work->noise.constant_s;
  fit->noise_share = work->noise.share;
}

enum ls_status ls_affine_fit(const struct ls_points *points, struct ls_affine_fit *fit,
                             struct ls_error *err) {
  if (points->count == 0) return ls_fail(err, LS_EINVAL, "there is no measurement to fit");
  struct ls_interval unknown = {(double)NAN, (double)NAN};
  struct ls_affine_fit made = {.latency_s = unknown,
                               .per_unit_s = unknown,
                               .count = points->count,
                               .units_least = points->units[0],
                               .units_most = points->units[0]};
  for (size_t i = 1; i < points->count; i++) {
    made.units_least = fmin(made.units_least, points->units[i]);
    made.units_most = fmax(made.units_most, points->units[i]);
  }
  made.is_told_apart = made.units_most > made.units_least * (1 + EXACT);
  struct ls_fit_work work = {.points = points,
                             .units_most = made.units_most,
                             .is_affine = made.is_told_apart,
                             .reach = REACH};
  enum ls_status status = ls_fit_work_open(&work, err);
  if (status != LS_OK) return status;
  fit_points(&work, &made);
  ls_fit_work_close(&work);
  *fit = made;
  return LS_OK;
}

void ls_affine_fit_make_proportional(struct ls_affine_fit *fit) {
  if (fit->raw.latency_s >= 0 && fit->raw.per_unit_s > 0) return;
  fit->law = (struct ls_cost){0, fit->mean_per_unit_s};
}

double ls_affine_noise(const struct ls_affine_fit *fit, double seconds) {
  /* Not hypot, which needs glibc 2.35.  Durations are far from what overflows. */
  double in_proportion_s = fit->noise_share * seconds;
  return sqrt(fit->noise_s * fit->noise_s + in_proportion_s * in_proportion_s);
}

enum ls_status ls_affine_fit_bound_rate(struct ls_affine_fit *fit, const struct ls_points *points,
                                        double most_s, struct ls_error *err) {
  if (points->count == 0 || !isfinite(most_s)) return LS_OK;
  if (fit->per_unit_s.most > most_s && fit->law.per_unit_s <= most_s) fit->per_unit_s.most = most_s;
  if (!(fit->law.per_unit_s > most_s)) return LS_OK;
  double middle_s = most_s / 2;
  double *rests = calloc(points->count, sizeof *rests);
  if (rests == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu points", points->count);
  for (size_t i = 0; i < points->count; i++)
    rests[i] = fmax(0, points->seconds[i] - middle_s * points->units[i]);
  fit->law = (struct ls_cost){ls_median(rests, points->count), middle_s};
  fit->per_unit_s = (struct ls_interval){0, most_s};
  fit->is_rate_bounded = true;
  free(rests);
  return LS_OK;
}
