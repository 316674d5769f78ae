#include "runtime/journal_packs.h"

#include <math.h>

#include "runtime/journal_private.h"

static const char *const make_sql =
    "CREATE TABLE IF NOT EXISTS packs (id INTEGER PRIMARY KEY, worker INTEGER, chunk INTEGER, "
    "units INTEGER, start_s REAL, seconds REAL)";
static const char *const find_sql =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'packs'";

static enum ls_status add(struct ls_journal *journal, const struct ls_journal_pack *pack,
                          struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_execute(journal, make_sql, err);
  if (status == LS_OK)
    status = ls_journal_prepare(journal,
                                "INSERT INTO packs (worker, chunk, units, start_s, seconds) VALUES "
                                "(?1, ?2, ?3, ?4, ?5)",
                                &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind_worker(row, 1, pack->worker + journal->session.first_worker);
  ls_journal_bind(row, 2, pack->chunk + journal->session.first_chunk);
  ls_journal_bind(row, 3, pack->units);
  sqlite3_bind_double(row, 4, pack->start_s + journal->session.offset_s);
  sqlite3_bind_double(row, 5, pack->seconds);
  return ls_journal_finish(journal, row, err);
}

void ls_journal_pack(struct ls_journal *journal, const struct ls_journal_pack *pack) {
  struct ls_error failure = {0};
  if (ls_journal_statement(journal, LS_JOURNAL_BEGIN) == NULL) return;
  if (add(journal, pack, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}

enum ls_status ls_journal_each_pack(struct ls_journal *journal, ls_journal_pack_fn visit,
                                    void *context, struct ls_error *err) {
  int64_t tables = 0;
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_number(journal, find_sql, &tables, err);
  if (status != LS_OK || tables == 0) return status;
  status = ls_journal_prepare(
      journal, "SELECT worker, chunk, units, start_s, seconds FROM packs ORDER BY id", &row, err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    const struct ls_journal_pack pack = {.worker = (uint32_t)sqlite3_column_int64(row, 0),
                                         .chunk = (uint64_t)sqlite3_column_int64(row, 1),
                                         .units = (uint64_t)sqlite3_column_int64(row, 2),
                                         .start_s = sqlite3_column_double(row, 3),
                                         .seconds = sqlite3_column_double(row, 4)};
    bool is_time = pack.start_s >= 0 && pack.seconds >= 0 && isfinite(pack.start_s + pack.seconds);
    status = is_time ? visit(context, &pack)
                     : ls_fail(err, LS_ECORRUPT,
                               "%s: a row of packs lasts %g s from %g s on, expected times >= 0",
                               journal->path, pack.seconds, pack.start_s);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}
