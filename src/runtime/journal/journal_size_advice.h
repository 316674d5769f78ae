/* journal_size_advice.h: how many workers a run should have had, in words, in its journal; and what
 * the next run may know of its pools.
 *
 * The table `size_advice` is made when it is needed; journals of runs that did not come to their
 * end have none.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_SIZE_ADVICE_H
#define LS_RUNTIME_JOURNAL_JOURNAL_SIZE_ADVICE_H

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/journal/journal.h"

struct ls_journal_size_advice {
  struct ls_bytes words; /* empty: nothing was said; owned, where it was read */
  double grant_s;        /* from a request to its worker, as measured */
  double grant_first_s;  /* ... as it was expected of these pools */
  double losses, up_s;   /* workers lost, and seconds that all were there; sums when read */
};

/* In place of an earlier one of this session; committed with what is appended next. */
void ls_journal_size_advice(struct ls_journal *journal,
                            const struct ls_journal_size_advice *advice);
/* That of the last session that had one, into what starts as {0}, with the sums over all sessions;
 * nothing when there is none. */
LS_CHECKED enum ls_status ls_journal_read_size_advice(struct ls_journal *journal,
                                                      struct ls_journal_size_advice *advice,
                                                      struct ls_error *err);

#endif
