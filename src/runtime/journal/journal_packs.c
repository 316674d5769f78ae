#include "runtime/journal/journal_packs.h"

#include <math.h>

#include "runtime/journal/journal_private.h"

static void bind_pack(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  const struct ls_journal_pack *pack = item;
  ls_journal_bind_worker(row, 1, pack->worker + journal->session.first_worker);
  ls_journal_bind(row, 2, pack->chunk + journal->session.first_chunk);
  ls_journal_bind(row, 3, pack->units);
  sqlite3_bind_double(row, 4, pack->start_s + journal->session.offset_s);
  sqlite3_bind_double(row, 5, pack->seconds);
}

#define ROWS(table)                                                                                \
  {                                                                                                \
    .make_sql = "CREATE TABLE IF NOT EXISTS " table                                                \
                " (id INTEGER PRIMARY KEY, worker INTEGER, chunk INTEGER, units INTEGER, start_s " \
                "REAL, seconds REAL)",                                                             \
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '" table "'",  \
    .add_sql = "INSERT INTO " table                                                                \
               " (worker, chunk, units, start_s, seconds) VALUES (?1, ?2, ?3, ?4, ?5)",            \
    .read_sql = "SELECT worker, chunk, units, start_s, seconds FROM " table " ORDER BY id",        \
    .bind = bind_pack                                                                              \
  }

static const struct ls_journal_side packs = ROWS("packs"), transfers = ROWS("transfers");

void ls_journal_pack(struct ls_journal *journal, const struct ls_journal_pack *pack) {
  ls_journal_side_add(journal, &packs, pack);
}

void ls_journal_transfer(struct ls_journal *journal, const struct ls_journal_pack *transfer) {
  ls_journal_side_add(journal, &transfers, transfer);
}

struct visit {
  ls_journal_pack_fn visit;
  void *context;
  const char *table;
};

static enum ls_status visit_pack(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                                 struct ls_error *err) {
  const struct visit *visit = context;
  const struct ls_journal_pack pack = {.worker = (uint32_t)sqlite3_column_int64(row, 0),
                                       .chunk = (uint64_t)sqlite3_column_int64(row, 1),
                                       .units = (uint64_t)sqlite3_column_int64(row, 2),
                                       .start_s = sqlite3_column_double(row, 3),
                                       .seconds = sqlite3_column_double(row, 4)};
  bool is_time = pack.start_s >= 0 && pack.seconds >= 0 && isfinite(pack.start_s + pack.seconds);
  if (is_time) return visit->visit(visit->context, &pack);
  return ls_fail(err, LS_ECORRUPT, "%s: a row of %s lasts %g s from %g s on, expected times >= 0",
                 journal->path, visit->table, pack.seconds, pack.start_s);
}

enum ls_status ls_journal_each_pack(struct ls_journal *journal, ls_journal_pack_fn visit,
                                    void *context, struct ls_error *err) {
  struct visit each = {visit, context, "packs"};
  return ls_journal_side_each(journal, &packs, visit_pack, &each, err);
}

enum ls_status ls_journal_each_transfer(struct ls_journal *journal, ls_journal_pack_fn visit,
                                        void *context, struct ls_error *err) {
  struct visit each = {visit, context, "transfers"};
  return ls_journal_side_each(journal, &transfers, visit_pack, &each, err);
}
