/* single_fork.c: latency and cost of single-fork replication.
 *
 * Reference:  wang2015, section 3; the derivations are ours.
 * Assumes:    independent times of one law; as many workers as runs.
 * Answers:    the fork is at the order statistic X(k:n), k = n - m.  From there on a task takes the
 *             least of what is left of its original and of r fresh times.
 *             Exponential law: what is left is exponential whenever the fork is, so that a task is
 *             left after t with probability exp(-mu t) up to the shift s, and exp(-mu t - r mu (t -
 *             s)) behind it.  The mean of the longest of m such times, with v = 1 - exp(-mu s), is
 *             sum over j = 1 .. m of (v^j + (1 - v^j) / (r + 1)) / (mu j).
 *             Pareto's law: what is left depends on the fork at x: (x / (x + t))^a times
 *             min(1, (x_m / t)^a)^r; means are integrals over t, and over w = (x_m / x)^a, which
 *             has the law Beta(m + 1, k).
 *             Limits: x = x_m (n / m)^(1/a); what is left of a task after a long t more has the
 *             tail (c / (t + x / (r + 1)))^b, b = (r + 1) a, and the longest of m such times is
 *             Gamma(1 - 1/b) c m^(1/b) (Frechet) less x / (r + 1); of exponential ones by H_m.
 * Cost:       O(n); for Pareto's law some 400,000 powers.
 * Symbols:    n -> tasks, m -> left, r -> replicas, s, x_m -> least_s, mu, a -> shape.
 */
#include "theory/single_fork.h"

#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"

enum { OUTER_STEPS = 240, NEAR_STEPS = 512, FAR_STEPS = 600 };
/* exp(-36) is below the last digit. */
static const double TAIL = 36;

static enum ls_status check(const struct ls_fork_setup *setup, struct ls_error *err) {
  bool is_pareto = setup->law == LS_FORK_PARETO;
  if (!(setup->least_s >= 0 && isfinite(setup->least_s)) || (is_pareto && !(setup->least_s > 0)))
    return ls_fail(err, LS_EINVAL, "least_s is %g, must be finite and %s 0", setup->least_s,
                   is_pareto ? ">" : ">=");
  if (!(setup->shape > (is_pareto ? 1 : 0) && isfinite(setup->shape)))
    return ls_fail(err, LS_EINVAL, "shape is %g, must be finite and > %d", setup->shape, is_pareto);
  if (setup->tasks == 0) return ls_fail(err, LS_EINVAL, "tasks is 0, must be >= 1");
  if (setup->left > setup->tasks)
    return ls_fail(err, LS_EINVAL, "left is %zu, must be <= tasks (%zu)", setup->left,
                   setup->tasks);
  return LS_OK;
}

/* 1/from + ... + 1/to. */
static double sum_inverses(size_t from, size_t to) {
  struct ls_sum sum = {0};
  for (size_t j = to; j >= from; j--) ls_sum_add(&sum, 1 / (double)j);
  return ls_sum_value(&sum);
}

/* ---- shifted exponential ---- */

static struct ls_fork_expectation expect_exponential(const struct ls_fork_setup *setup) {
  double s = setup->least_s, mu = setup->shape;
  double n = (double)setup->tasks, m = (double)setup->left, runs = (double)setup->replicas + 1;
  /* Forked at once, nobody has a head start: the least of all runs is exponential, too. */
  if (setup->left == setup->tasks)
    return (struct ls_fork_expectation){s + sum_inverses(1, setup->tasks) / (runs * mu),
                                        n * (runs * s + 1 / mu)};
  double late = -expm1(-mu * s), power = 1;
  struct ls_sum longest = {0};
  for (size_t j = 1; j <= setup->left; j++) {
    power *= late;
    ls_sum_add(&longest, (power + (1 - power) / runs) / ((double)j * mu));
  }
  double rest_s = (late + (1 - late) / runs) / mu;
  return (struct ls_fork_expectation){
      s + sum_inverses(setup->left + 1, setup->tasks) / mu + ls_sum_value(&longest),
      n * s + (n - m) / mu + m * runs * rest_s};
}

