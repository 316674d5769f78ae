/* result_names.h: the files of --results that tasks name, before any task runs. */
#ifndef LS_CLI_RUN_RESULT_NAMES_H
#define LS_CLI_RUN_RESULT_NAMES_H

#include "cli/run/commands.h"

/* LS_EINVAL: two tasks would write one file, a name is too long for one, or leads out of the folder
 * that `text`, the word of --results, names.  What is not known yet is not looked at: inputs that
 * are to come, names by worker, and commands of several inputs. */
LS_CHECKED enum ls_status ls_result_names_check(struct ls_commands *commands, const char *text,
                                                uint64_t tasks, struct ls_error *err);

#endif
