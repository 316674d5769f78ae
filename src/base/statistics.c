#include "base/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

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

static int compare_values(const void *left, const void *right) {
  const double *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

void ls_sort_ascending(double *values, size_t count) {
  if (count > 1) qsort(values, count, sizeof *values, compare_values);
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

static void swap_values(double *a, double *b) {
  double moved = *a;
  *a = *b;
  *b = moved;
}

/* Partitions values[from .. to] around the middle one of three, Hoare's way: afterwards
 * values[from .. result] <= values[result + 1 .. to]. */
static size_t split_values(double *values, size_t from, size_t to) {
  size_t middle = from + (to - from) / 2;
  if (values[middle] < values[from]) swap_values(&values[middle], &values[from]);
  if (values[to] < values[from]) swap_values(&values[to], &values[from]);
  if (values[to] < values[middle]) swap_values(&values[to], &values[middle]);
  double pivot = values[middle];
  size_t low = from, high = to;
  for (;;) {
    while (values[low] < pivot) low++;
    while (values[high] > pivot) high--;
    if (low >= high) return high;
    swap_values(&values[low++], &values[high--]);
  }
}

/* Brings the value of rank `rank` to its place, smaller ones before it, larger ones behind. */
static void select_rank(double *values, size_t count, size_t rank) {
  size_t from = 0, to = count - 1;
  while (from < to) {
    size_t split = split_values(values, from, to);
    if (rank <= split)
      to = split;
    else
      from = split + 1;
  }
}

double ls_median(double *values, size_t count) {
  assert(count >= 1);
  size_t upper = count / 2;
  select_rank(values, count, upper);
  if (count % 2 == 1) return values[upper];
  double below = values[0];
  for (size_t i = 1; i < upper; i++) below = fmax(below, values[i]);
  return below + (values[upper] - below) / 2;
}
