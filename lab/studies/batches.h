/* batches.h: one iteration of an iterated application, in the order of a policy, under list
 * scheduling on equal workers. */
#ifndef LS_LAB_BATCHES_H
#define LS_LAB_BATCHES_H

#include <stddef.h>

#include "base/status.h"
#include "policies/ordering.h"
#include "theory/list_schedule.h"

struct ls_study_order {
  const char *name;      /* of the order: "average" */
  const char *predictor; /* one of ls_predictor_names; NULL: the order's own */
};

/* Plays `view->units` tasks that take `view->actual` seconds; the arguments of the view are not
 * looked at.  LS_EINVAL: there is no such order or predictor. */
LS_CHECKED enum ls_status ls_study_batch(const struct ls_study_order *order,
                                         const struct ls_ordering_view *view, size_t workers,
                                         struct ls_list_schedule *schedule, struct ls_error *err);

/* The same on workers of these speeds, the fastest first: worker i takes `per_unit[i]` seconds for
 * a second of a task; `worker_of_task` has `view->units` entries. */
struct ls_study_crew {
  size_t workers;
  const double *per_unit;
  uint32_t *worker_of_task;
};
LS_CHECKED enum ls_status ls_study_batch_on(const struct ls_study_order *order,
                                            const struct ls_ordering_view *view,
                                            const struct ls_study_crew *crew,
                                            struct ls_list_schedule *schedule,
                                            struct ls_error *err);

#endif
