/* journal_sizing.h: what each iteration wanted of workers, in a journal, and what came of it.
 *
 * The table `openings` is made when it is needed; journals of commands, which have one iteration,
 * have none.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_JOURNAL_SIZING_H
#define LS_RUNTIME_JOURNAL_PAST_JOURNAL_SIZING_H

#include "base/status.h"
#include "model/places.h"
#include "model/sizing_course.h"
#include "runtime/journal/journal.h"

struct ls_journal_opening {
  double time_s; /* of the session; of the run, when read */
  uint32_t iteration;
  uint64_t units, wanted; /* to be done; workers */
};

/* Committed with what is appended next. */
void ls_journal_opening(struct ls_journal *journal, const struct ls_journal_opening *opening);
/* Adds a row for each iteration that was opened to the empty `course`, whose rows the caller frees
 * in any case.  An iteration that several sessions opened has one row.  `places`: of the journal.
 */
LS_CHECKED enum ls_status ls_journal_read_sizing(struct ls_journal *journal,
                                                 const struct ls_places *places,
                                                 struct ls_sizing_course *course,
                                                 struct ls_error *err);

#endif
