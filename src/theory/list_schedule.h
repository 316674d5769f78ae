/* list_schedule.h: list scheduling: the next task of a list goes to the worker that is free first.
 *
 * Ties go to the faster worker, then to the lower number.  Computing is the only cost: the theory
 * of iterated applications reasons with it (the simulator has all other costs).
 */
#ifndef LS_THEORY_LIST_SCHEDULE_H
#define LS_THEORY_LIST_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_list_setup {
  const double *work; /* units of work by task, >= 0 */
  size_t tasks;
  const uint64_t *list; /* `tasks` task numbers in order; NULL: as numbered */
  size_t workers;
  const double *per_unit; /* seconds per unit of work by worker, > 0; NULL: all 1 */
  const double *costs;    /* price per second by worker, >= 0; NULL: all 1 */
};

struct ls_list_schedule {
  double makespan_s;
  double useful_cost, up_cost; /* seconds computing, and present to the end, times price */
  double efficiency;           /* their quotient; 1 when nothing costs anything */
};

/* `worker_of_task` (`tasks` entries) may be NULL. */
LS_CHECKED enum ls_status ls_list_schedule(const struct ls_list_setup *setup,
                                           struct ls_list_schedule *schedule,
                                           uint32_t *worker_of_task, struct ls_error *err);
/* Writes the numbers 0 .. count - 1 into `list`, sorted by decreasing key; ties: the lower number.
 */
LS_CHECKED enum ls_status ls_list_sort(const double *keys, size_t count, uint64_t *list,
                                       struct ls_error *err);

#endif
