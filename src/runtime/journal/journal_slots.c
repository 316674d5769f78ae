#include "runtime/journal/journal_slots.h"

#include "runtime/journal/journal_private.h"

static void bind_slot(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  const struct ls_journal_slot *slot = item;
  ls_journal_bind(row, 1, journal->session.number);
  sqlite3_bind_double(row, 2, slot->time_s + journal->session.offset_s);
  ls_journal_bind_text(row, 3, slot->pool);
  ls_journal_bind(row, 4, slot->slot);
  ls_journal_bind(row, 5, slot->workers);
  ls_journal_bind_text(row, 6, slot->kind);
  ls_journal_bind_text(row, 7, slot->why);
}

static const struct ls_journal_side slots = {
    .make_sql =
        "CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, session INTEGER, time_s "
        "REAL, pool TEXT, slot INTEGER, workers INTEGER, kind TEXT, why TEXT)",
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'slots'",
    .add_sql =
        "INSERT INTO slots (session, time_s, pool, slot, workers, kind, why) VALUES "
        "(?1,?2,?3,?4,?5,?6,?7)",
    .read_sql = "SELECT time_s, pool, slot, workers, kind, why FROM slots ORDER BY id",
    .bind = bind_slot};

void ls_journal_slot(struct ls_journal *journal, const struct ls_journal_slot *slot) {
  ls_journal_side_add(journal, &slots, slot);
}

struct visit {
  ls_journal_slot_fn visit;
  void *context;
};

static const char *read_text(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text != NULL ? text : "";
}

static enum ls_status visit_slot(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                                 struct ls_error *err) {
  const struct visit *visit = context;
  (void)journal;
  (void)err;
  const struct ls_journal_slot slot = {.time_s = sqlite3_column_double(row, 0),
                                       .pool = read_text(row, 1),
                                       .slot = (uint32_t)sqlite3_column_int64(row, 2),
                                       .workers = (uint64_t)sqlite3_column_int64(row, 3),
                                       .kind = read_text(row, 4),
                                       .why = read_text(row, 5)};
  return visit->visit(visit->context, &slot);
}

enum ls_status ls_journal_each_slot(struct ls_journal *journal, ls_journal_slot_fn visit,
                                    void *context, struct ls_error *err) {
  struct visit each = {visit, context};
  return ls_journal_side_each(journal, &slots, visit_slot, &each, err);
}
