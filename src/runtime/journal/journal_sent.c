#include "runtime/journal/journal_sent.h"

#include "runtime/journal/journal_private.h"

/* Rows come by their first unit; those that were sent again lie upon others. */
static void add(struct ls_ranges *sent, uint64_t first, uint64_t units) {
  struct ls_range *last = sent->count > 0 ? &sent->items[sent->count - 1] : NULL;
  if (last == NULL || first >= last->first + last->count) {
    ls_ranges_add(sent, (struct ls_range){first, units});
    return;
  }
  uint64_t end = first + units;
  if (end > last->first + last->count) last->count = end - last->first;
}

enum ls_status ls_journal_read_sent(struct ls_journal *journal, struct ls_ranges *sent,
                                    struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  int code = SQLITE_DONE;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT first, units FROM sent WHERE first >= 0 AND units > 0 ORDER BY first", &row,
      err);
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
    add(sent, (uint64_t)sqlite3_column_int64(row, 0), (uint64_t)sqlite3_column_int64(row, 1));
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  if (status != LS_OK || !sent->failed) return status;
  return ls_fail(err, LS_ENOMEM, "no memory for what earlier sessions sent");
}

bool ls_journal_was_sent(const struct ls_ranges *sent, struct ls_range range) {
  size_t low = 0, high = sent->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (sent->items[middle].first <= range.first)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return false;
  const struct ls_range *item = &sent->items[low - 1];
  uint64_t before = range.first - item->first;
  return before < item->count && range.count <= item->count - before;
}
