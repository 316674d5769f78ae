/* journal_reopen.c: settled units that are to be repeated. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/journal/journal_private.h"

/* Its values then. */
#define REPEATED LS_JOURNAL_ENDED("2")

enum ls_status ls_journal_reopen(struct ls_journal *journal, const char *which,
                                 struct ls_error *err) {
  struct ls_bytes sql = {0};
  ls_bytes_printf(
      &sql,
      "DELETE FROM outputs WHERE EXISTS (SELECT 1 FROM ended r WHERE r.settled = 1 AND (%s) AND "
      "r.iteration = outputs.iteration AND outputs.unit >= r.first AND "
      "outputs.unit < r.first + r.units);"
      "DELETE FROM iterations WHERE iteration > (SELECT min(r.iteration) FROM ended r WHERE "
      "r.settled = 1 AND (%s));"
      "UPDATE ended AS r SET settled = 2, sum = ls_sum(" REPEATED ") WHERE r.settled = 1 AND (%s);",
      which, which, which);
  enum ls_status status =
      sql.failed ? ls_fail(err, LS_ENOMEM, "%s: no memory to repeat units", journal->path)
                 : ls_journal_execute(journal, ls_bytes_text(&sql), err);
  ls_bytes_close(&sql);
  return status;
}

/* A number that a question about the settled rows r, and the first iteration `floor` that can be
 * gone back to, has for its answer. */
static enum ls_status ask(struct ls_journal *journal, const char *question, int64_t *answer,
                          struct ls_error *err) {
  struct ls_bytes sql = {0};
  ls_bytes_printf(&sql,
                  "WITH floor(iteration) AS (SELECT coalesce(max(iteration), 0) FROM checkpoints) "
                  "SELECT %s FROM ended r, floor WHERE r.settled = 1 AND r.outcome <> 0",
                  question);
  enum ls_status status =
      sql.failed ? ls_fail(err, LS_ENOMEM, "%s: no memory to repeat units", journal->path)
                 : ls_journal_number(journal, ls_bytes_text(&sql), answer, err);
  ls_bytes_close(&sql);
  return status;
}

enum ls_status ls_journal_reopen_failed(struct ls_journal *journal, struct ls_error *err) {
  int64_t kept = 0, failed = 0, first = 0, floor = 0;
  enum ls_status status =
      ask(journal, "sum(CASE WHEN r.iteration < floor.iteration THEN r.units END)", &kept, err);
  if (status == LS_OK) status = ask(journal, "sum(r.iteration >= floor.iteration)", &failed, err);
  if (status == LS_OK)
    status = ask(journal, "min(CASE WHEN r.iteration >= floor.iteration THEN r.iteration END)",
                 &first, err);
  if (status == LS_OK) status = ask(journal, "max(floor.iteration)", &floor, err);
  if (status != LS_OK) return status;
  if (failed == 0 && kept > 0)
    return ls_fail(err, LS_EINVAL,
                   "%s: what failed (%" PRId64
                   " units) is a part of the application's checkpoint "
                   "before iteration %" PRId64
                   ", counted from 1, and cannot be repeated; --resume goes on without it",
                   journal->path, kept, floor + 1);
  if (failed == 0) return LS_OK;
  /* Results of later iterations were made of what failed. */
  char which[128];
  (void)snprintf(which, sizeof which,
                 "r.iteration > %" PRId64 " OR (r.iteration = %" PRId64 " AND r.outcome <> 0)",
                 first, first);
  return ls_journal_reopen(journal, which, err);
}
