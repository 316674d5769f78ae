/* journal_iteration.c: the units of iterations, and the last checkpoint. */
#include "runtime/journal/journal_private.h"

void ls_journal_iteration(struct ls_journal *journal, uint32_t iteration, uint64_t units) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_ITERATION);
  if (statement == NULL) return;
  ls_journal_bind(statement, 1, iteration);
  ls_journal_bind(statement, 2, units);
  ls_journal_run(journal, statement);
}

/* Of a row beside its blob, and more. */
enum { ROW_BYTES = 100 };

enum ls_status ls_journal_read_iteration(struct ls_journal *journal, uint32_t iteration,
                                         uint64_t *units, bool *is_there, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status =
      ls_journal_prepare(journal, "SELECT units FROM iterations WHERE iteration = ?1", &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind(row, 1, iteration);
  int code = sqlite3_step(row);
  uint64_t found = (uint64_t)sqlite3_column_int64(row, 0);
  sqlite3_finalize(row);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return ls_journal_refuse(journal, code, "cannot be read", err);
  *is_there = code == SQLITE_ROW;
  if (*is_there) *units = found;
  return LS_OK;
}

/* The outputs of the iterations that it makes superfluous. */
static void forget_outputs(struct ls_journal *journal, uint32_t iteration) {
  sqlite3_stmt *find = ls_journal_statement(journal, LS_JOURNAL_FIND_OLD_OUTPUT);
  sqlite3_stmt *drop = ls_journal_statement(journal, LS_JOURNAL_DROP_OLD_OUTPUT);
  if (find == NULL || drop == NULL) return;
  ls_journal_bind(find, 1, iteration);
  ls_journal_doom(journal, find);
  ls_journal_bind(drop, 1, iteration);
  ls_journal_run(journal, drop);
}

/* SQLite stores no row that is longer; what the others take of this one is far less. */
static bool fits(struct ls_journal *journal, uint32_t iteration, const struct ls_bytes *bytes) {
  struct ls_error failure = {0};
  int most = sqlite3_limit(journal->database, SQLITE_LIMIT_LENGTH, -1) - ROW_BYTES;
  if (bytes->length <= (size_t)most) return true;
  (void)ls_fail(&failure, LS_EIO,
                "%s: the checkpoint of iteration %u has %zu bytes, at most %d fit a journal",
                journal->path, (unsigned)iteration, bytes->length, most);
  ls_journal_stick(journal, &failure);
  return false;
}

void ls_journal_checkpoint(struct ls_journal *journal, uint32_t iteration,
                           const struct ls_bytes *bytes) {
  if (!fits(journal, iteration, bytes)) return;
  sqlite3_stmt *drop = ls_journal_statement(journal, LS_JOURNAL_DROP_CHECKPOINT);
  if (drop != NULL) ls_journal_run(journal, drop);
  sqlite3_stmt *add = ls_journal_statement(journal, LS_JOURNAL_ADD_CHECKPOINT);
  if (add == NULL) return;
  ls_journal_bind(add, 1, iteration);
  sqlite3_bind_blob64(add, 2, bytes->data, bytes->length, SQLITE_STATIC);
  ls_journal_run(journal, add);
  sqlite3_clear_bindings(add);
  forget_outputs(journal, iteration);
}

enum ls_status ls_journal_read_checkpoint(struct ls_journal *journal, uint32_t *iteration,
                                          struct ls_bytes *bytes, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT iteration, state FROM checkpoints ORDER BY iteration DESC LIMIT 1", &row,
      err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(row);
  *iteration = 0;
  if (code == SQLITE_ROW) {
    *iteration = (uint32_t)sqlite3_column_int64(row, 0);
    ls_bytes_append(bytes, sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1));
  } else if (code != SQLITE_DONE) {
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  }
  sqlite3_finalize(row);
  if (status == LS_OK && bytes->failed)
    status = ls_fail(err, LS_ENOMEM, "%s: no memory for its checkpoint", journal->path);
  return status;
}
