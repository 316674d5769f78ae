/* at_work.h: what the workers of a run are at now, as its journal tells.
 *
 * The master tells a worker what to do and hears when it is done: what runs there is the first of
 * what was sent and has not ended, since the later of the end before it and its being sent. For
 * commands that is right up to one message.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_AT_WORK_H
#define LS_RUNTIME_JOURNAL_PAST_AT_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/journal/journal.h"

/* A worker that is there and has something to do. */
struct ls_at_work_task {
  uint32_t worker;
  uint64_t chunk, unit; /* the unit that runs */
  uint64_t waiting;     /* units behind it at the worker */
  double since_s;       /* of the run */
  bool is_first;        /* nothing ended there before: since_s is when it was sent */
};

struct ls_at_work {
  double now_s; /* of the run, when the journal was looked at */
  struct ls_at_work_task *tasks;
  size_t count;
};

/* Of the last session, whether it goes on or was killed. The caller closes it. */
LS_CHECKED enum ls_status ls_at_work_read(struct ls_journal *journal, struct ls_at_work *running,
                                          struct ls_error *err);
void ls_at_work_close(struct ls_at_work *running);

#endif
