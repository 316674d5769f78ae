/* journal_session.c: the sessions of a run: one for each start of a master, one behind the other in
 * time and number. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/journal/journal_private.h"
#include "runtime/os/clock.h"

enum ls_status ls_journal_elapsed(struct ls_journal *journal, double *elapsed_s,
                                  struct ls_error *err) {
  /* A session that died says nothing of its end: its last event and last result tell. */
  static const char *const sql =
      "SELECT s.offset_s + max(0, coalesce(s.end_s, s.offset_s) - s.offset_s, "
      "coalesce((SELECT now_s FROM heard WHERE id >= s.first_event ORDER BY id DESC LIMIT 1), 0), "
      "coalesce((SELECT coalesce(heard_s, start_s + seconds) FROM ended WHERE id >= s.first_event "
      "ORDER BY id DESC LIMIT 1), 0)) FROM sessions s ORDER BY s.session DESC LIMIT 1";
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_prepare(journal, sql, &statement, err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(statement);
  double found_s = code == SQLITE_ROW ? sqlite3_column_double(statement, 0) : 0;
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return ls_journal_refuse(journal, code, "cannot be read", err);
  *elapsed_s = found_s;
  return LS_OK;
}

enum ls_status ls_journal_session(struct ls_journal *journal, uint32_t number,
                                  struct ls_journal_session *session, struct ls_error *err) {
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_prepare(
      journal,
      "SELECT first_event, first_decision, first_chunk, offset_s, first_worker FROM sessions "
      "WHERE session = ?1",
      &statement, err);
  if (status != LS_OK) return status;
  sqlite3_bind_int64(statement, 1, number);
  int code = sqlite3_step(statement);
  struct ls_journal_session found = {
      .number = number,
      .first_event = (uint64_t)sqlite3_column_int64(statement, 0),
      .first_decision = (uint64_t)sqlite3_column_int64(statement, 1),
      .first_chunk = (uint64_t)sqlite3_column_int64(statement, 2),
      .offset_s = sqlite3_column_double(statement, 3),
      .first_worker = (uint32_t)sqlite3_column_int64(statement, 4),
  };
  sqlite3_finalize(statement);
  if (code == SQLITE_DONE)
    return ls_fail(err, LS_EINVAL, "%s: has no session %u", journal->path, (unsigned)number);
  if (code != SQLITE_ROW) return ls_journal_refuse(journal, code, "cannot be read", err);
  *session = found;
  return LS_OK;
}

/* The first numbers of this session: they follow the records of the earlier ones. */
static enum ls_status find_session(struct ls_journal *journal, struct ls_journal_session *session,
                                   struct ls_error *err) {
  int64_t number = 0, event = 0, decision = 0, chunk = 0, worker = 0;
  enum ls_status status =
      ls_journal_number(journal, "SELECT max(session) + 1 FROM sessions", &number, err);
  if (status == LS_OK)
    status = ls_journal_number(journal,
                               "SELECT max(coalesce((SELECT max(id) FROM heard), 0), "
                               "coalesce((SELECT max(id) FROM ended), 0), "
                               "coalesce((SELECT max(first_event) - 1 FROM sessions), 0))",
                               &event, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT max(id) FROM sent", &decision, err);
  if (status == LS_OK)
    status = ls_journal_number(
        journal,
        "SELECT max(coalesce((SELECT chunk + 1 FROM sent ORDER BY id DESC LIMIT 1), 0), "
        "coalesce((SELECT max(first_chunk) FROM sessions), 0))",
        &chunk, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT max(worker) + 1 FROM workers", &worker, err);
  double offset_s = 0;
  if (status == LS_OK) status = ls_journal_elapsed(journal, &offset_s, err);
  if (status != LS_OK) return status;
  *session = (struct ls_journal_session){.number = (uint32_t)number,
                                         .first_event = (uint64_t)event + 1,
                                         .first_decision = (uint64_t)decision + 1,
                                         .first_chunk = (uint64_t)chunk,
                                         .first_worker = (uint32_t)worker,
                                         .offset_s = offset_s};
  return LS_OK;
}

enum ls_status ls_journal_begin_session(struct ls_journal *journal,
                                        const struct ls_journal_job *job, struct ls_error *err) {
  struct ls_journal_session session;
  enum ls_status status = find_session(journal, &session, err);
  if (status == LS_OK)
    status = ls_journal_execute(journal,
                                "UPDATE sessions SET state = 'died' WHERE state = 'running'", err);
  sqlite3_stmt *statement = NULL;
  if (status == LS_OK)
    status = ls_journal_prepare(journal,
                                "INSERT INTO sessions VALUES (?1, strftime('%Y-%m-%dT%H:%M:%SZ', "
                                "'now'),?2,?3,?4,?5,?6,?7,NULL,'running',?8,?9,?10,?11,?12,?13)",
                                &statement, err);
  if (status != LS_OK) return status;
  char host[256] = "", seed[24];
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  snprintf(seed, sizeof seed, "%" PRIu64, job->seed);
  sqlite3_bind_int64(statement, 1, session.number);
  sqlite3_bind_int64(statement, 2, getpid());
  ls_journal_bind_text(statement, 3, host);
  ls_journal_bind_text(statement, 4, job->policy);
  ls_journal_bind_text(statement, 5, seed);
  sqlite3_bind_int64(statement, 6, (sqlite3_int64)job->workers);
  sqlite3_bind_double(statement, 7, session.offset_s);
  sqlite3_bind_int64(statement, 8, (sqlite3_int64)session.first_event);
  sqlite3_bind_int64(statement, 9, (sqlite3_int64)session.first_decision);
  sqlite3_bind_int64(statement, 10, (sqlite3_int64)session.first_chunk);
  sqlite3_bind_int64(statement, 11, session.first_worker);
  if (job->listens != NULL) ls_journal_bind_text(statement, 12, job->listens);
  sqlite3_bind_double(statement, 13, ls_clock_calendar_s());
  status = ls_journal_finish(journal, statement, err);
  if (status != LS_OK) return status;
  journal->session = session;
  journal->next_event = session.first_event;
  return LS_OK;
}
