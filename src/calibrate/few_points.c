/* few_points.c: the law of few points, and its intervals, when nobody knows their noise.
 *
 * Reference:  H. Patterson and R. Thompson, Recovery of inter-block information when block sizes
 *             are unequal, 1971 (the likelihood of what is left of the residuals).
 * Assumes:    the noise has one of SHAPES shapes, from one that grows with the time to one that is
 *             the same for all sizes.
 * Answers:    intervals of all shapes together, each as plausible as its residuals make it.  So few
 *             points may choose a wrong one: of two that are as plausible, the one that knows less
 *             of a coefficient counts for more.
 * Cost:       O(points), for each outlier again; quantiles by halving.
 *
 * The median of few residuals takes them for too small, and some points for outliers then: they are
 * tried again, each by what the others predict of it.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "base/student.h"
#include "calibrate/affine_fit_private.h"

enum { SHAPES = 4, HALVINGS = 16 };
/* A point that the others say is less likely than this share over all points is an outlier. */
static const double OUTLIER_SHARE = 1e-3;
/* What counts of the shape that knows least of a coefficient, of those between, of the one that
 * knows most; chosen, with the square of the likelihood, by the coverage in calibrate-recovery. */
static const double WIDEST = 0.93, BETWEEN = 0.02, NARROWEST = 0.05;
static const double EXACT = 1e-12;
/* The times by which the noise is judged are learnt from the same points: intervals are wider by
 * this, over the degrees of freedom (by the same study). */
static const double LEARNT = 0.4;

/* The noise has variance scale (constant_s^2 + y^2); is_level: scale alone. */
struct shape {
  double constant_s;
  bool is_level;
  struct ls_cost line;                  /* by weighted least squares */
  double scale, weight, units, squares; /* sum of weights; their mean size, the spread around it */
  double latency_error_s, per_unit_error_s;
  double plausibility; /* of all, 1 together */
};

struct few {
  const struct ls_fit_work *work;
  double expected_s[LS_FIT_FEW_MAX]; /* the times by which the noise is judged */
  bool is_kept[LS_FIT_FEW_MAX];
  uint64_t freedom;
  double reach; /* a 90 % interval of one shape reaches so many of its errors to both sides */
  struct shape shapes[SHAPES];
};

static double find_variance(const struct shape *shape, double expected_s) {
  if (shape->is_level) return 1;
  return shape->constant_s * shape->constant_s + expected_s * expected_s;
}

static void fit_line(const struct few *few, struct shape *shape) {
  const struct ls_points *points = few->work->points;
  double seconds = 0, products = 0;
  shape->weight = shape->units = shape->squares = 0;
  for (size_t i = 0; i < points->count; i++) {
    if (!few->is_kept[i]) continue;
    double weight = 1 / find_variance(shape, few->expected_s[i]);
    shape->weight += weight;
    shape->units += weight * points->units[i];
    seconds += weight * points->seconds[i];
  }
  shape->units /= shape->weight;
  seconds /= shape->weight;
  for (size_t i = 0; i < points->count; i++) {
    double apart = points->units[i] - shape->units;
    if (!few->is_kept[i]) continue;
    double weight = 1 / find_variance(shape, few->expected_s[i]);
    shape->squares += weight * apart * apart;
    products += weight * apart * (points->seconds[i] - seconds);
  }
  double slope = few->work->is_affine ? products / shape->squares : seconds / shape->units;
  shape->line = (struct ls_cost){seconds - slope * shape->units, slope};
}

/* The logarithm of the likelihood, but for what all shapes share. */
static double judge_shape(const struct few *few, struct shape *shape) {
  const struct ls_points *points = few->work->points;
  double logarithms = 0, rest = 0;
  for (size_t i = 0; i < points->count; i++) {
    if (!few->is_kept[i]) continue;
    double variance = find_variance(shape, few->expected_s[i]);
    double residual =
        points->seconds[i] - shape->line.latency_s - shape->line.per_unit_s * points->units[i];
    logarithms += log(variance);
    rest += residual * residual / variance;
  }
  double middle = few->work->middle_s;
  double least = EXACT * middle * EXACT * middle / find_variance(shape, middle);
  rest = fmax(rest, least);
  shape->scale = rest / (double)few->freedom;
  double known = few->work->is_affine ? shape->weight * shape->squares : shape->weight;
  return -0.5 * (logarithms + log(known) + (double)few->freedom * log(rest));
}

