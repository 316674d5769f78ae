/* workload.h: the task times of an iterated application, made from five numbers.
 *
 * A fifth of the tasks carries a given share of the total, the others the rest; within each group
 * the times are equal or grow as 1 : 2 : ... : k.  Everything is in units of work (seconds on a
 * worker of speed 1).  Source: heymann2001, chapter 3 (the law within a group is the one that gives
 * all printed perfect numbers).
 */
#ifndef LS_THEORY_WORKLOAD_H
#define LS_THEORY_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"
#include "base/status.h"

LS_C_BEGIN

struct ls_workload {
  size_t tasks;
  double share_percent;            /* of the total, carried by the large tasks; 0 .. 100 */
  bool large_differ, small_differ; /* times within the group grow as 1 : 2 : ... : k */
  double total;                    /* > 0 */
};

/* Writes the times of all tasks into `work` (`tasks` entries): the large ones first, each group
 * growing.  A group without a task leaves its share to the other. */
LS_CHECKED enum ls_status ls_workload_make(const struct ls_workload *workload, double *work,
                                           struct ls_error *err);
/* The time in one iteration of a task that usually takes `work`: (1 + u) times as long with u in
 * [-deviation, deviation] made from `chance` in [0, 1), at least a thousandth. */
double ls_workload_vary(double work, double deviation, double chance);

LS_C_END

#endif
