/* task_times.c: the work of tasks, drawn from a law. */
#include "simulate/task_times.h"

#include <math.h>
#include <stdbool.h>

static const double NORMAL_LEAST = 0.01;
static const double BIMODAL_SHARE = 0.2, BIMODAL_FACTOR = 10;
static const double RAMP_MOST = 2, RAMP_LEAST = 0.02;

static const double STRAGGLER_FACTOR = 8;

const char *const ls_task_law_names[] = {"constant",  "normal",      "gamma",
                                         "lognormal", "exponential", "bimodal",
                                         "ramp-down", "ramp-up",     "shifted-exponential",
                                         "pareto",    "stragglers",  NULL};

/* Below it times differ in digits that nobody sees, and 1 / v^2 need not be a number. */
static const double VARIATION_LEAST = 1e-9;

/* In (0, 1], so that its logarithm is finite. */
static double draw_positive(struct ls_random *random) {
  return 1 - ls_random_real(random);
}

/* Box and Muller 1958; one of the two values, so that a draw takes as many numbers each time. */
static double draw_normal(struct ls_random *random) {
  double radius = sqrt(-2 * log(draw_positive(random)));
  return radius * cos(2 * acos(-1) * ls_random_real(random));
}

/* Of mean `shape`: Marsaglia and Tsang 2000; shapes below 1 by their power of a uniform number. */
static double draw_gamma(struct ls_random *random, double shape) {
  if (shape < 1) {
    double power = pow(draw_positive(random), 1 / shape);
    return power * draw_gamma(random, shape + 1);
  }
  double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  while (true) {
    double normal = draw_normal(random), v = 1 + c * normal;
    double chance = draw_positive(random);
    if (!(v > 0)) continue;
    v = v * v * v;
    if (log(chance) < normal * normal / 2 + d - d * v + d * log(v)) return d * v;
  }
}

/* The lesser share of times that are f times the others, which gives this variation v: of
 * (f - 1)^2 q (1 - q) = v^2 (1 + (f - 1) q)^2. */
static double find_straggler_share(double variation) {
  double v = variation * variation, more = STRAGGLER_FACTOR - 1;
  double a = more * more * (1 + v), b = more * more - 2 * more * v;
  return (b - sqrt(fmax(0, b * b - 4 * a * v))) / (2 * a);
}

static double draw_straggler(struct ls_random *random, double variation) {
  double share = find_straggler_share(variation);
  double mean = 1 + share * (STRAGGLER_FACTOR - 1);
  return (ls_random_real(random) < share ? STRAGGLER_FACTOR : 1) / mean;
}

/* (1 + sqrt(1 + 1 / v^2)) is the shape whose variation is v. */
static double draw_pareto(struct ls_random *random, double variation) {
  double chance = draw_positive(random);
  if (!(variation > VARIATION_LEAST)) return 1;
  double shape = 1 + sqrt(1 + 1 / (variation * variation));
  return (shape - 1) / shape * pow(chance, -1 / shape);
}

/* Task `i` of `count`, in units of the mean. */
static double draw_one(const struct ls_task_times *times, struct ls_random *random, uint64_t i,
                       uint64_t count) {
  double variation = times->variation;
  double place = count > 1 ? (double)i / (double)(count - 1) : 0.5;
  double ramp_mean = (RAMP_MOST + RAMP_LEAST) / 2;
  switch (times->law) {
    case LS_TASK_NORMAL:
      return fmax(NORMAL_LEAST, 1 + variation * draw_normal(random));
    case LS_TASK_GAMMA:
      if (!(variation > VARIATION_LEAST)) return 1;
      return draw_gamma(random, 1 / (variation * variation)) * variation * variation;
    case LS_TASK_LOGNORMAL: {
      double square = log1p(variation * variation);
      return exp(sqrt(square) * draw_normal(random) - square / 2);
    }
    case LS_TASK_EXPONENTIAL:
      return -log(draw_positive(random));
    case LS_TASK_BIMODAL:
      return (ls_random_real(random) < BIMODAL_SHARE ? BIMODAL_FACTOR : 1) /
             (1 + BIMODAL_SHARE * (BIMODAL_FACTOR - 1));
    case LS_TASK_RAMP_DOWN:
      return (RAMP_MOST - (RAMP_MOST - RAMP_LEAST) * place) / ramp_mean;
    case LS_TASK_RAMP_UP:
      return (RAMP_LEAST + (RAMP_MOST - RAMP_LEAST) * place) / ramp_mean;
    case LS_TASK_SHIFTED_EXPONENTIAL:
      return 1 - variation - variation * log(draw_positive(random));
    case LS_TASK_PARETO:
      return draw_pareto(random, variation);
    case LS_TASK_STRAGGLERS:
      return draw_straggler(random, variation);
    default:
      return 1;
  }
}

