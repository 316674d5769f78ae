/* distribution.c: shares of the gamma and the normal law, digamma.
 *
 * Reference:  Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29 (the incomplete
 *             gamma function as a series) and 6.5.31 (as a continued fraction), 6.3.18 and 6.4.12
 *             (digamma and trigamma).
 */
#include "calibrate/distribution.h"

#include <assert.h>
#include <math.h>

static const double SMALL = 1e-16;
enum { TERMS_MAX = 10000 };

double ls_log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

static double add_series(double shape, double x) {
  double term = 1 / shape, sum = term;
  for (int i = 1; i < TERMS_MAX && term > SMALL * sum; i++) {
    term *= x / (shape + i);
    sum += term;
  }
  return sum;
}

/* Lentz's way through the continued fraction of the upper share. */
static double follow_fraction(double shape, double x) {
  const double tiny = 1e-300;
  double b = x + 1 - shape, c = 1 / tiny, d = 1 / b, product = d;
  for (int i = 1; i < TERMS_MAX; i++) {
    double a = -i * (i - shape);
    b += 2;
    d = a * d + b;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    c = b + a / c;
    c = fabs(c) < tiny ? tiny : c;
    product *= d * c;
    if (fabs(d * c - 1) < 1e-15) break;
  }
  return product;
}

double ls_gamma_share(double shape, double x) {
  assert(shape > 0 && x >= 0);
  if (!(x > 0)) return 0;
  if (isinf(x)) return 1;
  double factor = exp(shape * log(x) - x - ls_log_gamma(shape));
  if (x < shape + 1) return fmin(1, factor * add_series(shape, x));
  return fmax(0, 1 - factor * follow_fraction(shape, x));
}

double ls_normal_share(double x) {
  return 0.5 * (1 + erf(x / sqrt(2)));
}

/* Both go up by their recurrence to where the asymptotic series is exact. */
double ls_digamma(double x) {
  assert(x > 0);
  double sum = 0;
  for (; x < 10; x++) sum -= 1 / x;
  double y = 1 / (x * x);
  return sum + log(x) - 0.5 / x - y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y / 240)));
}

double ls_trigamma(double x) {
  assert(x > 0);
  double sum = 0;
  for (; x < 10; x++) sum += 1 / (x * x);
  double y = 1 / (x * x);
  return sum + 1 / x + y / 2 + y / x * (1. / 6 - y * (1. / 30 - y * (1. / 42 - y / 30)));
}
