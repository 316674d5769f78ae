/* journal_result.c: appends results and attempts.
 *
 * The end of work is an event and, mostly, a result or an attempt of the same units: both are then
 * one row of `ended`, and what one tells of the other is left out.
 */
#include <string.h>

#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"

/* To the last bit, as a replay needs it. */
static bool is_same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* The outcome that a reader gives the event of the row. */
static enum ls_outcome guess_outcome(const struct ls_journal_result *row) {
  if (row->outcome == LS_OUTCOME_DONE) return LS_OUTCOME_DONE;
  return row->has_timed_out ? LS_OUTCOME_TIMED_OUT : LS_OUTCOME_FAILED;
}

/* Can the pending event be told from the row? */
static bool is_same_end(const struct ls_journal *journal, const struct ls_journal_result *row) {
  const struct ls_event *event = &journal->pending;
  const struct ls_event_result *result = &event->result;
  return journal->pending_id != 0 && result->chunk != LS_CHUNK_NONE &&
         row->worker == event->worker + journal->session.first_worker &&
         result->chunk == row->chunk && result->units.first == row->units.first &&
         result->units.count == row->units.count && row->outcome <= LS_OUTCOME_FAILED &&
         guess_outcome(row) == result->outcome && is_same(result->seconds, row->seconds);
}

/* A column stays NULL where the reader finds the same value by itself. */
static void bind_event(sqlite3_stmt *statement, const struct ls_event *event,
                       const struct ls_journal_result *row) {
  const struct ls_event_result *result = &event->result;
  sqlite3_bind_double(statement, 2, event->now_s);
  if (is_same(row->start_s, event->now_s - row->seconds)) sqlite3_bind_null(statement, 15);
  if (result->is_whole) ls_journal_bind(statement, 20, 1);
  if (!is_same(result->squares, row->compute_s * row->compute_s))
    sqlite3_bind_double(statement, 21, result->squares);
  if (result->latest_count == 1 && is_same(result->latest[0], row->compute_s))
    ls_journal_bind(statement, 22, 1);
  else if (result->latest_count > 0)
    sqlite3_bind_blob(statement, 22, result->latest,
                      (int)(result->latest_count * sizeof *result->latest), SQLITE_TRANSIENT);
}

static void bind_row(const struct ls_journal *journal, sqlite3_stmt *statement,
                     const struct ls_journal_result *row) {
  ls_journal_bind(statement, 4, row->iteration);
  ls_journal_bind(statement, 5, row->units.first);
  ls_journal_bind(statement, 6, row->units.count);
  ls_journal_bind(statement, 7, (uint64_t)row->outcome);
  ls_journal_bind_worker(statement, 8, row->worker);
  ls_journal_bind(statement, 9, row->slot);
  ls_journal_bind(statement, 10, row->attempt);
  if (row->chunk != LS_CHUNK_NONE)
    ls_journal_bind(statement, 11, row->chunk + journal->session.first_chunk);
  ls_journal_bind(statement, 12, row->has_timed_out);
  sqlite3_bind_int(statement, 13, row->exit_code);
  sqlite3_bind_int(statement, 14, row->signal);
  sqlite3_bind_double(statement, 15, row->start_s);
  sqlite3_bind_double(statement, 16, row->seconds);
  sqlite3_bind_double(statement, 17, row->compute_s);
  ls_journal_bind(statement, 18, row->output_bytes);
  ls_journal_bind(statement, 19, row->error_bytes);
  if (ls_usage_is_known(&row->usage)) {
    sqlite3_bind_double(statement, 26, row->usage.user_s);
    sqlite3_bind_double(statement, 27, row->usage.system_s);
    ls_journal_bind(statement, 28, row->usage.peak_bytes);
  }
  if (!(row->stage_s > 0)) return;
  sqlite3_bind_double(statement, 23, row->stage_s);
  sqlite3_bind_double(statement, 24, row->lead_s);
  sqlite3_bind_double(statement, 25, row->exposed_s);
}

static void write_row(struct ls_journal *journal, const struct ls_journal_result *row,
                      bool is_settled) {
  bool is_same_row = is_same_end(journal, row);
  if (!is_same_row) ls_journal_flush_event(journal);
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_ENDED);
  if (statement == NULL) return;
  sqlite3_clear_bindings(statement);
  ls_journal_bind(statement, 1, is_same_row ? journal->pending_id : journal->next_event++);
  ls_journal_bind(statement, 3, is_settled);
  bind_row(journal, statement, row);
  if (is_same_row) bind_event(statement, &journal->pending, row);
  if (is_same_row) journal->pending_id = 0;
  ls_journal_run(journal, statement);
}

void ls_journal_result(struct ls_journal *journal, const struct ls_journal_result *result) {
  write_row(journal, result, true);
}

void ls_journal_attempt(struct ls_journal *journal, const struct ls_journal_result *attempt) {
  write_row(journal, attempt, false);
}