double ls_task_times_variation(const struct ls_task_times *times) {
  double mean = 1 + BIMODAL_SHARE * (BIMODAL_FACTOR - 1);
  double square = 1 + BIMODAL_SHARE * (BIMODAL_FACTOR * BIMODAL_FACTOR - 1);
  switch (times->law) {
    case LS_TASK_NORMAL:
    case LS_TASK_GAMMA:
    case LS_TASK_LOGNORMAL:
    case LS_TASK_SHIFTED_EXPONENTIAL:
    case LS_TASK_PARETO:
    case LS_TASK_STRAGGLERS:
      return times->variation;
    case LS_TASK_EXPONENTIAL:
      return 1;
    case LS_TASK_BIMODAL:
      return sqrt(square - mean * mean) / mean;
    case LS_TASK_RAMP_DOWN:
    case LS_TASK_RAMP_UP:
      return (RAMP_MOST - RAMP_LEAST) / sqrt(12) / ((RAMP_MOST + RAMP_LEAST) / 2);
    default:
      return 0;
  }
}

struct ls_task_times ls_task_times_of(const struct ls_worker_model *worker) {
  static const enum ls_task_law laws[LS_DURATION_LAWS] = {
      [LS_DURATION_CONSTANT] = LS_TASK_CONSTANT,
      [LS_DURATION_NORMAL] = LS_TASK_NORMAL,
      [LS_DURATION_GAMMA] = LS_TASK_GAMMA,
      [LS_DURATION_LOGNORMAL] = LS_TASK_LOGNORMAL,
      [LS_DURATION_EXPONENTIAL] = LS_TASK_EXPONENTIAL,
      [LS_DURATION_SHIFTED_EXPONENTIAL] = LS_TASK_SHIFTED_EXPONENTIAL,
      [LS_DURATION_PARETO] = LS_TASK_PARETO,
      [LS_DURATION_STRAGGLERS] = LS_TASK_STRAGGLERS};
  return (struct ls_task_times){laws[worker->unit_law], 1, worker->unit_variation};
}

static double find_variation_most(enum ls_task_law law) {
  enum ls_duration_law found;
  bool is_of_workers = ls_duration_law_find(ls_task_law_names[law], &found);
  return is_of_workers ? ls_duration_law_variation_most(found) : (double)INFINITY;
}

double ls_task_times_next(const struct ls_task_times *times, struct ls_random *random) {
  return times->mean * draw_one(times, random, 0, 1);
}

enum ls_status ls_task_times_draw(const struct ls_task_times *times, struct ls_random *random,
                                  double *work, uint64_t count, struct ls_error *err) {
  if ((unsigned)times->law >= LS_TASK_LAWS)
    return ls_fail(err, LS_EINVAL, "task_times.law is %d, must be below %d", (int)times->law,
                   (int)LS_TASK_LAWS);
  if (!(times->mean > 0 && isfinite(times->mean)))
    return ls_fail(err, LS_EINVAL, "task_times.mean is %g, must be finite and > 0", times->mean);
  if (!(times->variation >= 0 && isfinite(times->variation)))
    return ls_fail(err, LS_EINVAL, "task_times.variation is %g, must be finite and >= 0",
                   times->variation);
  double most = find_variation_most(times->law);
  if (!(times->variation <= most))
    return ls_fail(err, LS_EINVAL, "task_times.variation is %g, must be <= %g where the law is %s",
                   times->variation, most, ls_task_law_names[times->law]);
  for (uint64_t i = 0; i < count; i++) work[i] = times->mean * draw_one(times, random, i, count);
  return LS_OK;
}
