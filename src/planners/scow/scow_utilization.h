/* scow_utilization.h: the best use of network and workers in one period of T seconds (MU).
 *
 * U = the busier of master and network over T, plus the mean share of T that the workers with units
 * compute.  docs/theory/scow.md, 3.2.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_UTILIZATION_H
#define LS_PLANNERS_SCOW_SCOW_UTILIZATION_H

#include "base/status.h"
#include "planners/budget.h"
#include "planners/scow/scow_star.h"

/* Theorem 8: the better of q full workers and q full and one partial worker (identical ones); may
 * be too low where the partial worker gets nothing. 0: the period is too short. */
double ls_scow_utilize_by_rule(const struct ls_scow_worker *worker, size_t count, double period_s);
/* What is found; the caller gives `units` an entry by position. */
struct ls_scow_utilization {
  double value; /* U; 0: the period is too short for all */
  double *units;
};
/* The largest U: in closed form for identical workers, else by a mixed-integer program for each
 * number of workers. A limit of chunks that become small counts as reached. `budget` as of
 * ls_scow_produce_exactly. */
LS_CHECKED enum ls_status ls_scow_utilize(const struct ls_scow_star *star, double period_s,
                                          struct ls_budget *budget,
                                          struct ls_scow_utilization *found, struct ls_error *err);

#endif
