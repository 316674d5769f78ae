/* run_cost.h: what a run will cost, by what is known before it: how long, how much of how many
 * workers, and how many of them pay.
 *
 * The duration is that of the run's own policy, simulated many times (run_predict.h); where the
 * times come from an earlier run of few units, their mean is uncertain, too.  Which numbers of
 * workers pay is the advice on the size of runs (size_advice.h) for tasks with these times.
 */
#ifndef LS_ADVISE_RUN_COST_H
#define LS_ADVISE_RUN_COST_H

#include <stdbool.h>

#include "advise/run_predict.h"
#include "advise/size_advice.h"
#include "base/status.h"

struct ls_run_cost {
  bool is_known;                    /* else nothing is known of the times of tasks */
  double least_s, median_s, most_s; /* the 10, 50 and 90 % quantile of the duration */
  double work_s;                    /* computing, of all workers together; the mean */
  size_t workers;                   /* that were simulated */
  size_t draws;
  struct ls_size_advice size; /* not known: too many tasks */
};

/* The caller closes, also after a failure. As ls_run_predict. */
LS_CHECKED enum ls_status ls_run_cost_find(const struct ls_run_predictable *run,
                                           struct ls_run_cost *cost, struct ls_error *err);
void ls_run_cost_close(struct ls_run_cost *cost);

#endif
