/* size_climb.h: finds a good task size by climbing a list of sizes.
 *
 * For applications that may cut their work into larger or smaller units.  From a start, both
 * neighbours are measured, each size once, and the climb moves to the better one until neither is
 * better by more than a tolerance.  Start small: beyond the edge of a cache lies a second valley in
 * which a climb stays.  A caller measures at least five tasks per worker for a size.  Plain
 * data; the list of sizes is the caller's.
 */
#ifndef LS_CALIBRATE_SIZE_CLIMB_H
#define LS_CALIBRATE_SIZE_CLIMB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

LS_C_BEGIN

enum { LS_SIZE_CLIMB_MAX = 64 };

struct ls_size_climb {
  size_t count;                      /* sizes, sorted */
  size_t at;                         /* the best so far */
  double tolerance;                  /* share by which a neighbour must be faster */
  double seconds[LS_SIZE_CLIMB_MAX]; /* per unit of work; NAN: not measured */
};

/* 1 <= count <= LS_SIZE_CLIMB_MAX, start < count, 0 <= tolerance < 1 (asserted). */
void ls_size_climb_init(struct ls_size_climb *climb, size_t count, size_t start, double tolerance);
/* Index of the size to measure next; false: the climb has ended at climb->at. */
bool ls_size_climb_next(struct ls_size_climb *climb, size_t *index);
/* Tells the measured seconds, > 0, for the same amount of work in tasks of this size. A size that
 * cannot run is INFINITY. The first measurement of a size counts. */
void ls_size_climb_measured(struct ls_size_climb *climb, size_t index, double seconds);

LS_C_END

#endif