/* ---- Pareto ---- */

/* The mean of the k-th least of n times with this shape, by that of the one before it. */
static double expect_next_order(const struct ls_fork_setup *setup, double shape, size_t k,
                                double before_s) {
  double above = (double)(setup->tasks - k + 1);
  return (k > 1 ? before_s : setup->least_s) * above / (above - 1 / shape);
}

static double expect_longest(const struct ls_fork_setup *setup, double shape) {
  double longest_s = 0;
  for (size_t k = 1; k <= setup->tasks; k++)
    longest_s = expect_next_order(setup, shape, k, longest_s);
  return longest_s;
}

/* A task that is left at the fork is left after t more, when its replicas may have ended, with this
 * probability. */
static double find_left(const struct ls_fork_setup *setup, double fork_s, double t) {
  double a = setup->shape, all = a * log(fork_s / (fork_s + t));
  return exp(all + (double)setup->replicas * a * log(setup->least_s / t));
}

/* 1 - (1 - left)^m: one of m such tasks is left. */
static double find_any(double left, double m) {
  return left < 1 ? -expm1(m * log1p(-left)) : 1;
}

struct rest {
  double longest_s, mean_s; /* of the m tasks; of each */
};

/* Simpson's rule, over log(1 + t / fork_s) up to the least time of a replica, as far as anything is
 * left: with a large shape that is a small part of it; and over log t behind it. */
static struct rest expect_rest(const struct ls_fork_setup *setup, double fork_s) {
  double m = (double)setup->left, least_s = setup->least_s;
  double tail = ((double)setup->replicas + 1) * setup->shape;
  double far = (log(m) + setup->shape * log(fork_s / least_s)) / tail + TAIL / (tail - 1);
  double near = fmin(log1p(least_s / fork_s), (log(m) + TAIL) / setup->shape);
  double near_step = near / NEAR_STEPS, far_step = far / FAR_STEPS;
  struct ls_sum longest = {0}, mean = {0};
  for (size_t i = 0; i <= NEAR_STEPS; i++) {
    double weight = (i == 0 || i == NEAR_STEPS ? 1 : i % 2 == 1 ? 4 : 2) * near_step / 3;
    double u = (double)i * near_step, left = exp(-setup->shape * u), share = fork_s * exp(u);
    ls_sum_add(&mean, weight * share * left);
    ls_sum_add(&longest, weight * share * find_any(left, m));
  }
  for (size_t i = 0; i <= FAR_STEPS; i++) {
    double weight = (i == 0 || i == FAR_STEPS ? 1 : i % 2 == 1 ? 4 : 2) * far_step / 3;
    double t = least_s * exp((double)i * far_step), left = find_left(setup, fork_s, t);
    ls_sum_add(&mean, weight * t * left);
    ls_sum_add(&longest, weight * t * find_any(left, m));
  }
  return (struct rest){ls_sum_value(&longest), ls_sum_value(&mean)};
}

/* That of the density of Beta(m + 1, k) where w and 1 - w are 1. */
static double find_log_density(const struct ls_fork_setup *setup) {
  size_t ended = setup->tasks - setup->left;
  struct ls_sum sum = {0};
  ls_sum_add(&sum, log((double)ended));
  for (size_t j = 1; j <= ended; j++) ls_sum_add(&sum, log((double)(setup->left + j) / (double)j));
  return ls_sum_value(&sum);
}

/* The trapezoid rule over the logarithm of w / (1 - w), where the density falls off on both sides:
 * exact but for the last digits. */
