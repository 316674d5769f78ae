/* run_left.h: which tasks a resumed run would pass over, for who only wants to see what is left,
 * and for choices before it begins.
 *
 * The journal, or without one the job log, says it; neither is changed.
 */
#ifndef LS_CLI_RUN_RUN_LEFT_H
#define LS_CLI_RUN_RUN_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct ls_run;

/* Starts as {0}: nothing is passed over. */
struct ls_run_left {
  uint64_t *done; /* a bit of each task */
  uint64_t tasks;
};

/* Of a run of commands whose tasks are known.
 * LS_EMISMATCH, LS_EINVAL: the journal or the job log is of another one; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_left_read(struct ls_run *run, struct ls_run_left *left,
                                           struct ls_error *err);
/* How many of the first `units` it would not pass over. */
uint64_t ls_run_left_count(const struct ls_run_left *left, uint64_t units);
/* Would it be passed over? */
static inline bool ls_run_left_is_done(const struct ls_run_left *left, uint64_t task) {
  return task < left->tasks && (left->done[task / 64] >> task % 64 & 1) != 0;
}
void ls_run_left_close(struct ls_run_left *left);

#endif
