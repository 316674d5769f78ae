/* task_law.h: how the times of single tasks are spread, and which law tells it best. */
#ifndef LS_CALIBRATE_TASK_LAW_H
#define LS_CALIBRATE_TASK_LAW_H

#include <stddef.h>

#include "base/status.h"
#include "model/duration_law.h"

struct ls_task_law {
  enum ls_duration_law law;
  double mean_s, deviation_s; /* of the times themselves */
  size_t count;
  /* Pearson's test over cells of equal probability: how likely times of this law are spread no
   * better than these. NAN: too few times, or the law is constant. */
  double plausibility;
};

/* Of `count` >= 1 times >= 0: the law of the largest likelihood, each number of a law weighed by
 * half of log(count) (Schwarz). A time of 0 leaves only the constant and the normal law. */
LS_CHECKED enum ls_status ls_task_law_find(const double *seconds, size_t count,
                                           struct ls_task_law *law, struct ls_error *err);

#endif
