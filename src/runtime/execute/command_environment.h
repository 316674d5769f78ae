/* command_environment.h: the environment of commands: the worker's own, what the master adds, and
 * the numbers of task, attempt and slot, under Loadstar's names and GNU parallel's.
 */
#ifndef LS_RUNTIME_EXECUTE_COMMAND_ENVIRONMENT_H
#define LS_RUNTIME_EXECUTE_COMMAND_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/execute/command_manners.h"

enum { LS_ENVIRONMENT_OWN = 6, LS_ENVIRONMENT_OWN_BYTES = 288 };

struct ls_command_environment {
  char own[LS_ENVIRONMENT_OWN][LS_ENVIRONMENT_OWN_BYTES]; /* numbers of task and slot */
  char **entries; /* those of `own`, the master's, the worker's; ends with NULL */
};

/* Taken from the environment of this process as it is now; `manners` (NULL: none) outlive it. */
LS_CHECKED enum ls_status ls_command_environment_init(struct ls_command_environment *environment,
                                                      const struct ls_command_manners *manners,
                                                      uint32_t slot, struct ls_error *err);
/* That of the task with this number, from 1, and of its attempt, from 1: for exec. Borrowed until
 * the next call. */
char *const *ls_command_environment_of(struct ls_command_environment *environment,
                                       uint64_t sequence, uint64_t attempt);
void ls_command_environment_close(struct ls_command_environment *environment);

#endif