static void measure_errors(const struct few *few, struct shape *shape) {
  if (!few->work->is_affine) {
    shape->latency_error_s = 0;
    shape->per_unit_error_s = sqrt(shape->scale / shape->weight) / shape->units;
    return;
  }
  double level = 1 / shape->weight + shape->units * shape->units / shape->squares;
  shape->latency_error_s = sqrt(shape->scale * level);
  shape->per_unit_error_s = sqrt(shape->scale / shape->squares);
}

/* Fits all shapes to the points that are kept; false: too few are. */
static bool fit_shapes(struct few *few) {
  uint64_t kept = 0, columns = few->work->is_affine ? 2 : 1;
  double best = -(double)INFINITY, sum = 0, logarithms[SHAPES];
  for (size_t i = 0; i < few->work->points->count; i++) kept += few->is_kept[i];
  if (kept <= columns) return false;
  few->freedom = kept - columns;
  for (size_t k = 0; k < SHAPES; k++) {
    fit_line(few, &few->shapes[k]);
    if (few->work->is_affine && !(few->shapes[k].squares > 0)) return false;
    logarithms[k] = judge_shape(few, &few->shapes[k]);
    measure_errors(few, &few->shapes[k]);
    best = fmax(best, logarithms[k]);
  }
  for (size_t k = 0; k < SHAPES; k++) sum += exp(2 * (logarithms[k] - best));
  for (size_t k = 0; k < SHAPES; k++)
    few->shapes[k].plausibility = exp(2 * (logarithms[k] - best)) / sum;
  return true;
}

/* How likely a point is at least as far from what the kept ones predict of it. */
static double test_point(const struct few *few, size_t index) {
  const struct ls_points *points = few->work->points;
  double share = 0;
  for (size_t k = 0; k < SHAPES; k++) {
    const struct shape *shape = &few->shapes[k];
    double apart = points->units[index] - shape->units;
    double residual = points->seconds[index] - shape->line.latency_s -
                      shape->line.per_unit_s * points->units[index];
    double variance = find_variance(shape, few->expected_s[index]) + 1 / shape->weight;
    if (few->work->is_affine) variance += apart * apart / shape->squares;
    double t = fabs(residual) / sqrt(shape->scale * variance);
    share += shape->plausibility * 2 * ls_student_share(-t, few->freedom);
  }
  return share;
}

/* Keeps the likeliest of those that were left out, one after another, as long as it is likely. */
static bool try_again(struct few *few) {
  size_t count = few->work->points->count;
  for (;;) {
    size_t likeliest = count;
    double best = OUTLIER_SHARE / (double)count;
    if (!fit_shapes(few)) return false;
    for (size_t i = 0; i < count; i++) {
      if (few->is_kept[i]) continue;
      double share = test_point(few, i);
      if (!(share > best)) continue;
      best = share;
      likeliest = i;
    }
    if (likeliest == count) return true;
    few->is_kept[likeliest] = true;
  }
}

/* Of one coefficient: what each shape says, and how much that counts. */
struct opinions {
  double values[SHAPES], errors[SHAPES], shares[SHAPES];
  uint64_t freedom;
};

static void weigh_opinions(const struct few *few, struct opinions *opinions) {
  double sum = 0;
  for (size_t k = 0; k < SHAPES; k++) {
    size_t wider = 0;
    for (size_t j = 0; j < SHAPES; j++) wider += opinions->errors[j] > opinions->errors[k];
    double part = wider == 0 ? WIDEST : wider + 1 == SHAPES ? NARROWEST : BETWEEN;
    opinions->shares[k] = few->shapes[k].plausibility * part;
    sum += opinions->shares[k];
  }
  for (size_t k = 0; k < SHAPES; k++) opinions->shares[k] /= sum;
}

/* Below which `share` lies; `reach` of the errors above the value of each shape its own share does.
 */
static double find_quantile(const struct opinions *opinions, double share, double reach) {
  double least = (double)INFINITY, most = -(double)INFINITY;
  for (size_t k = 0; k < SHAPES; k++) {
    double own = opinions->values[k] + reach * opinions->errors[k];
    least = fmin(least, own);
    most = fmax(most, own);
  }
  /* That of all together lies between their own. */
  for (int i = 0; i < HALVINGS && most > least; i++) {
    double middle = (least + most) / 2, below = 0;
    for (size_t k = 0; k < SHAPES; k++)
      below +=
          opinions->shares[k] *
          ls_student_share((middle - opinions->values[k]) / opinions->errors[k], opinions->freedom);
    if (below < share)
      least = middle;
    else
      most = middle;
  }
  return (least + most) / 2;
}

