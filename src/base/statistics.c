#include "base/statistics.h"

#include <assert.h>
#include <math.h>

void ls_sum_add(struct ls_sum *sum, double value) {
  double total = sum->total + value;
  /* The digits that the smaller of the two loses are kept aside. */
  if (fabs(sum->total) >= fabs(value)) {
    sum->compensation += (sum->total - total) + value;
  } else {
    sum->compensation += (value - total) + sum->total;
  }
  sum->total = total;
}

double ls_sum_value(const struct ls_sum *sum) {
  /* Once a term is infinite the compensation is NaN, but the total is right. */
  if (!isfinite(sum->total)) return sum->total;
  return sum->total + sum->compensation;
}

void ls_moments_add(struct ls_moments *moments, double value) {
  moments->count++;
  double before = value - moments->mean;
  moments->mean += before / (double)moments->count;
  moments->squares += before * (value - moments->mean);
  if (moments->count == 1 || value < moments->least) moments->least = value;
  if (moments->count == 1 || value > moments->largest) moments->largest = value;
}

double ls_moments_deviation(const struct ls_moments *moments) {
  if (moments->count < 2) return 0;
  return sqrt(fmax(0, moments->squares) / (double)(moments->count - 1));
}

double ls_quantile_sorted(const double *sorted, size_t count, double q) {
  assert(count >= 1);
  assert(q >= 0 && q <= 1);
  double position = q * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) return sorted[count - 1];
  double fraction = position - (double)below;
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}
