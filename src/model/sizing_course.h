/* sizing_course.h: how many workers a run wanted, was granted and had, iteration by iteration, and
 * what they made of it.
 *
 * Whoever reads the record of a run fills it in.
 */
#ifndef LS_MODEL_SIZING_COURSE_H
#define LS_MODEL_SIZING_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

LS_C_BEGIN

struct ls_sizing_row {
  uint32_t iteration; /* from 0 on */
  uint64_t units;     /* that were to be done */
  uint64_t wanted;    /* workers, by the sizing */
  uint64_t granted;   /* there, away or on their way, when it ended */
  double present;     /* at work in the mean */
  double away_s;      /* of all workers, suspended meanwhile */
  double begin_s, seconds;
  double useful_s;   /* that units took whose results count */
  double efficiency; /* useful_s over the seconds of those at work */
  /* Of the times that its tasks took: total over largest, and how many equal workers have nearly
   * the least EER; 0: not known. */
  double asp;
  size_t ideal_from, ideal_to;
};

/* Starts as {0}; whoever owns it frees the rows. */
struct ls_sizing_course {
  struct ls_sizing_row *rows;
  size_t count, capacity;
};

LS_C_END

#endif
