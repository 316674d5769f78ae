/* fit_noise.c: where a robust fit begins, and what its residuals say of the noise. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "calibrate/affine_fit_private.h"

enum { SAMPLE_MAX = 2048, ALL_PAIRS_MAX = 48, SHAPES = 9 };
/* From the median of absolute values to the deviation of a normal law. */
static const double TO_DEVIATION = 1.4826022185056018;
static const double OUTLIER = 3;

struct pair {
  double units, seconds;
};

static int compare_pairs(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->units < b->units) return -1;
  if (a->units > b->units) return 1;
  return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* All points, or so many of them that no pattern in their order is met: the step is odd and near
 * the golden part of the count. */
static void take_sample(struct ls_fit_work *work, struct pair *pairs) {
  size_t count = work->points->count, at = 0, step = 1;
  if (work->sample_count < count) step = (size_t)(0.6180339887498949 * (double)count) | 1;
  for (size_t i = 0; i < work->sample_count; i++) {
    pairs[i] = (struct pair){work->points->units[at], work->points->seconds[at]};
    at = (at + step) % count;
  }
  qsort(pairs, work->sample_count, sizeof *pairs, compare_pairs);
  for (size_t i = 0; i < work->sample_count; i++) {
    work->sample_units[i] = pairs[i].units;
    work->sample_seconds[i] = work->scratch[i] = pairs[i].seconds;
  }
  work->middle_s = ls_median(work->scratch, work->sample_count);
}

enum ls_status ls_fit_work_open(struct ls_fit_work *work, struct ls_error *err) {
  size_t count = work->points->count;
  work->sample_count = count < SAMPLE_MAX ? count : SAMPLE_MAX;
  work->weights = calloc(count, sizeof *work->weights);
  work->sample_units = calloc(work->sample_count, sizeof *work->sample_units);
  work->sample_seconds = calloc(work->sample_count, sizeof *work->sample_seconds);
  work->scratch =
      calloc(ALL_PAIRS_MAX * ALL_PAIRS_MAX / 2 + 3 * work->sample_count, sizeof *work->scratch);
  struct pair *pairs = calloc(work->sample_count, sizeof *pairs);
  if (!work->weights || !work->sample_units || !work->sample_seconds || !work->scratch || !pairs) {
    free(pairs);
    ls_fit_work_close(work);
    return ls_fail(err, LS_ENOMEM, "no memory to fit %zu measurements", count);
  }
  take_sample(work, pairs);
  free(pairs);
  return LS_OK;
}

void ls_fit_work_close(struct ls_fit_work *work) {
  free(work->weights);
  free(work->sample_units);
  free(work->sample_seconds);
  free(work->scratch);
}

double ls_noise_at(const struct ls_noise_shape *noise, double seconds) {
  double relative = noise->share * seconds;
  return sqrt(noise->constant_s * noise->constant_s + relative * relative);
}

double ls_fit_law_at(const struct ls_fit_work *work, double units) {
  return work->law.latency_s + work->law.per_unit_s * units;
}

double ls_fit_expected(const struct ls_fit_work *work, double units, double seconds) {
  double expected = work->uses_observed ? seconds : ls_fit_law_at(work, units);
  return fmax(expected, 1e-6 * work->middle_s);
}

static size_t list_slopes(const struct ls_fit_work *work, size_t apart, double *slopes) {
  size_t count = 0;
  for (size_t i = 0; i + apart < work->sample_count; i++) {
    double units = work->sample_units[i + apart] - work->sample_units[i];
    double seconds = work->sample_seconds[i + apart] - work->sample_seconds[i];
    if (units > 0) slopes[count++] = seconds / units;
  }
  return count;
}

static double find_slope(struct ls_fit_work *work) {
  size_t count = work->sample_count, slopes = 0;
  if (count <= ALL_PAIRS_MAX) {
    for (size_t apart = 1; apart < count; apart++)
      slopes += list_slopes(work, apart, work->scratch + slopes);
  } else {
    const size_t apart[] = {count / 3, count / 2, 3 * count / 4};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
      slopes += list_slopes(work, apart[i], work->scratch + slopes);
  }
  return slopes > 0 ? ls_median(work->scratch, slopes) : (double)NAN;
}

