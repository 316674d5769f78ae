#include "runtime/journal_slots.h"

#include "runtime/journal_private.h"

static const char *const make_sql =
    "CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, session INTEGER, time_s REAL, pool "
    "TEXT, slot INTEGER, workers INTEGER, kind TEXT, why TEXT)";
static const char *const find_sql =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'slots'";

static enum ls_status add(struct ls_journal *journal, const struct ls_journal_slot *slot,
                          struct ls_error *err) {
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_execute(journal, make_sql, err);
  if (status == LS_OK)
    status = ls_journal_prepare(journal,
                                "INSERT INTO slots (session, time_s, pool, slot, workers, kind, "
                                "why) VALUES (?1,?2,?3,?4,?5,?6,?7)",
                                &statement, err);
  if (status != LS_OK) return status;
  ls_journal_bind(statement, 1, journal->session.number);
  sqlite3_bind_double(statement, 2, slot->time_s + journal->session.offset_s);
  ls_journal_bind_text(statement, 3, slot->pool);
  ls_journal_bind(statement, 4, slot->slot);
  ls_journal_bind(statement, 5, slot->workers);
  ls_journal_bind_text(statement, 6, slot->kind);
  ls_journal_bind_text(statement, 7, slot->why);
  return ls_journal_finish(journal, statement, err);
}

void ls_journal_slot(struct ls_journal *journal, const struct ls_journal_slot *slot) {
  struct ls_error failure = {0};
  if (ls_journal_statement(journal, LS_JOURNAL_BEGIN) == NULL) return;
  if (add(journal, slot, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}

static const char *read_text(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text != NULL ? text : "";
}

enum ls_status ls_journal_each_slot(struct ls_journal *journal, ls_journal_slot_fn visit,
                                    void *context, struct ls_error *err) {
  int64_t tables = 0;
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_number(journal, find_sql, &tables, err);
  if (status != LS_OK || tables == 0) return status;
  status = ls_journal_prepare(
      journal, "SELECT time_s, pool, slot, workers, kind, why FROM slots ORDER BY id", &row, err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    const struct ls_journal_slot slot = {.time_s = sqlite3_column_double(row, 0),
                                         .pool = read_text(row, 1),
                                         .slot = (uint32_t)sqlite3_column_int64(row, 2),
                                         .workers = (uint64_t)sqlite3_column_int64(row, 3),
                                         .kind = read_text(row, 4),
                                         .why = read_text(row, 5)};
    status = visit(context, &slot);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}
