/* speeds.h: how fast workers are, from what they did.
 *
 * A worker that drew the long units is not thereby slow.  A difference between the means of workers
 * counts as speed only as far as it exceeds chance: each worker's mean is drawn towards that of
 * all, the more the fewer units it did and the more units differ (Buehlmann's credibility).
 */
#ifndef LS_THEORY_SPEEDS_H
#define LS_THEORY_SPEEDS_H

#include <stddef.h>

/* What one worker did; no units: nothing is known of it. */
struct ls_speed_sample {
  double units, seconds, squares; /* >= 0; sums over the units of their seconds and squares */
};

/* Writes seconds per unit for each worker, `count` entries, >= 1e-9.  A worker without units is
 * expected to have the mean.  Returns that mean. */
double ls_speeds_estimate(const struct ls_speed_sample *samples, size_t count,
                          double *unit_seconds);

#endif
