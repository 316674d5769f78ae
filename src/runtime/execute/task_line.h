/* task_line.h: the command line of a task, from the input of its units: of one unit the command
 * that was packed, of several the words of their bundle, as many as a line takes. */
#ifndef LS_RUNTIME_EXECUTE_TASK_LINE_H
#define LS_RUNTIME_EXECUTE_TASK_LINE_H

#include "protocol/bundle.h"
#include "protocol/command.h"
#include "runtime/application.h"
#include "runtime/execute/command_place.h"

struct ls_task_line {
  struct ls_bundling bundling;
  struct ls_line_limits limits;
  struct ls_command_place place; /* of the command after the last one */
  struct ls_bundle bundle;       /* the last one: of this input and these units */
  const void *input;             /* NULL: none */
  struct ls_range packed;
};

/* Measures the limits, with the environment that commands get. */
void ls_task_line_init(struct ls_task_line *line, const struct ls_bundling *bundling,
                       char *const *environment);
/* The command of the first units of the work, `*taken` of them. LS_EINVAL: a single one is too
 * long, or its command is none; the text names it. LS_ECORRUPT, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_task_line_make(struct ls_task_line *line, const struct ls_work *work,
                                            struct ls_command *command, uint64_t *taken,
                                            struct ls_error *err);
/* The command of the unit behind the last one that was read, where each has its own: its block is
 * the task's, too. LS_ECORRUPT: it has none; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_task_line_read_on(struct ls_task_line *line,
                                               const struct ls_work *work,
                                               struct ls_command *command, struct ls_error *err);
void ls_task_line_close(struct ls_task_line *line);

#endif
