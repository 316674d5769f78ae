#include "runtime/journal/journal_size_advice.h"

#include "runtime/journal/journal_private.h"

static void bind_advice(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  const struct ls_journal_size_advice *advice = item;
  ls_journal_bind(row, 1, journal->session.number);
  ls_journal_bind_text(row, 2, ls_bytes_text(&advice->words));
  sqlite3_bind_double(row, 3, advice->grant_s);
  sqlite3_bind_double(row, 4, advice->grant_first_s);
  sqlite3_bind_double(row, 5, advice->losses);
  sqlite3_bind_double(row, 6, advice->up_s);
}

static const struct ls_journal_side advices = {
    .make_sql =
        "CREATE TABLE IF NOT EXISTS size_advice (session INTEGER PRIMARY KEY, words TEXT, "
        "grant_s REAL, grant_first_s REAL, losses REAL, up_s REAL)",
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'size_advice'",
    .add_sql = "INSERT OR REPLACE INTO size_advice VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    .read_sql =
        "SELECT words, grant_s, grant_first_s, losses, up_s FROM size_advice ORDER BY "
        "session",
    .bind = bind_advice};

void ls_journal_size_advice(struct ls_journal *journal,
                            const struct ls_journal_size_advice *advice) {
  ls_journal_side_add(journal, &advices, advice);
}

static enum ls_status take_row(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                               struct ls_error *err) {
  struct ls_journal_size_advice *advice = context;
  ls_bytes_clear(&advice->words);
  if (sqlite3_column_text(row, 0) != NULL)
    ls_bytes_append(&advice->words, sqlite3_column_text(row, 0),
                    (size_t)sqlite3_column_bytes(row, 0));
  advice->grant_s = sqlite3_column_double(row, 1);
  advice->grant_first_s = sqlite3_column_double(row, 2);
  advice->losses += sqlite3_column_double(row, 3);
  advice->up_s += sqlite3_column_double(row, 4);
  if (!advice->words.failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "%s: no memory for its advice", journal->path);
}

enum ls_status ls_journal_read_size_advice(struct ls_journal *journal,
                                           struct ls_journal_size_advice *advice,
                                           struct ls_error *err) {
  return ls_journal_side_each(journal, &advices, take_row, advice, err);
}
