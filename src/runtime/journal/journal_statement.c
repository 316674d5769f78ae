/* journal_statement.c: statements of SQLite, prepared once, and what their failures mean. */
#include <assert.h>
#include <string.h>

#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"

static const char *const statement_sql[LS_JOURNAL_STATEMENT_COUNT] = {
    [LS_JOURNAL_BEGIN] = "BEGIN IMMEDIATE",
    [LS_JOURNAL_COMMIT] = "COMMIT",
    [LS_JOURNAL_ADD_EVENT] =
        "INSERT INTO heard VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
    [LS_JOURNAL_ADD_DECISION] =
        "INSERT INTO sent (event, worker, chunk, first, units) VALUES (?1,?2,?3,?4,?5)",
    [LS_JOURNAL_ADD_ENDED] =
        "INSERT INTO ended VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,"
        "?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,?26,?27,?28,"
        "ls_sum(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,"
        "?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,?26,?27,?28))",
    [LS_JOURNAL_ADD_JOINED] =
        "INSERT OR IGNORE INTO workers (worker, session, slot, name, "
        "joined_s) VALUES (?1, ?2, 0, '', ?3)",
    [LS_JOURNAL_ADD_LEFT] = "UPDATE workers SET left_s = ?2 WHERE worker = ?1 AND left_s IS NULL",
    [LS_JOURNAL_ADD_WORKER] =
        "INSERT INTO workers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (worker) DO "
        "UPDATE "
        "SET "
        "slot = excluded.slot, name = excluded.name, joined_s = excluded.joined_s, "
        "left_s = excluded.left_s, away_s = excluded.away_s, "
        "price_per_s = excluded.price_per_s, labels = excluded.labels",
    [LS_JOURNAL_ADD_OUTPUT] =
        "INSERT OR REPLACE INTO outputs (iteration, unit, stream, bytes, "
        "data, file, sum, whose) VALUES (?1,?2,?3,?4,?5,?6,?7,ls_sum(?1,?2,?3))",
    [LS_JOURNAL_FIND_OUTPUT] =
        "SELECT file FROM outputs WHERE iteration = ?1 AND unit >= ?2 AND unit < ?3 AND file IS "
        "NOT NULL",
    [LS_JOURNAL_DROP_OUTPUT] =
        "DELETE FROM outputs WHERE iteration = ?1 AND unit >= ?2 AND unit < ?3",
    [LS_JOURNAL_ADD_ITERATION] =
        "INSERT OR REPLACE INTO iterations VALUES (?1, ?2, ls_sum(?1, ?2))",
    [LS_JOURNAL_ADD_CHECKPOINT] = "INSERT INTO checkpoints VALUES (?1, ?2, ls_sum(?1, ?2))",
    [LS_JOURNAL_DROP_CHECKPOINT] = "DELETE FROM checkpoints",
    [LS_JOURNAL_FIND_OLD_OUTPUT] =
        "SELECT file FROM outputs WHERE iteration < ?1 AND file IS NOT NULL",
    [LS_JOURNAL_DROP_OLD_OUTPUT] = "DELETE FROM outputs WHERE iteration < ?1",
    [LS_JOURNAL_ADD_WORD] = "INSERT INTO words (kind, word, sum) VALUES (?1, ?2, ls_sum(?1, ?2))",
    [LS_JOURNAL_DROP_WORDS] = "DELETE FROM words WHERE kind = ?1",
    [LS_JOURNAL_ADD_INPUTS] =
        "INSERT OR REPLACE INTO inputs (id, source, linked, count, text, sum) VALUES (?5, ?1, ?2, "
        "?3, ?4, ls_sum(?5, ?1, ?2, ?3, ?4))",
    [LS_JOURNAL_DROP_INPUTS] = "DELETE FROM inputs",
    [LS_JOURNAL_SET_UNITS] =
        "UPDATE job SET units = ?1, open = ?2, sum = ls_sum(application, command, directory, "
        "input_digest, ?1, ?2)",
    [LS_JOURNAL_ADD_REASON] = "INSERT OR REPLACE INTO reasons VALUES (?1, ?2, ?3)",
    [LS_JOURNAL_ADD_ADVICE] =
        "INSERT INTO advices (session, time_s, policy, prefetch, workers, "
        "reason) VALUES (?1,?2,?3,?4,?5,?6)",
    /* Nothing is finished as long as more inputs may come. */
    [LS_JOURNAL_ADD_END] =
        "UPDATE sessions SET state = CASE WHEN ?2 = 'finished' AND (SELECT open FROM job) "
        "THEN 'stopped' ELSE ?2 END, end_s = ?3 WHERE session = ?1",
};

static enum ls_status find_status(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      return LS_ECORRUPT;
    case SQLITE_NOTADB:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return LS_EINVAL;
    case SQLITE_NOMEM:
      return LS_ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return LS_EBUSY;
    default:
      return LS_EIO;
  }
}

