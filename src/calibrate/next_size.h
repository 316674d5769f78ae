/* next_size.h: which sizes to measure next, so that the law of an operation becomes most certain.
 */
#ifndef LS_CALIBRATE_NEXT_SIZE_H
#define LS_CALIBRATE_NEXT_SIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "calibrate/affine_fit.h"

/* Where sizes may be. */
struct ls_size_range {
  double least, most; /* 0 < least <= most */
  bool is_whole;      /* whole units only */
};

/* Chooses `count` sizes one after another, each where a further measurement leaves the least
 * variance of what the law predicts, relative to the time, over the range. `points` are those that
 * were measured (none: count 0), `fit` is theirs; its noise says what a measurement is worth. */
void ls_next_sizes(const struct ls_points *points, const struct ls_affine_fit *fit,
                   const struct ls_size_range *range, double *sizes, size_t count);
/* From where to where it is worth measuring: a tenth of the least size to ten times the most. */
struct ls_size_range ls_size_range_around(const struct ls_affine_fit *fit, bool is_whole);

#endif
