/* median.h: the median of numbers that come one by one.
 *
 * Two heaps: the lower half and the upper half; a number costs O(log n), the median nothing.
 */
#ifndef LS_BASE_MEDIAN_H
#define LS_BASE_MEDIAN_H

#include <stddef.h>

#include "base/status.h"

/* Starts as {0}. */
struct ls_median {
  double *halves[2]; /* the lower one with its greatest first, the upper one with its least */
  size_t counts[2], capacities[2];
};

/* Not NaN. LS_ENOMEM: it is as before. */
LS_CHECKED enum ls_status ls_median_add(struct ls_median *median, double number);
size_t ls_median_count(const struct ls_median *median);
/* The mean of the two middle ones of an even number; there is at least one. */
double ls_median_value(const struct ls_median *median);
void ls_median_close(struct ls_median *median);

#endif