static struct rest expect_rest_of_all(const struct ls_fork_setup *setup) {
  double m = (double)setup->left, k = (double)(setup->tasks - setup->left);
  double centre = log((m + 1) / k), width = sqrt(1 / (m + 1) + 1 / k);
  double from = centre - fmax(9 * width, TAIL / m), to = centre + fmax(9 * width, TAIL / k);
  double step = (to - from) / OUTER_STEPS;
  double scale = find_log_density(setup);
  struct ls_sum longest = {0}, mean = {0};
  for (size_t i = 0; i <= OUTER_STEPS; i++) {
    double y = from + (double)i * step;
    double log_w = -log1p(exp(-y)), log_rest = -log1p(exp(y));
    double density = step * exp(scale + (m + 1) * log_w + k * log_rest);
    if (!(density > 0)) continue;
    struct rest rest = expect_rest(setup, setup->least_s * exp(-log_w / setup->shape));
    ls_sum_add(&longest, density * rest.longest_s);
    ls_sum_add(&mean, density * rest.mean_s);
  }
  return (struct rest){ls_sum_value(&longest), ls_sum_value(&mean)};
}

static struct ls_fork_expectation expect_pareto(const struct ls_fork_setup *setup) {
  double n = (double)setup->tasks, m = (double)setup->left, runs = (double)setup->replicas + 1;
  double all = runs * setup->shape;
  /* Without replicas there is no fork, and nothing to integrate. */
  if (setup->left == setup->tasks || setup->replicas == 0)
    return (struct ls_fork_expectation){expect_longest(setup, all),
                                        n * runs * setup->least_s * all / (all - 1)};
  struct ls_sum before = {0};
  double fork_s = 0;
  for (size_t k = 1; k <= setup->tasks - setup->left; k++) {
    fork_s = expect_next_order(setup, setup->shape, k, fork_s);
    ls_sum_add(&before, fork_s);
  }
  struct rest rest = {0, 0};
  if (setup->left > 0) rest = expect_rest_of_all(setup);
  return (struct ls_fork_expectation){fork_s + rest.longest_s,
                                      ls_sum_value(&before) + m * (fork_s + runs * rest.mean_s)};
}

enum ls_status ls_fork_expect(const struct ls_fork_setup *setup,
                              struct ls_fork_expectation *expectation, struct ls_error *err) {
  enum ls_status status = check(setup, err);
  if (status != LS_OK) return status;
  struct ls_fork_expectation got =
      setup->law == LS_FORK_PARETO ? expect_pareto(setup) : expect_exponential(setup);
  if (!(isfinite(got.latency_s) && isfinite(got.worker_s)))
    return ls_fail(err, LS_EINVAL,
                   "least_s is %g and shape %g: the expectation is beyond the largest number",
                   setup->least_s, setup->shape);
  *expectation = got;
  return LS_OK;
}

enum ls_status ls_fork_limit(const struct ls_fork_setup *setup, double *latency_s,
                             struct ls_error *err) {
  static const double EULER = 0.57721566490153286;
  enum ls_status status = check(setup, err);
  if (status != LS_OK) return status;
  if (setup->left == 0 || setup->left == setup->tasks)
    return ls_fail(err, LS_EINVAL, "left is %zu, must be 1 to %zu", setup->left, setup->tasks - 1);
  double s = setup->least_s, m = (double)setup->left, runs = (double)setup->replicas + 1;
  double share = (double)setup->tasks / m;
  if (setup->law == LS_FORK_SHIFTED_EXPONENTIAL) {
    double mu = setup->shape;
    *latency_s = s + log(share) / mu + s + ((log(m) + EULER) / mu - s) / runs;
    return LS_OK;
  }
  double b = runs * setup->shape, fork_s = s * pow(share, 1 / setup->shape);
  double c = pow(fork_s, 1 / runs) * pow(s, 1 - 1 / runs);
  *latency_s = fork_s * (1 - 1 / runs) + tgamma(1 - 1 / b) * c * pow(m, 1 / b);
  return LS_OK;
}
