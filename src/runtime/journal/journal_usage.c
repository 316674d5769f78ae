#include "runtime/journal/journal_usage.h"

#include <math.h>

#include "runtime/journal/journal_private.h"

/* SQLite takes the other columns of a row with max() from where the maximum stands. */
static const char sums_sql[] =
    "SELECT count(*), total(user_s), total(system_s), max(peak_bytes), first, "
    "total(NOT (user_s >= 0 AND system_s >= 0 AND peak_bytes > 0)) "
    "FROM ended WHERE peak_bytes IS NOT NULL";

enum ls_status ls_journal_read_usage(struct ls_journal *journal, struct ls_journal_usage *usage,
                                     struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, sums_sql, &row, err);
  if (status != LS_OK) return status;
  if (sqlite3_step(row) != SQLITE_ROW) {
    status = ls_fail(err, LS_EIO, "%s: %s", journal->path, sqlite3_errmsg(journal->database));
    (void)sqlite3_finalize(row);
    return status;
  }
  struct ls_journal_usage read = {.known = (uint64_t)sqlite3_column_int64(row, 0)};
  int64_t ill = sqlite3_column_int64(row, 5);
  read.sum = (struct ls_usage){sqlite3_column_double(row, 1), sqlite3_column_double(row, 2),
                               (uint64_t)sqlite3_column_int64(row, 3)};
  read.unit = (uint64_t)sqlite3_column_int64(row, 4);
  (void)sqlite3_finalize(row);
  if (ill > 0 || !isfinite(read.sum.user_s) || !isfinite(read.sum.system_s))
    return ls_fail(err, LS_ECORRUPT,
                   "%s: of the ends of commands %lld used what no process uses (in all %g s and "
                   "%g s of processors), expected seconds >= 0 and bytes > 0",
                   journal->path, (long long)ill, read.sum.user_s, read.sum.system_s);
  *usage = read;
  return LS_OK;
}
