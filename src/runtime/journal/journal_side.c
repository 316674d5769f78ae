/* journal_side.c: tables that a journal has once there is something to write into them. */
#include "runtime/journal/journal_private.h"

static enum ls_status add(struct ls_journal *journal, const struct ls_journal_side *side,
                          const void *item, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_execute(journal, side->make_sql, err);
  if (status == LS_OK) status = ls_journal_prepare(journal, side->add_sql, &row, err);
  if (status != LS_OK) return status;
  side->bind(journal, item, row);
  return ls_journal_finish(journal, row, err);
}

void ls_journal_side_add(struct ls_journal *journal, const struct ls_journal_side *side,
                         const void *item) {
  struct ls_error failure = {0};
  if (ls_journal_statement(journal, LS_JOURNAL_BEGIN) == NULL) return;
  if (add(journal, side, item, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}

enum ls_status ls_journal_side_each(struct ls_journal *journal, const struct ls_journal_side *side,
                                    ls_journal_row_fn visit, void *context, struct ls_error *err) {
  int64_t tables = 0;
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_number(journal, side->find_sql, &tables, err);
  if (status != LS_OK || tables == 0) return status;
  status = ls_journal_prepare(journal, side->read_sql, &row, err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
    status = visit(journal, row, context, err);
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}