/* The constant of the smallest third: where the time is small, so is the noise. */
struct ls_cost ls_fit_first_line(struct ls_fit_work *work) {
  double slope = work->is_affine ? find_slope(work) : (double)NAN;
  if (isnan(slope) && work->is_affine) return ls_least_squares(work->points, NULL);
  if (!work->is_affine) return (struct ls_cost){0, work->middle_s / work->units_most};
  size_t third = (work->sample_count + 2) / 3;
  third = third < 3 && work->sample_count >= 3 ? 3 : third;
  for (size_t i = 0; i < third; i++)
    work->scratch[i] = work->sample_seconds[i] - slope * work->sample_units[i];
  return (struct ls_cost){ls_median(work->scratch, third), slope};
}

bool ls_fit_is_exact(const struct ls_fit_work *work, double tolerance) {
  size_t count = 0;
  for (size_t i = 0; i < work->sample_count; i++) {
    double residual = work->sample_seconds[i] - ls_fit_law_at(work, work->sample_units[i]);
    if (fabs(residual) <= tolerance * fmax(work->sample_seconds[i], work->middle_s)) count++;
  }
  /* A line through two points is exact, whatever the others are. */
  if (work->is_affine && count <= 2 && work->sample_count > 2) return false;
  /* Of one size, a coarse clock makes equal times of most. */
  return 10 * count >= (work->is_affine ? 6u : 9u) * work->sample_count;
}

/* The deviation of the residuals, in units of `shape`: by their median; where most are 0, since a
 * clock is coarse, by the mean of all but the largest tenth. */
static double scale_noise(struct ls_fit_work *work, const struct ls_noise_shape *shape) {
  size_t count = work->sample_count;
  double *residuals = work->scratch, largest = 0, sum = 0;
  for (size_t i = 0; i < count; i++) {
    double units = work->sample_units[i], seconds = work->sample_seconds[i];
    double expected = ls_fit_expected(work, units, seconds);
    residuals[i] = fabs(seconds - ls_fit_law_at(work, units)) / ls_noise_at(shape, expected);
    largest = fmax(largest, residuals[i]);
  }
  double scale = TO_DEVIATION * ls_median(residuals, count);
  if (scale > 1e-9 * largest) return scale;
  for (size_t i = 0; i < count; i++) sum += residuals[i];
  return fmax(1.2533 * sum / (double)count, 1e-12 * largest);
}

/* Twice the negative logarithm of the likelihood of the residuals, an outlier being no less likely
 * than what is OUTLIER deviations away. The median of the residuals alone would prefer a noise that
 * leaves some of them very large. */
static double judge_noise(const struct ls_fit_work *work, const struct ls_noise_shape *noise) {
  double sum = 0;
  for (size_t i = 0; i < work->sample_count; i++) {
    double units = work->sample_units[i], seconds = work->sample_seconds[i];
    double deviation = ls_noise_at(noise, ls_fit_expected(work, units, seconds));
    double z = (seconds - ls_fit_law_at(work, units)) / deviation;
    sum += 2 * log(deviation) + fmin(z * z, OUTLIER * OUTLIER);
  }
  return sum;
}

/* The two parts of the noise are equal at some time: below the least, all is relative; above the
 * largest, all is constant. */
struct ls_noise_shape ls_fit_learn_noise(struct ls_fit_work *work) {
  double least = (double)INFINITY, largest = 0, best = (double)INFINITY;
  for (size_t i = 0; i < work->sample_count; i++) {
    double expected = ls_fit_expected(work, work->sample_units[i], work->sample_seconds[i]);
    least = fmin(least, expected);
    largest = fmax(largest, expected);
  }
  double from = log(least / 4), step = (log(largest * 4) - from) / (SHAPES - 1);
  struct ls_noise_shape found = {largest, 1};
  for (int i = 0; i < SHAPES; i++) {
    struct ls_noise_shape shape = {exp(from + i * step), 1};
    double scale = scale_noise(work, &shape);
    struct ls_noise_shape noise = {scale * shape.constant_s, scale};
    double cost = judge_noise(work, &noise);
    if (!(cost < best)) continue;
    best = cost;
    found = noise;
  }
  assert(found.constant_s > 0);
  return found;
}