static struct ls_interval find_interval(const struct few *few, struct opinions *opinions,
                                        double raw) {
  opinions->freedom = few->freedom;
  for (size_t k = 0; k < SHAPES; k++) opinions->errors[k] *= 1 + LEARNT / (double)few->freedom;
  weigh_opinions(few, opinions);
  return (struct ls_interval){fmin(raw, find_quantile(opinions, 0.05, -few->reach)),
                              fmax(raw, find_quantile(opinions, 0.95, few->reach))};
}

static void take_intervals(const struct few *few, struct ls_affine_fit *fit) {
  struct opinions rates, latencies;
  for (size_t k = 0; k < SHAPES; k++) {
    const struct shape *shape = &few->shapes[k];
    rates.values[k] = shape->line.per_unit_s;
    rates.errors[k] = shape->per_unit_error_s;
    latencies.values[k] = shape->line.latency_s;
    latencies.errors[k] = shape->latency_error_s;
  }
  fit->per_unit_s = find_interval(few, &rates, fit->raw.per_unit_s);
  if (few->work->is_affine) fit->latency_s = find_interval(few, &latencies, fit->raw.latency_s);
}

/* Each shape by its plausibility: the weights of the points, and the noise. */
static void take_noise(const struct few *few, struct ls_fit_work *work) {
  double constant = 0, share = 0;
  for (size_t i = 0; i < work->points->count; i++) {
    work->weights[i] = 0;
    for (size_t k = 0; k < SHAPES && few->is_kept[i]; k++)
      work->weights[i] +=
          few->shapes[k].plausibility /
          (few->shapes[k].scale * find_variance(&few->shapes[k], few->expected_s[i]));
  }
  for (size_t k = 0; k < SHAPES; k++) {
    const struct shape *shape = &few->shapes[k];
    double part = shape->plausibility * shape->scale;
    constant += shape->is_level ? part : part * shape->constant_s * shape->constant_s;
    share += shape->is_level ? 0 : part;
  }
  work->noise = (struct ls_noise_shape){sqrt(constant), sqrt(share)};
}

/* From noise that is next to nothing at the least times, in steps of equal ratio, to a level one.
 */
static void choose_shapes(struct few *few) {
  const struct ls_fit_work *work = few->work;
  double least = (double)INFINITY, most = 0;
  for (size_t i = 0; i < work->points->count; i++) {
    if (!few->is_kept[i]) continue;
    least = fmin(least, few->expected_s[i]);
    most = fmax(most, few->expected_s[i]);
  }
  for (size_t k = 0; k < SHAPES; k++) {
    double step = ((double)k - 0.5) / (SHAPES - 2);
    few->shapes[k] =
        (struct shape){.constant_s = k == 0 ? least / 20 : least * pow(most / least, step),
                       .is_level = k + 1 == SHAPES};
  }
}

/* Whatever the noise is thought to be, half of the points are none of its outliers. */
static void keep_near(struct few *few) {
  const struct ls_fit_work *work = few->work;
  const struct ls_points *points = work->points;
  double apart[LS_FIT_FEW_MAX], sorted[LS_FIT_FEW_MAX];
  for (size_t i = 0; i < points->count; i++) {
    double residual = points->seconds[i] - ls_fit_law_at(work, points->units[i]);
    few->expected_s[i] = ls_fit_expected(work, points->units[i], points->seconds[i]);
    apart[i] = sorted[i] = fabs(residual) / ls_noise_at(&work->noise, few->expected_s[i]);
  }
  double most = fmax(work->reach, ls_median(sorted, points->count));
  for (size_t i = 0; i < points->count; i++) few->is_kept[i] = apart[i] <= most;
}

void ls_fit_few(struct ls_fit_work *work, struct ls_affine_fit *fit) {
  const struct ls_points *points = work->points;
  struct few few = {.work = work};
  assert(points->count <= LS_FIT_FEW_MAX);
  keep_near(&few);
  choose_shapes(&few);
  fit->raw = work->law;
  if (!try_again(&few)) return;
  few.reach = ls_student_quantile(0.95, few.freedom);
  take_noise(&few, work);
  work->law = fit->raw = ls_least_squares(points, work->weights);
  take_intervals(&few, fit);
  for (size_t i = 0; i < points->count; i++) fit->outliers += !few.is_kept[i];
}
