/* journal_account.c: one document for each session, in a table that is made when it is needed. */
#include "runtime/journal/journal_account.h"

#include "runtime/journal/journal_private.h"

static void bind_document(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  ls_journal_bind(row, 1, journal->session.number);
  ls_journal_bind_text(row, 2, item);
}

static const struct ls_journal_side accounts = {
    .make_sql = "CREATE TABLE IF NOT EXISTS accounts (session INTEGER PRIMARY KEY, document TEXT)",
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'accounts'",
    .add_sql = "INSERT OR REPLACE INTO accounts VALUES (?1, ?2)",
    .read_sql = "SELECT document FROM accounts ORDER BY session DESC LIMIT 1",
    .bind = bind_document};

void ls_journal_account(struct ls_journal *journal, const char *document) {
  ls_journal_side_add(journal, &accounts, document);
}

static enum ls_status append_document(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                                      struct ls_error *err) {
  struct ls_bytes *out = context;
  if (sqlite3_column_text(row, 0) != NULL)
    ls_bytes_append(out, sqlite3_column_text(row, 0), (size_t)sqlite3_column_bytes(row, 0));
  if (!out->failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "%s: no memory for its account", journal->path);
}

enum ls_status ls_journal_read_account(struct ls_journal *journal, struct ls_bytes *out,
                                       struct ls_error *err) {
  return ls_journal_side_each(journal, &accounts, append_document, out, err);
}
