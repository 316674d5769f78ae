/* result_names.h: the files of --results that tasks name, before any task runs. */
#ifndef LS_CLI_RUN_RESULT_NAMES_H
#define LS_CLI_RUN_RESULT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_commands; /* cli/run/commands.h */

/* Files that tasks have written whose inputs came as the run went on. Starts as {0}. */
struct ls_result_names {
  const char *text;  /* the word of --results; NULL: all names were looked at before the run */
  uint64_t *digests; /* 0: a free place */
  size_t count, places;
};

/* LS_EINVAL: two tasks would write one file, a name is too long for one, or leads out of the folder
 * that `text`, the word of --results, names.  What is not known yet is not looked at: inputs that
 * are to come, names by worker, and commands of several inputs. */
LS_CHECKED enum ls_status ls_result_names_check(struct ls_commands *commands, const char *text,
                                                uint64_t tasks, struct ls_error *err);
/* The same of a task whose results are about to be written to `path`. */
LS_CHECKED enum ls_status ls_result_names_claim(struct ls_result_names *names, const char *path,
                                                uint64_t task, struct ls_error *err);
void ls_result_names_close(struct ls_result_names *names);

#endif
