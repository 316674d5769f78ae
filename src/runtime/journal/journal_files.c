#include "runtime/journal/journal_files.h"

#include <string.h>

#include "runtime/journal/journal_private.h"
#include "runtime/os/content.h"

static const char *const make_sql =
    "CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, worker INTEGER, path BLOB, "
    "content TEXT, bytes INTEGER, seconds REAL)";
static const char *const add_sql =
    "INSERT INTO files (worker, path, content, bytes, seconds) VALUES (?1, ?2, ?3, ?4, ?5)";

static enum ls_status add_row(struct ls_journal *journal, uint32_t worker, const char *path,
                              const struct ls_file_sent *sent, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  char digits[LS_CONTENT_DIGITS + 1];
  ls_content_write(sent->name, digits);
  enum ls_status status = ls_journal_execute(journal, make_sql, err);
  if (status == LS_OK) status = ls_journal_prepare(journal, add_sql, &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind_worker(row, 1, worker);
  sqlite3_bind_blob(row, 2, path, (int)strlen(path), SQLITE_TRANSIENT);
  ls_journal_bind_text(row, 3, digits);
  ls_journal_bind(row, 4, sent->bytes);
  sqlite3_bind_double(row, 5, sent->seconds);
  return ls_journal_finish(journal, row, err);
}

void ls_journal_file(struct ls_journal *journal, uint32_t worker, const char *path,
                     const struct ls_file_sent *sent) {
  struct ls_error failure = {0};
  if (ls_journal_statement(journal, LS_JOURNAL_BEGIN) == NULL) return;
  if (add_row(journal, worker, path, sent, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}
