#include "calibrate/segment_line.h"

#include <math.h>

#include "base/statistics.h"

enum { REFITS_MAX = 12 };
static const double REACH = 4; /* deviations; beyond, a point has no weight */

/* A part of the pairs where there are many: every step-th, in their order. */
static double find_slope(const struct ls_segment_data *data, size_t from, size_t to,
                         const bool *is_left_out, double *slopes) {
  size_t points = to - from, pairs = points * (points - 1) / 2, count = 0, number = 0;
  size_t step = 1 + (pairs - 1) / (LS_SEGMENT_PAIRS_MAX - 1);
  for (size_t i = from; i < to; i++) {
    for (size_t j = i + 1; j < to; j++) {
      if (number++ % step != 0) continue;
      if (is_left_out != NULL && (is_left_out[i] || is_left_out[j])) continue;
      double apart = data->units[j] - data->units[i];
      if (apart > 0) slopes[count++] = (data->seconds[j] - data->seconds[i]) / apart;
    }
  }
  return count > 0 ? ls_median(slopes, count) : 0;
}

double ls_segment_residual(const struct ls_segment_data *data, size_t size,
                           const struct ls_cost *line) {
  double expected = line->latency_s + line->per_unit_s * data->units[size];
  return (data->seconds[size] - expected) / data->deviations[size];
}

static bool refit(const struct ls_segment_data *data, size_t from, size_t to,
                  const bool *is_left_out, struct ls_cost *line) {
  double weights = 0, units = 0, seconds = 0, squares = 0, products = 0;
  for (size_t k = from; k < to; k++) {
    double share = ls_segment_residual(data, k, line) / REACH;
    if (!(fabs(share) < 1) || (is_left_out != NULL && is_left_out[k])) continue;
    double rest = (1 - share * share) / data->deviations[k], weight = rest * rest;
    double apart = data->units[k] - data->units[from];
    weights += weight;
    units += weight * apart;
    seconds += weight * data->seconds[k];
    squares += weight * apart * apart;
    products += weight * apart * data->seconds[k];
  }
  double spread = weights * squares - units * units;
  if (!(spread > 1e-12 * weights * squares)) return false;
  double slope = (weights * products - units * seconds) / spread;
  struct ls_cost next = {(seconds - slope * units) / weights - slope * data->units[from], slope};
  double moved =
      fabs(next.latency_s - line->latency_s) + fabs(slope - line->per_unit_s) * data->units[to - 1];
  *line = next;
  return moved > 1e-9 * data->deviations[from];
}

struct ls_cost ls_segment_line(const struct ls_segment_data *data, size_t from, size_t to,
                               const bool *is_left_out, double *scratch) {
  size_t count = 0;
  struct ls_cost line = {0, find_slope(data, from, to, is_left_out, scratch)};
  for (size_t k = from; k < to; k++)
    if (is_left_out == NULL || !is_left_out[k])
      scratch[count++] = data->seconds[k] - line.per_unit_s * data->units[k];
  line.latency_s = ls_median(scratch, count);
  for (int i = 0; i < REFITS_MAX && refit(data, from, to, is_left_out, &line); i++) continue;
  return line;
}
