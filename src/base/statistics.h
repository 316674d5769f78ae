/* statistics.h: sums that do not lose digits, running mean and deviation, order statistics. */
#ifndef LS_BASE_STATISTICS_H
#define LS_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* Neumaier's compensated sum. Starts as {0}. */
struct ls_sum {
  double total, compensation;
};

void ls_sum_add(struct ls_sum *sum, double value);
double ls_sum_value(const struct ls_sum *sum);

/* Welford's running moments. Starts as {0}. */
struct ls_moments {
  uint64_t count;
  double mean, squares; /* sum of squared differences from the mean */
  double least, largest;
};

void ls_moments_add(struct ls_moments *moments, double value);
/* Sample deviation (n - 1); 0 for fewer than two values. */
double ls_moments_deviation(const struct ls_moments *moments);

/* The q-quantile (0 <= q <= 1, linear interpolation) of `count` >= 1 values sorted ascending. */
double ls_quantile_sorted(const double *sorted, size_t count, double q);

#endif
