/* speed.h: how fast a worker is at which time.
 *
 * A share of the nominal speed, constant on pieces; before the first piece it is 1, after the last
 * one that of the last.  Ends of work are solved exactly, piece by piece: there are no time steps.
 */
#ifndef LS_THEORY_SPEED_H
#define LS_THEORY_SPEED_H

#include <stddef.h>

#include "theory/load_pattern.h"

struct ls_speed {
  const struct ls_availability
      *pieces; /* ascending from_s; borrowed; may be NULL when count is 0 */
  size_t count;
  double factor; /* on top of the share, > 0; 1: none */
};

/* The instant at which `work_s` seconds of nominal work that begin at `from_s` are done; INFINITY
 * when the share is 0 for ever before that. */
double ls_speed_end(const struct ls_speed *speed, double from_s, double work_s);
/* Seconds of nominal work done between two instants. */
double ls_speed_work(const struct ls_speed *speed, double from_s, double to_s);

#endif
