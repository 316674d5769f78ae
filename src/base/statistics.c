#include "base/statistics.h"

#include <assert.h>
#include <math.h>

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
