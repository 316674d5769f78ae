/* results.h: one folder per task with its outputs: DIR/SEQ/{stdout,stderr,seq,inputs,command,...}.
 *
 * A task's folder appears whole: it is made under another name and renamed.  Writing a task again
 * replaces its folder.
 */
#ifndef LS_CLI_RESULTS_H
#define LS_CLI_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"

struct ls_results_entry {
  uint64_t sequence;
  const char *command;
  const char *inputs; /* one per line */
  const char *fate;   /* "done", "failed", "timed out", "abandoned" */
  int exit_code, signal;
  double seconds;
  const struct ls_output *output, *error_output;
};

struct ls_results;

/* Makes the folder when it does not exist. LS_EINVAL names it. */
LS_CHECKED enum ls_status ls_results_open(const char *path, bool is_synced, struct ls_results **out,
                                          struct ls_error *err);
LS_CHECKED enum ls_status ls_results_write(struct ls_results *results,
                                           const struct ls_results_entry *entry,
                                           struct ls_error *err);
/* Where the name of --results holds replacement strings: stdout in the file `path`, stderr and seq
 * beside it as PATH.err and PATH.seq; all three in the folder `path`, if it ends in a slash. */
LS_CHECKED enum ls_status ls_results_write_named(const char *path,
                                                 const struct ls_results_entry *entry,
                                                 bool is_synced, struct ls_error *err);
/* A folder of this task, if there is one, is of an earlier result, which counts no more. */
void ls_results_remove(struct ls_results *results, uint64_t sequence);
/* Are the parts of the path, with what is written beside it, short enough for names of files? */
bool ls_results_is_name(const char *path);
/* Folders of tasks with numbers above that: an earlier run has left them. */
uint64_t ls_results_count_above(const struct ls_results *results, uint64_t sequence);
/* Is there a folder of this task? */
bool ls_results_has(const struct ls_results *results, uint64_t sequence);
void ls_results_close(struct ls_results *results);

#endif
