/* journal_reason.c: why units failed, in a line each. */
#include "runtime/journal/journal_private.h"

void ls_journal_reason(struct ls_journal *journal, uint32_t iteration, uint64_t unit,
                       const char *reason) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_REASON);
  if (statement == NULL) return;
  ls_journal_bind(statement, 1, iteration);
  ls_journal_bind(statement, 2, unit);
  sqlite3_bind_text(statement, 3, reason, -1, SQLITE_STATIC);
  ls_journal_run(journal, statement);
}

enum ls_status ls_journal_read_reason(struct ls_journal *journal, uint32_t iteration, uint64_t unit,
                                      struct ls_bytes *out, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (journal->read_reason == NULL)
    status =
        ls_journal_prepare(journal, "SELECT reason FROM reasons WHERE iteration = ?1 AND unit = ?2",
                           &journal->read_reason, err);
  if (status != LS_OK) return status;
  sqlite3_stmt *row = journal->read_reason;
  sqlite3_bind_int64(row, 1, iteration);
  sqlite3_bind_int64(row, 2, (sqlite3_int64)unit);
  int code = sqlite3_step(row);
  if (code == SQLITE_ROW) {
    const void *text = sqlite3_column_blob(row, 0);
    if (text != NULL) ls_bytes_append(out, text, (size_t)sqlite3_column_bytes(row, 0));
  } else if (code != SQLITE_DONE) {
    status = ls_journal_refuse(journal, code, "reading why a unit failed", err);
  }
  sqlite3_reset(row);
  if (out->failed) return ls_fail(err, LS_ENOMEM, "%s: no memory for a reason", journal->path);
  return status;
}
