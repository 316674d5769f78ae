/* history.h: what a journal tells, as a timeline and totals: what `loadstar report` shows.
 *
 * Worker numbers are those of the run; a number that never joined is a worker that was never there.
 * One compute span per result and attempt.  A master only hears when work has ended, so spans of a
 * worker that overlap are moved apart, each keeping its duration.  Spans of staging stand as long
 * before them as the worker has told.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_HISTORY_H
#define LS_RUNTIME_JOURNAL_PAST_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/timeline.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/past/history_records.h"

enum {
  LS_HISTORY_SPANS_MAX = 100000 /* with more, good spans of a worker that abut become one */
};

struct ls_history {
  struct ls_timeline timeline;
  bool is_running;                                   /* the timeline goes to the present */
  uint64_t units_done, units_failed, units_given_up; /* of all iterations */
  uint64_t units_failed_once, units_lost;            /* attempts that settled nothing */
  struct ls_journal_result *failures; /* final ones, the first LS_HISTORY_FAILURES_MAX ranges */
  size_t failures_count;
};

/* The caller closes the history. `kept`: a file for what was read of a long journal, so that a
 * second look reads only what was appended since; NULL: none. LS_ECORRUPT names the record that
 * makes no sense. */
LS_CHECKED enum ls_status ls_history_read(struct ls_journal *journal, const char *kept,
                                          struct ls_history *history, struct ls_error *err);
/* The same, and no two spans become one. */
LS_CHECKED enum ls_status ls_history_read_each(struct ls_journal *journal, const char *kept,
                                               struct ls_history *history, struct ls_error *err);
/* Of a run that goes on, also what its workers are at, up to now. */
LS_CHECKED enum ls_status ls_history_to_now(struct ls_journal *journal, struct ls_history *history,
                                            struct ls_error *err);
void ls_history_close(struct ls_history *history);

#endif
