#include "calibrate/homogeneity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"

/* By how much the times of an operation may differ when no tolerance is given: by a share of their
 * mean, or of all that a chunk costs its worker; and how many deviations are chance: with hundreds
 * of pairs of workers some are three apart. */
static const double SHARE = 0.05, SHARE_OF_ALL = 0.005, CHANCE = 4;
/* What lies beyond so many deviations to one side, of a noise that is known. */
static const double CHANCE_SHARE = 3.17e-5;

static double find_time(const struct ls_affine_fit *fit, double units) {
  return fit->raw.latency_s + fit->raw.per_unit_s * units;
}

static double find_all(const struct ls_worker_fits *worker, double units) {
  double sum = 0;
  for (size_t j = 0; j < LS_MEASURED_FITTED; j++)
    if (worker->fits[j].count > 0) sum += find_time(&worker->fits[j], units);
  return sum;
}

/* The deviation of the difference of two means. Of one or two points the noise is not known: it is
 * that of the other worker. */
static double find_deviation(const struct ls_affine_fit *left, const struct ls_affine_fit *right,
                             double seconds) {
  double noise = fmax(ls_affine_noise(left, seconds), ls_affine_noise(right, seconds));
  return noise * sqrt(1 / (double)left->count + 1 / (double)right->count);
}

/* At an end of the sizes a line is about twice as uncertain as a mean is; of few points of one size
 * the noise is not well known, either, which Student's law tells, for as many. */
static bool is_chance(const struct ls_affine_fit *left, const struct ls_affine_fit *right,
                      double deviations) {
  uint64_t points = left->count + right->count;
  if (deviations <= CHANCE || !(deviations <= 2 * CHANCE)) return deviations <= CHANCE;
  if (left->is_told_apart || right->is_told_apart || points < 3) return true;
  return deviations <= -ls_student_quantile(CHANCE_SHARE, points - 2);
}

static bool is_near_at(const struct ls_affine_fit *left, const struct ls_affine_fit *right,
                       double units, double all) {
  double a = find_time(left, units), b = find_time(right, units);
  double apart = fmax(SHARE * (a + b) / 2, SHARE_OF_ALL * all);
  double deviation = find_deviation(left, right, (a + b) / 2);
  return fabs(a - b) <= apart || (deviation > 0 && is_chance(left, right, fabs(a - b) / deviation));
}

static bool are_alike(const struct ls_worker_fits *one, const struct ls_worker_fits *other,
                      size_t measured, double tolerance) {
  const struct ls_affine_fit *left = &one->fits[measured], *right = &other->fits[measured];
  if (left->count == 0 || right->count == 0) return left->count == right->count;
  if (!isnan(tolerance))
    return fabs(left->law.latency_s - right->law.latency_s) <= tolerance &&
           fabs(left->law.per_unit_s - right->law.per_unit_s) <= tolerance;
  double least = fmax(left->units_least, right->units_least);
  double most = fmin(left->units_most, right->units_most);
  return is_near_at(left, right, least, find_all(one, least)) &&
         is_near_at(left, right, most, find_all(one, most));
}

bool ls_workers_are_alike(const struct ls_workers_laws *laws, size_t left, size_t right,
                          double tolerance) {
  for (size_t w = 0; w < laws->windows; w++)
    for (size_t j = 0; j < LS_MEASURED_FITTED; j++)
      if (!are_alike(&laws->fits[left * laws->windows + w], &laws->fits[right * laws->windows + w],
                     j, tolerance))
        return false;
  return true;
}

/* Definition 5 asks of all pairs: the first group in which nobody differs takes the worker. Without
 * its tolerance, so many of a group stand for all of it. */
enum { COMPARED_MOST = 64 };

enum ls_status ls_workers_group(const struct ls_workers_laws *laws, double tolerance,
                                uint32_t *groups, uint32_t *made, struct ls_error *err) {
  bool *is_refused = calloc(laws->workers + 1, sizeof *is_refused);
  uint32_t *compared = calloc(laws->workers + 1, sizeof *compared);
  if (is_refused == NULL || compared == NULL) {
    free(is_refused);
    free(compared);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", laws->workers);
  }
  uint32_t most = isnan(tolerance) ? COMPARED_MOST : UINT32_MAX;
  uint32_t all = 0;
  for (size_t i = 0; i < laws->workers; i++) {
    memset(is_refused, 0, all * sizeof *is_refused);
    memset(compared, 0, all * sizeof *compared);
    for (size_t j = 0; j < i; j++) {
      uint32_t group = groups[j];
      if (is_refused[group] || compared[group]++ >= most) continue;
      is_refused[group] = !ls_workers_are_alike(laws, j, i, tolerance);
    }
    uint32_t group = 0;
    while (group < all && is_refused[group]) group++;
    groups[i] = group;
    if (group == all) all++;
  }
  free(is_refused);
  free(compared);
  *made = all;
  return LS_OK;
}

/* Of the laws whose coefficients are not negative: a factor is none, either. */
static double find_cost(const struct ls_affine_fit *fit, double units) {
  return fit->count > 0 ? fit->law.latency_s + fit->law.per_unit_s * units : 0;
}

void ls_workers_normalise(const struct ls_workers_laws *laws, size_t window, double units,
                          double *factors) {
  double sum = 0;
  size_t counted = 0;
  for (size_t i = 0; i < laws->workers; i++) {
    const struct ls_worker_fits *worker = &laws->fits[i * laws->windows + window];
    const struct ls_affine_fit *compute = &worker->fits[LS_OPERATION_COMPUTE];
    factors[i] = (double)NAN;
    if (compute->count == 0) continue;
    factors[i] = find_cost(compute, units) + find_cost(&worker->fits[LS_OPERATION_RECEIVE], units);
    sum += factors[i];
    counted++;
  }
  /* Where computing takes no time at all, nobody is slower than another one. */
  for (size_t i = 0; i < laws->workers; i++)
    if (!isnan(factors[i])) factors[i] = sum > 0 ? factors[i] * (double)counted / sum : 1;
}
