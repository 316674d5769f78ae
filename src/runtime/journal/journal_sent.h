/* journal_sent.h: which units the sessions of a journal sent to workers. */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_SENT_H
#define LS_RUNTIME_JOURNAL_JOURNAL_SENT_H

#include "base/ranges.h"
#include "runtime/journal/journal.h"

/* Of all iterations, in order and apart from each other, appended to `*sent`. LS_ENOMEM, LS_EIO,
 * LS_ECORRUPT. */
LS_CHECKED enum ls_status ls_journal_read_sent(struct ls_journal *journal, struct ls_ranges *sent,
                                               struct ls_error *err);
/* Are all units of the range among them?  In O(log n). */
bool ls_journal_was_sent(const struct ls_ranges *sent, struct ls_range range);

#endif
