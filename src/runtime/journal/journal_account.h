/* journal_account.h: the prediction for a run, and what happened beside it, in its journal.
 *
 * A document of text (formats/account_json.h), which runtime only keeps.  Journals that were made
 * before there were any have none.
 */
#ifndef LS_RUNTIME_JOURNAL_JOURNAL_ACCOUNT_H
#define LS_RUNTIME_JOURNAL_JOURNAL_ACCOUNT_H

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/journal/journal.h"

/* In place of an earlier one of this session; committed with what is appended next. */
void ls_journal_account(struct ls_journal *journal, const char *document);
/* Appends that of the last session that had one to `out`; nothing when there is none. */
LS_CHECKED enum ls_status ls_journal_read_account(struct ls_journal *journal, struct ls_bytes *out,
                                                  struct ls_error *err);

#endif
