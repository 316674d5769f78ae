#include "runtime/master/guests/result_bounds.h"

#include <math.h>

/* Clocks differ by so much, in parts and in seconds. */
static const double DRIFT = 0.01, DRIFT_S = 0.05;
/* No clock tells less. */
static const double LEAST_S = 1e-9;
/* Processors that a command may keep busy at once. */
static const double PROCESSORS_MOST = 65536;

static double bound(double seconds, double most_s) {
  return seconds < LEAST_S ? 0 : fmin(seconds, most_s);
}

void ls_result_bound(struct ls_message *result, double out_s) {
  double most_s = fmax(0, out_s) * (1 + DRIFT) + DRIFT_S;
  result->receive_s = bound(result->receive_s, most_s);
  result->compute_s = bound(result->compute_s, most_s - result->receive_s);
  result->stage_s = bound(result->stage_s, most_s);
  result->lead_s = bound(result->lead_s, most_s);
  result->exposed_s = bound(result->exposed_s, most_s);
  result->usage.user_s = fmin(result->usage.user_s, PROCESSORS_MOST * most_s);
  result->usage.system_s = fmin(result->usage.system_s, PROCESSORS_MOST * most_s);
  double sum_s = result->receive_s + result->compute_s;
  double units = fmax(1, (double)result->range.count);
  result->squares = fmin(fmax(result->squares, sum_s * sum_s / units), sum_s * sum_s);
  /* One by one they are of use only where they are times of this result. */
  double latest_s = 0;
  for (size_t i = 0; i < result->latest_count; ++i) latest_s += result->latest[i];
  if (latest_s > sum_s * (1 + DRIFT) + LEAST_S || result->latest_count > result->range.count)
    result->latest_count = 0;
}
