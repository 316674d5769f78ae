/* speeds.c: credible speeds. */
#include "theory/speeds.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

static const double SECONDS_LEAST = 1e-9;

static bool is_known(const struct ls_speed_sample *sample) {
  return sample->units > 0 && sample->seconds > 0;
}

/* Of the units of all workers together: those of one worker miss the rare long ones that it did not
 * get. */
static double measure_variance(double units, double seconds, double squares) {
  assert(units >= 0);
  return units > 1 ? fmax(0, (squares - seconds / units * seconds) / (units - 1)) : 0;
}

double ls_speeds_estimate(const struct ls_speed_sample *samples, size_t count,
                          double *unit_seconds) {
  double units = 0, seconds = 0, squares = 0, between = 0, chance = 0, known = 0;
  for (size_t i = 0; i < count; i++) {
    units += samples[i].units;
    seconds += samples[i].seconds;
    squares += samples[i].squares;
  }
  double mean_s = units > 0 ? fmax(seconds / units, SECONDS_LEAST) : SECONDS_LEAST;
  double variance = measure_variance(units, seconds, squares);
  for (size_t i = 0; i < count; i++) {
    if (!is_known(&samples[i])) continue;
    double off_s = samples[i].seconds / samples[i].units - mean_s;
    between += off_s * off_s;
    chance += variance / samples[i].units;
    known++;
  }
  double speed = known > 0 ? fmax(0, between - chance) / known : 0;
  for (size_t i = 0; i < count; i++) {
    unit_seconds[i] = mean_s;
    if (!is_known(&samples[i])) continue;
    double error = variance / samples[i].units;
    double trust = speed + error > 0 ? speed / (speed + error) : 1;
    double unit_s = mean_s + trust * (samples[i].seconds / samples[i].units - mean_s);
    unit_seconds[i] = fmax(unit_s, SECONDS_LEAST);
  }
  return mean_s;
}
