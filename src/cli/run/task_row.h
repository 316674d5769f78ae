/* task_row.h: what replacement strings see of one task: its values, in columns, and its number. */
#ifndef LS_CLI_RUN_TASK_ROW_H
#define LS_CLI_RUN_TASK_ROW_H

#include <stdint.h>

#include "base/status.h"
#include "cli/run/row.h"
#include "cli/run/task_source.h"
#include "cli/run/template.h"

/* Starts as {0}. */
struct ls_task_row {
  const char **inputs; /* as they were read, hosts among them; of a group one after the other */
  size_t count;        /* those that there are: the last group may have fewer */
  size_t capacity;
  struct ls_row columns;
};

/* The facts of a task, in slot 1; borrowed until the next call. LS_EINVAL, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_task_row_read(struct ls_task_row *row,
                                           const struct ls_task_source *source, uint64_t task,
                                           struct ls_template_task *facts, struct ls_error *err);
void ls_task_row_close(struct ls_task_row *row);

#endif
