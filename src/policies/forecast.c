/* forecast.c: the mean of the latest times, and the choice of their number.
 *
 * Reference:  rosenvinge2004, chapter 9, wishes for an eta that is found by itself; the choice is
 *             ours, that of predictor.c for one worker.
 * Assumes:    a unit of a worker takes about as long as one of its latest ones.
 * Answers:    the length with the least mean relative error of its last 50 forecasts, each of the
 *             very next time, relative to the mean of those 50 times; another only when it is 2 %
 *             better; 20 until there are 50 forecasts.  Relative to each single time, units that
 *             happen to be short would decide; of a few forecasts, chance would: with exponential
 *             times the makespan was 30 % longer so.
 * Cost:       O(sum of the lengths) for a time.
 * Symbols:    eta -> length.
 */
#include "policies/forecast.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"

static const double BETTER = 0.98;

static const size_t lengths[LS_FORECAST_LENGTHS] = {1, 2, 5, 10, 20, LS_FORECAST_TIMES};
enum { FIRST_CHOICE = 4 }; /* the thesis' own */

/* The means of the latest times by every length, from the newest time back: from scratch, so that
 * no rounding error gathers, and as a running mean, which is exact for equal values. */
static void average_latest(const struct ls_forecast *forecast, double means[LS_FORECAST_LENGTHS]) {
  double mean = 0;
  uint64_t added = 0;
  for (size_t i = 0; i < LS_FORECAST_LENGTHS; i++) {
    for (; added < lengths[i] && added < forecast->count; added++) {
      uint64_t place = (forecast->count - 1 - added) % LS_FORECAST_TIMES;
      mean += (forecast->times[place] - mean) / ((double)added + 1);
    }
    means[i] = mean;
  }
}

static double sum_errors(const struct ls_forecast *forecast, size_t choice) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < LS_FORECAST_ERRORS; i++) ls_sum_add(&sum, forecast->errors[choice][i]);
  return ls_sum_value(&sum);
}

/* All are relative to the same times, so that their sums compare as the relative errors do. */
static void choose(struct ls_forecast *forecast) {
  double least = BETTER * sum_errors(forecast, forecast->chosen);
  for (size_t i = 0; i < LS_FORECAST_LENGTHS; i++) {
    double error = sum_errors(forecast, i);
    if (!(error < least)) continue;
    least = error;
    forecast->chosen = i;
  }
}

void ls_forecast_observe(struct ls_forecast *forecast, double seconds) {
  double means[LS_FORECAST_LENGTHS];
  bool has_forecast = forecast->count > 0;
  assert(seconds > 0 && isfinite(seconds));
  if (has_forecast)
    average_latest(forecast, means);
  else
    forecast->chosen = FIRST_CHOICE;
  for (size_t i = 0; has_forecast && i < LS_FORECAST_LENGTHS; i++)
    forecast->errors[i][(forecast->count - 1) % LS_FORECAST_ERRORS] = fabs(means[i] - seconds);
  forecast->times[forecast->count++ % LS_FORECAST_TIMES] = seconds;
  if (forecast->count > LS_FORECAST_ERRORS) choose(forecast);
}

double ls_forecast_seconds(const struct ls_forecast *forecast) {
  double means[LS_FORECAST_LENGTHS];
  if (forecast->count == 0) return (double)NAN;
  average_latest(forecast, means);
  return means[forecast->chosen];
}

size_t ls_forecast_length(const struct ls_forecast *forecast) {
  return lengths[forecast->count > 0 ? forecast->chosen : FIRST_CHOICE];
}
