/* check_tasks.h: the tasks of a record: `task_work`, or a `workload` to be made. */
#ifndef LS_LAB_CHECK_TASKS_H
#define LS_LAB_CHECK_TASKS_H

#include "lab/check/check.h"

struct ls_check_tasks {
  double *work; /* owned */
  size_t count;
};

/* LS_EINVAL: neither or both are there, or one is malformed. */
LS_CHECKED enum ls_status ls_check_tasks_read(const struct ls_check_record *record,
                                              struct ls_check_tasks *tasks, struct ls_error *err);
void ls_check_tasks_close(struct ls_check_tasks *tasks);
/* A whole number among the arguments; `otherwise` when it is absent. */
LS_CHECKED enum ls_status ls_check_whole(const struct ls_check_record *record, const char *name,
                                         uint64_t otherwise, uint64_t *number,
                                         struct ls_error *err);

#endif
