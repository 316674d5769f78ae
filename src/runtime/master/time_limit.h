/* time_limit.h: the time that a unit may take, where it follows from what others took: a percentage
 * of the median of those that have succeeded.
 */
#ifndef LS_RUNTIME_MASTER_TIME_LIMIT_H
#define LS_RUNTIME_MASTER_TIME_LIMIT_H

#include <stdbool.h>

#include "base/median.h"

/* Starts as {.percent = P}; 0: there is no such limit. */
struct ls_time_limit {
  double percent;
  double told_s; /* the limit that workers have; 0: none yet */
  struct ls_median median;
};

/* A unit took so long. True: `told_s` is another limit, which workers are to hear of. It is known
 * after three units, and changes by a twentieth at least. */
bool ls_time_limit_learn(struct ls_time_limit *limit, double seconds);
void ls_time_limit_close(struct ls_time_limit *limit);

#endif
