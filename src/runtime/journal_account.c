/* journal_account.c: one document for each session, in a table that is made when it is needed. */
#include "runtime/journal_account.h"

#include "runtime/journal_private.h"

static const char *const make_sql =
    "CREATE TABLE IF NOT EXISTS accounts (session INTEGER PRIMARY KEY, document TEXT)";
static const char *const find_sql =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'accounts'";

static enum ls_status add_document(struct ls_journal *journal, const char *document,
                                   struct ls_error *err) {
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_execute(journal, make_sql, err);
  if (status == LS_OK)
    status = ls_journal_prepare(journal, "INSERT OR REPLACE INTO accounts VALUES (?1, ?2)",
                                &statement, err);
  if (status != LS_OK) return status;
  ls_journal_bind(statement, 1, journal->session.number);
  ls_journal_bind_text(statement, 2, document);
  return ls_journal_finish(journal, statement, err);
}

void ls_journal_account(struct ls_journal *journal, const char *document) {
  struct ls_error failure = {0};
  if (ls_journal_statement(journal, LS_JOURNAL_BEGIN) == NULL) return;
  if (add_document(journal, document, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}

enum ls_status ls_journal_read_account(struct ls_journal *journal, struct ls_bytes *out,
                                       struct ls_error *err) {
  int64_t tables = 0;
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_number(journal, find_sql, &tables, err);
  if (status != LS_OK || tables == 0) return status;
  status = ls_journal_prepare(
      journal, "SELECT document FROM accounts ORDER BY session DESC LIMIT 1", &row, err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(row);
  if (code == SQLITE_ROW && sqlite3_column_text(row, 0) != NULL)
    ls_bytes_append(out, sqlite3_column_text(row, 0), (size_t)sqlite3_column_bytes(row, 0));
  else if (code != SQLITE_ROW && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  if (status == LS_OK && out->failed)
    status = ls_fail(err, LS_ENOMEM, "%s: no memory for its account", journal->path);
  return status;
}
