/* journal_sum.c: rows that are not as they were written.
 *
 * A bit that has changed on a disk or in a copy is nothing that SQLite sees.  Each row that a
 * resume builds on has a sum of its values; where a result's does not hold its units are repeated.
 */
#include <inttypes.h>

#include "base/digest.h"
#include "runtime/journal/journal_private.h"

/* One step each: a sum differs wherever one bit does. */
static uint64_t add_number(uint64_t sum, uint64_t number) {
  return (sum ^ number) * UINT64_C(0x100000001b3);
}

static uint64_t add_value(uint64_t sum, sqlite3_value *value) {
  union {
    double real;
    uint64_t bits;
  } number = {.bits = 0};
  int type = sqlite3_value_type(value);
  sum = add_number(sum, (uint64_t)type);
  if (type == SQLITE_NULL) return sum;
  if (type == SQLITE_INTEGER) return add_number(sum, (uint64_t)sqlite3_value_int64(value));
  number.real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
  if (type == SQLITE_FLOAT) return add_number(sum, number.bits);
  const void *data = sqlite3_value_blob(value);
  size_t length = (size_t)sqlite3_value_bytes(value);
  return ls_digest_add(add_number(sum, length), data, length);
}

static void sum_row(sqlite3_context *context, int count, sqlite3_value **values) {
  uint64_t sum = LS_DIGEST_START;
  for (int i = 0; i < count; i++) sum = add_value(sum, values[i]);
  sqlite3_result_int64(context, (sqlite3_int64)sum);
}

enum ls_status ls_journal_sum_add(struct ls_journal *journal, struct ls_error *err) {
  int code = sqlite3_create_function_v2(journal->database, "ls_sum", -1,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sum_row, NULL,
                                        NULL, NULL);
  return code == SQLITE_OK ? LS_OK : ls_journal_refuse(journal, code, "cannot be opened", err);
}

enum ls_status ls_journal_sum_check(struct ls_journal *journal, struct ls_error *err) {
  static const struct {
    const char *what, *question;
  } parts[] = {
      {"what the run is",
       "FROM job WHERE sum IS NOT ls_sum(application, command, directory, "
       "input_digest, units, open)"},
      {"its command", "FROM words WHERE sum IS NOT ls_sum(kind, word)"},
      {"its inputs", "FROM inputs WHERE sum IS NOT ls_sum(id, source, linked, count, text)"},
      {"its iterations", "FROM iterations WHERE sum IS NOT ls_sum(iteration, units)"},
      {"its checkpoint", "FROM checkpoints WHERE sum IS NOT ls_sum(iteration, state)"},
      {"whose its outputs are", "FROM outputs WHERE whose IS NOT ls_sum(iteration, unit, stream)"},
      /* Who knows to which iteration it belonged, and what was made of it? */
      {"a result of an iteration",
       "FROM ended WHERE EXISTS (SELECT 1 FROM iterations) AND "
       "sum IS NOT ls_sum(" LS_JOURNAL_ENDED("settled") ")"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    struct ls_bytes sql = {0};
    int64_t count = 0;
    ls_bytes_printf(&sql, "SELECT count(*) %s", parts[i].question);
    enum ls_status status =
        sql.failed ? ls_fail(err, LS_ENOMEM, "%s: no memory for its sums", journal->path)
                   : ls_journal_number(journal, ls_bytes_text(&sql), &count, err);
    ls_bytes_close(&sql);
    if (status != LS_OK) return status;
    if (count > 0)
      return ls_fail(err, LS_ECORRUPT,
                     "%s: the file is damaged: %s (%" PRId64 " rows) is not as it was written",
                     journal->path, parts[i].what, count);
  }
  return LS_OK;
}

#define IS_DAMAGED "sum IS NOT ls_sum(" LS_JOURNAL_ENDED("settled") ")"

/* Of which units such a row was is not sure: it is no row any more, and outputs without one are
 * nobody's. */
static const char drop_sql[] =
    "DELETE FROM ended WHERE " IS_DAMAGED
    ";"
    "DELETE FROM outputs WHERE NOT EXISTS (SELECT 1 FROM ended r WHERE r.settled = 1 AND "
    "r.iteration = outputs.iteration AND r.first <= outputs.unit AND "
    "outputs.unit < r.first + r.units)";

enum ls_status ls_journal_sum_repeat(struct ls_journal *journal, struct ls_error *err) {
  int64_t count = 0;
  enum ls_status status =
      ls_journal_number(journal, "SELECT count(*) FROM ended WHERE " IS_DAMAGED, &count, err);
  if (status != LS_OK || count == 0) return status;
  journal->rows_repeated = (uint64_t)count;
  return ls_journal_execute(journal, drop_sql, err);
}
