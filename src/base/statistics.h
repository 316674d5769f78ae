/* statistics.h: sums that do not lose digits, running mean and deviation, order statistics. */
#ifndef LS_BASE_STATISTICS_H
#define LS_BASE_STATISTICS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Neumaier's compensated sum. Starts as {0}. */
struct ls_sum {
  double total, compensation;
};

/* Inline: a simulation adds up the work of all tasks. */
static inline void ls_sum_add(struct ls_sum *sum, double value) {
  double total = sum->total + value;
  /* The digits that the smaller of the two loses are kept aside. */
  if (fabs(sum->total) >= fabs(value)) {
    sum->compensation += (sum->total - total) + value;
  } else {
    sum->compensation += (value - total) + sum->total;
  }
  sum->total = total;
}
static inline double ls_sum_value(const struct ls_sum *sum) {
  /* Once a term is infinite the compensation is NaN, but the total is right. */
  return isfinite(sum->total) ? sum->total + sum->compensation : sum->total;
}

/* Welford's running moments. Starts as {0}. */
struct ls_moments {
  uint64_t count;
  double mean, squares; /* sum of squared differences from the mean */
  double least, largest;
};

void ls_moments_add(struct ls_moments *moments, double value);
/* Sample deviation (n - 1); 0 for fewer than two values. */
double ls_moments_deviation(const struct ls_moments *moments);

/* Sorts values, none of them NaN. */
void ls_sort_ascending(double *values, size_t count);
/* The q-quantile (0 <= q <= 1, linear interpolation) of `count` >= 1 values sorted ascending. */
double ls_quantile_sorted(const double *sorted, size_t count, double q);
/* The median of `count` >= 1 values, of an even number the mean of the middle two; their order
 * changes.  O(count) on average. */
double ls_median(double *values, size_t count);

#endif
