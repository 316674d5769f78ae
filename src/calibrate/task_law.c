/* task_law.c: the best of five laws for the times of tasks.
 *
 * Reference:  G. Schwarz, Estimating the dimension of a model, 1978 (the choice); T. Minka,
 *             Estimating a gamma distribution, 2002 (its shape by Newton's method); Pearson's test,
 *             with 2 n^(2/5) cells (Mann and Wald).
 * Cost:       O(count).
 */
#include "calibrate/task_law.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "calibrate/distribution.h"

enum { TESTED_MIN = 25, IN_CELL_MIN = 5, CELLS_MAX = 1000, NEWTON_STEPS = 30 };
static const double CONSTANT_VARIATION = 0.01, TWO_PI = 6.283185307179586;

/* What all laws are fitted from. */
struct facts {
  const double *seconds;
  size_t count;
  double mean, deviation;         /* by the likelihood: over n */
  double log_mean, log_deviation; /* of the logarithms */
  bool is_positive;
};

/* A law and its numbers. */
struct candidate {
  enum ls_duration_law law;
  double first,
      second; /* normal, lognormal: mean, deviation; gamma: shape, scale; exponential: mean */
  int numbers;
  double log_likelihood;
};

static struct facts find_facts(const double *seconds, size_t count) {
  struct ls_moments moments = {0}, logarithms = {0};
  struct facts facts = {.seconds = seconds, .count = count, .is_positive = true};
  for (size_t i = 0; i < count; i++) {
    ls_moments_add(&moments, seconds[i]);
    if (seconds[i] > 0)
      ls_moments_add(&logarithms, log(seconds[i]));
    else
      facts.is_positive = false;
  }
  facts.mean = moments.mean;
  facts.deviation = sqrt(fmax(0, moments.squares) / (double)count);
  facts.log_mean = logarithms.mean;
  facts.log_deviation = sqrt(fmax(0, logarithms.squares) / (double)count);
  return facts;
}

static struct candidate fit_normal(const struct facts *facts) {
  double n = (double)facts->count;
  return (struct candidate){LS_DURATION_NORMAL, facts->mean, facts->deviation, 2,
                            -n / 2 * (log(TWO_PI * facts->deviation * facts->deviation) + 1)};
}

static struct candidate fit_lognormal(const struct facts *facts) {
  double n = (double)facts->count, deviation = facts->log_deviation;
  return (struct candidate){
      LS_DURATION_LOGNORMAL, facts->log_mean, deviation, 2,
      -n / 2 * (log(TWO_PI * deviation * deviation) + 1) - n * facts->log_mean};
}

static struct candidate fit_exponential(const struct facts *facts) {
  double n = (double)facts->count;
  return (struct candidate){LS_DURATION_EXPONENTIAL, facts->mean, 0, 1,
                            -n * (log(facts->mean) + 1)};
}

static struct candidate fit_gamma(const struct facts *facts) {
  double n = (double)facts->count, apart = log(facts->mean) - facts->log_mean;
  double shape = (3 - apart + sqrt((apart - 3) * (apart - 3) + 24 * apart)) / (12 * apart);
  for (int i = 0; i < NEWTON_STEPS; i++) {
    double step = (log(shape) - ls_digamma(shape) - apart) / (1 / shape - ls_trigamma(shape));
    shape = step < shape ? shape - step : shape / 2;
    if (fabs(step) <= 1e-12 * shape) break;
  }
  double scale = facts->mean / shape;
  return (struct candidate){LS_DURATION_GAMMA, shape, scale, 2,
                            (shape - 1) * n * facts->log_mean - n * shape - n * shape * log(scale) -
                                n * ls_log_gamma(shape)};
}

static double find_share(const struct candidate *candidate, double seconds) {
  switch (candidate->law) {
    case LS_DURATION_NORMAL:
      return ls_normal_share((seconds - candidate->first) / candidate->second);
    case LS_DURATION_LOGNORMAL:
      return ls_normal_share((log(seconds) - candidate->first) / candidate->second);
    case LS_DURATION_GAMMA:
      return ls_gamma_share(candidate->first, seconds / candidate->second);
    default:
      return 1 - exp(-seconds / candidate->first);
  }
}

/* The probability that Pearson's sum is larger, of as many cells of equal probability. */
static double test_candidate(const struct candidate *candidate, const struct facts *facts) {
  double n = (double)facts->count, sum = 0;
  uint64_t counts[CELLS_MAX] = {0};
  if (facts->count < TESTED_MIN) return (double)NAN;
  size_t cells = (size_t)fmin(2 * pow(n, 0.4), n / IN_CELL_MIN);
  if (cells > CELLS_MAX) cells = CELLS_MAX;
  for (size_t i = 0; i < facts->count; i++) {
    size_t cell = (size_t)(find_share(candidate, facts->seconds[i]) * (double)cells);
    counts[cell < cells ? cell : cells - 1]++;
  }
  double expected = n / (double)cells;
  for (size_t i = 0; i < cells; i++) {
    double apart = (double)counts[i] - expected;
    sum += apart * apart / expected;
  }
  double freedom = (double)cells - 1 - candidate->numbers;
  return 1 - ls_gamma_share(freedom / 2, sum / 2);
}

static double judge(const struct candidate *candidate, size_t count) {
  return candidate->log_likelihood - 0.5 * candidate->numbers * log((double)count);
}

enum ls_status ls_task_law_find(const double *seconds, size_t count, struct ls_task_law *law,
                                struct ls_error *err) {
  if (count == 0) return ls_fail(err, LS_EINVAL, "there is no time of a task");
  struct facts facts = find_facts(seconds, count);
  double n = (double)count;
  *law = (struct ls_task_law){.law = LS_DURATION_CONSTANT,
                              .mean_s = facts.mean,
                              .deviation_s = count > 1 ? facts.deviation * sqrt(n / (n - 1)) : 0,
                              .count = count,
                              .plausibility = (double)NAN};
  if (!(facts.deviation > CONSTANT_VARIATION * facts.mean)) return LS_OK;
  struct candidate best = fit_normal(&facts);
  if (facts.is_positive && facts.log_deviation > 0) {
    const struct candidate others[] = {fit_gamma(&facts), fit_lognormal(&facts),
                                       fit_exponential(&facts)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      if (judge(&others[i], count) > judge(&best, count)) best = others[i];
  }
  law->law = best.law;
  law->plausibility = test_candidate(&best, &facts);
  return LS_OK;
}
