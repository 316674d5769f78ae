/* speeds.h: how fast workers are, from what they did.
 *
 * Who happened to get the long units is no slow worker.  Of what the means of workers differ, as
 * much as is more than chance is taken for speed: each worker's mean is drawn towards that of all,
 * the more the fewer units it did and the more units differ (Buehlmann's credibility).
 */
#ifndef LS_MODEL_SPEEDS_H
#define LS_MODEL_SPEEDS_H

#include <stddef.h>

/* What one worker did; no units: nothing is known of it. */
struct ls_speed_sample {
  double units, seconds; /* >= 0; a sum over the units */
};

/* Writes seconds per unit for each worker, `count` entries, >= 1e-9.  `squares`: sum of the squared
 * seconds of all units; of whom nothing is known the mean is expected.  Returns that mean. */
double ls_speeds_estimate(const struct ls_speed_sample *samples, size_t count, double squares,
                          double *unit_seconds);

#endif