enum ls_status ls_journal_refuse(struct ls_journal *journal, int code, const char *doing,
                                 struct ls_error *err) {
  if ((code & 0xff) == SQLITE_NOTADB)
    return ls_fail(err, LS_EINVAL, "%s: not a Loadstar journal (no SQLite file)", journal->path);
  if ((code & 0xff) == SQLITE_CORRUPT)
    return ls_fail(err, LS_ECORRUPT, "%s: %s: the file is damaged (%s)", journal->path, doing,
                   sqlite3_errstr(code));
  enum ls_status status = find_status(code);
  int reason = journal->database == NULL ? 0 : sqlite3_system_errno(journal->database);
  bool has_reason = reason != 0 && (status == LS_EIO || status == LS_EINVAL);
  return ls_fail(err, status, "%s: %s: %s%s%s", journal->path, doing, sqlite3_errstr(code),
                 has_reason ? ": " : "", has_reason ? strerror(reason) : "");
}

enum ls_status ls_journal_execute(struct ls_journal *journal, const char *sql,
                                  struct ls_error *err) {
  int code = sqlite3_exec(journal->database, sql, NULL, NULL, NULL);
  if (code == SQLITE_OK) return LS_OK;
  return ls_journal_refuse(journal, code, "cannot be changed", err);
}

enum ls_status ls_journal_prepare(struct ls_journal *journal, const char *sql, sqlite3_stmt **out,
                                  struct ls_error *err) {
  int code = sqlite3_prepare_v2(journal->database, sql, -1, out, NULL);
  if (code == SQLITE_OK) return LS_OK;
  return ls_journal_refuse(journal, code, "cannot be read", err);
}

enum ls_status ls_journal_number(struct ls_journal *journal, const char *sql, int64_t *number,
                                 struct ls_error *err) {
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_prepare(journal, sql, &statement, err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(statement);
  int64_t found = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return ls_journal_refuse(journal, code, "cannot be read", err);
  *number = found;
  return LS_OK;
}

void ls_journal_stick(struct ls_journal *journal, const struct ls_error *failure) {
  if (journal->failure.status != LS_OK) return;
  journal->failure = *failure;
  if (!sqlite3_get_autocommit(journal->database))
    sqlite3_exec(journal->database, "ROLLBACK", NULL, NULL, NULL);
  journal->is_open = false;
  ls_bytes_clear(&journal->doomed);
}

static void stick_code(struct ls_journal *journal, int code) {
  struct ls_error failure = {0};
  ls_journal_refuse(journal, code, "cannot be written", &failure);
  /* A file that could be opened was no bad input; something happened to it since. */
  if (failure.status == LS_EINVAL) failure.status = LS_EIO;
  ls_journal_stick(journal, &failure);
}

void ls_journal_run(struct ls_journal *journal, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  if (code != SQLITE_DONE) stick_code(journal, code);
  sqlite3_reset(statement);
}

static sqlite3_stmt *find_statement(struct ls_journal *journal, enum ls_journal_statement which) {
  sqlite3_stmt **place = &journal->statements[which];
  if (*place == NULL) {
    int code = sqlite3_prepare_v3(journal->database, statement_sql[which], -1,
                                  SQLITE_PREPARE_PERSISTENT, place, NULL);
    if (code != SQLITE_OK) stick_code(journal, code);
  }
  return *place;
}

void ls_journal_bind(sqlite3_stmt *statement, int place, uint64_t value) {
  sqlite3_bind_int64(statement, place, (sqlite3_int64)value);
}

void ls_journal_bind_worker(sqlite3_stmt *statement, int place, uint32_t worker) {
  if (worker == LS_WORKER_NONE)
    sqlite3_bind_null(statement, place);
  else
    ls_journal_bind(statement, place, worker);
}

void ls_journal_bind_text(sqlite3_stmt *statement, int place, const char *text) {
  sqlite3_bind_text(statement, place, text == NULL ? "" : text, -1, SQLITE_TRANSIENT);
}

enum ls_status ls_journal_finish(struct ls_journal *journal, sqlite3_stmt *statement,
                                 struct ls_error *err) {
  int code = sqlite3_step(statement);
  sqlite3_finalize(statement);
  if (code == SQLITE_DONE) return LS_OK;
  return ls_journal_refuse(journal, code, "cannot be written", err);
}

sqlite3_stmt *ls_journal_statement(struct ls_journal *journal, enum ls_journal_statement which) {
  assert(journal->lock_file >= 0);
  if (journal->failure.status != LS_OK) return NULL;
  if (!journal->is_open) {
    sqlite3_stmt *begin = find_statement(journal, LS_JOURNAL_BEGIN);
    if (begin == NULL) return NULL;
    ls_journal_run(journal, begin);
    if (journal->failure.status != LS_OK) return NULL;
    journal->is_open = true;
  }
  return find_statement(journal, which);
}
