/* segment_line.h: the robust line of one operation through a stretch of sizes. */
#ifndef LS_CALIBRATE_SEGMENT_LINE_H
#define LS_CALIBRATE_SEGMENT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/platform.h"

/* One operation over the grid: median times and their deviations. Borrowed. */
struct ls_segment_data {
  const double *units, *seconds, *deviations;
};

enum { LS_SEGMENT_PAIRS_MAX = 1536 /* room for slopes that a caller lends */ };

/* The line through sizes from .. to - 1 (at least two), without those that `is_left_out` (of the
 * grid; NULL: none) marks: the median of pairwise slopes, then weighted refits (docs/theory/
 * scow.md, 7, step 2). */
struct ls_cost ls_segment_line(const struct ls_segment_data *data, size_t from, size_t to,
                               const bool *is_left_out, double *scratch);
/* How many deviations the time of a size is from the line. */
double ls_segment_residual(const struct ls_segment_data *data, size_t size,
                           const struct ls_cost *line);

#endif
