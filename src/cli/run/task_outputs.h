/* task_outputs.h: that no two tasks of a run make one file. */
#ifndef LS_CLI_RUN_TASK_OUTPUTS_H
#define LS_CLI_RUN_TASK_OUTPUTS_H

#include "cli/run/task_files.h"

/* LS_EINVAL names both tasks and the file. */
LS_CHECKED enum ls_status ls_task_outputs_check(struct ls_task_files *files, struct ls_error *err);

#endif
