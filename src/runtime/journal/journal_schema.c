/* journal_schema.c: makes and checks the tables and the job of a journal. */
#include "runtime/journal/journal_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the table `ended` holds of a row of the results or attempts, as its numbers and times are
 * told: those of the run. */
#define ENDED_OFFSET                                                                         \
  "(SELECT offset_s FROM sessions WHERE first_event <= ended.id ORDER BY first_event DESC, " \
  "session DESC LIMIT 1)"
#define ENDED_COLUMNS(outcome)                                                                    \
  "SELECT id, iteration, first, units, " outcome                                                  \
  " AS outcome, worker, slot, attempt, chunk, timed_out, exit_code, signal, "                     \
  "coalesce(start_s, heard_s - seconds) + " ENDED_OFFSET                                          \
  " AS start_s, seconds, compute_s, output_bytes, error_bytes, coalesce(stage_s, 0) AS stage_s, " \
  "coalesce(lead_s, 0) AS lead_s, coalesce(exposed_s, 0) AS exposed_s, user_s, system_s, "        \
  "peak_bytes "                                                                                   \
  "FROM ended WHERE settled "

#define RESULT_WORDS                                                                              \
  "SELECT iteration, first, units, CASE outcome WHEN 0 THEN 'done' WHEN 1 THEN 'failed' "         \
  "WHEN 2 THEN 'abandoned' ELSE 'lost' END AS outcome, worker, slot, attempt, chunk, timed_out, " \
  "exit_code, signal, start_s, seconds, compute_s, output_bytes, error_bytes, stage_s, lead_s, "  \
  "exposed_s, user_s, system_s, peak_bytes FROM "

/* The hot tables have no index but their row number: appending is all that the master does. The
 * end of work is one row, though it is an event and a result or attempt: most of a journal is
 * of it.  A column that can be told from others is NULL there. */
static const char *const tables_sql =
    "CREATE TABLE job (application TEXT, command TEXT, directory TEXT, input_digest TEXT, "
    "units INTEGER, open INTEGER, sum INTEGER);"
    "CREATE TABLE identity (run BLOB);"
    "INSERT INTO identity VALUES (randomblob(16));"
    "CREATE TABLE words (id INTEGER PRIMARY KEY, kind INTEGER, word BLOB, sum INTEGER);"
    "CREATE TABLE inputs (id INTEGER PRIMARY KEY, source INTEGER, linked INTEGER, count "
    "INTEGER, "
    "text BLOB, sum INTEGER);"
    "CREATE TABLE sessions (session INTEGER PRIMARY KEY, started TEXT, pid INTEGER, host TEXT, "
    "policy TEXT, seed TEXT, workers INTEGER, offset_s REAL, end_s REAL, state TEXT, "
    "first_event INTEGER, first_decision INTEGER, first_chunk INTEGER, first_worker INTEGER, "
    "listens TEXT, started_unix_s REAL);"
    "CREATE TABLE workers (worker INTEGER PRIMARY KEY, session INTEGER, slot INTEGER, name "
    "TEXT, "
    "joined_s REAL, left_s REAL, away_s REAL, price_per_s REAL, labels TEXT);"
    "CREATE TABLE advices (id INTEGER PRIMARY KEY, session INTEGER, time_s REAL, policy TEXT, "
    "prefetch INTEGER, workers INTEGER, reason TEXT);"
    "CREATE TABLE iterations (iteration INTEGER PRIMARY KEY, units INTEGER, sum INTEGER);"
    "CREATE TABLE checkpoints (iteration INTEGER PRIMARY KEY, state BLOB, sum INTEGER);"
    "CREATE TABLE heard (id INTEGER PRIMARY KEY, kind INTEGER, now_s REAL, worker INTEGER, "
    "chunk INTEGER, first INTEGER, units INTEGER, outcome INTEGER, count INTEGER, seconds "
    "REAL, "
    "squares REAL, latest BLOB, labels TEXT);"
    "CREATE TABLE ended (id INTEGER PRIMARY KEY, heard_s REAL, settled INTEGER, "
    "iteration INTEGER, first INTEGER, units INTEGER, outcome INTEGER, worker INTEGER, "
    "slot INTEGER, attempt INTEGER, chunk INTEGER, timed_out INTEGER, exit_code INTEGER, "
    "signal INTEGER, start_s REAL, seconds REAL, compute_s REAL, output_bytes INTEGER, "
    "error_bytes INTEGER, count INTEGER, squares REAL, latest BLOB, "
    "stage_s REAL, lead_s REAL, exposed_s REAL, user_s REAL, system_s REAL, peak_bytes INTEGER, "
    "sum INTEGER);"
    "CREATE TABLE reasons (iteration INTEGER, unit INTEGER, reason TEXT, "
    "PRIMARY KEY (iteration, unit)) WITHOUT ROWID;"
    "CREATE TABLE sent (id INTEGER PRIMARY KEY, event INTEGER, worker INTEGER, "
    "chunk INTEGER, first INTEGER, units INTEGER);"
    "CREATE TABLE outputs (id INTEGER PRIMARY KEY, iteration INTEGER, unit INTEGER, "
    "stream INTEGER, bytes INTEGER, data BLOB, file TEXT, sum INTEGER, whose INTEGER, UNIQUE "
    "(iteration, unit, stream));";

/* What is read as a table. */
#define TABLE_NAMES                                                                            \
  "'job', 'identity', 'words', 'inputs', 'sessions', 'workers', 'advices', 'iterations', "     \
  "'checkpoints', 'heard', 'ended', 'reasons', 'sent', 'outputs', 'accounts', 'size_advice', " \
  "'slots', 'openings', 'files', 'packs', 'transfers'"

/* For people and programs that ask: the journal itself reads tables only. */
static const char *const views_sql =
    "CREATE VIEW results AS " ENDED_COLUMNS("outcome")
    "= 1;"
    "CREATE VIEW attempts AS " ENDED_COLUMNS(
        "CASE WHEN settled = 2 AND outcome <> 1 THEN 3 ELSE outcome END")
    "<> 1;"
    "CREATE VIEW events AS SELECT id, kind, now_s, worker, chunk, first, units, outcome, count, "
    "seconds, squares, latest, labels FROM heard UNION ALL SELECT id, 2, heard_s, worker, chunk, "
    "first, units, CASE WHEN outcome = 0 THEN 0 WHEN timed_out THEN 4 ELSE 1 END, count, seconds, "
    "coalesce(squares, compute_s * compute_s), latest, NULL FROM ended WHERE heard_s IS NOT NULL "
    "ORDER BY id;"
    "CREATE VIEW decisions AS SELECT id, event, worker, chunk, first, units, " LS_JOURNAL_SENT_TIME
    " AS time_s FROM sent;"
    "CREATE VIEW result_list AS " RESULT_WORDS
    "results;"
    "CREATE VIEW attempt_list AS " RESULT_WORDS
    "attempts;"
    "CREATE VIEW event_list AS SELECT id, CASE kind WHEN 0 THEN 'joined' WHEN 1 THEN 'ready' "
    "WHEN 2 THEN 'result' WHEN 3 THEN 'heartbeat' WHEN 4 THEN 'leaving' WHEN 5 THEN 'lost' "
    "WHEN 6 THEN 'suspended' WHEN 7 THEN 'resumed' WHEN 8 THEN 'granted' WHEN 9 THEN 'refused' "
    "WHEN 10 THEN 'advice' WHEN 11 THEN 'timer' WHEN 12 THEN 'iteration' WHEN 13 THEN 'free' "
    "WHEN 14 THEN 'stop' WHEN 15 THEN 'added' "
    "END AS kind, now_s + (SELECT offset_s FROM sessions WHERE first_event <= events.id "
    "ORDER BY session DESC LIMIT 1) AS time_s, worker, chunk, first, units, outcome, count, "
    "seconds, labels FROM events;";

_Static_assert(LS_EVENT_ADDED == 15 && LS_EVENT_COUNT == 16 && LS_OUTCOME_COUNT == 6,
               "the numbers in the file and its views are those of a version of the schema");

/* Whoever reads a journal may have an entry for each number, also for those that were expected and
 * never joined, of which no run has so many. */
static enum ls_status check_workers(struct ls_journal *journal, struct ls_error *err) {
  const int64_t absent_max = 1 << 17;
  int64_t least = 0, most = 0, count = 0;
  enum ls_status status =
      ls_journal_number(journal, "SELECT min(worker) FROM workers", &least, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT max(worker) FROM workers", &most, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT count(*) FROM workers", &count, err);
  if (status != LS_OK || (least >= 0 && most - count < absent_max)) return status;
  return ls_fail(err, LS_ECORRUPT,
                 "%s: a row of workers is of worker %" PRId64 ", expected 0 to %" PRId64
                 ": %" PRId64 " joined",
                 journal->path, least < 0 ? least : most, count + absent_max - 1, count);
}

/* A view, a virtual table or a computed column is a program, which may have no end; a trigger is
 * one that runs when something is written.  Views that nobody reads here are their owner's. */
static enum ls_status check_kinds(struct ls_journal *journal, struct ls_error *err) {
  static const char *const sql =
      "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index', 'view') OR "
      "((type = 'table' OR name IN (" TABLE_NAMES
      ")) AND coalesce(sql, '') NOT LIKE 'CREATE TABLE %')";
  static const char *const columns_sql =
      "SELECT count(*) FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c "
      "WHERE s.type = 'table' AND c.hidden <> 0";
  int64_t strange = 0, computed = 0;
  enum ls_status status = ls_journal_number(journal, sql, &strange, err);
  if (status == LS_OK && strange == 0)
    status = ls_journal_number(journal, columns_sql, &computed, err);
  if (status != LS_OK || strange + computed == 0) return status;
  return ls_fail(err, LS_ECORRUPT,
                 "%s: has views, virtual tables, triggers or computed columns where a journal has "
                 "tables: Loadstar has not written it so",
                 journal->path);
}

enum ls_status ls_journal_identify(struct ls_journal *journal, bool *is_fresh,
                                   struct ls_error *err) {
  int64_t id = 0, version = 0, tables = 0;
  enum ls_status status = ls_journal_number(journal, "PRAGMA application_id", &id, err);
  if (status == LS_OK) status = ls_journal_number(journal, "PRAGMA user_version", &version, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT count(*) FROM sqlite_schema", &tables, err);
  if (status != LS_OK) return status;
  /* A master that was killed while it made its journal leaves a database without a table. */
  *is_fresh = id == 0 && version == 0 && tables == 0;
  if (*is_fresh) return LS_OK;
  if (id != LS_JOURNAL_APPLICATION_ID)
    return ls_fail(err, LS_EINVAL, "%s: not a Loadstar journal (a database of something else)",
                   journal->path);
  if (version < 1)
    return ls_fail(err, LS_ECORRUPT, "%s: has version %" PRId64 ", expected %d", journal->path,
                   version, LS_JOURNAL_VERSION);
  if (version < LS_JOURNAL_LEAST || version > LS_JOURNAL_VERSION)
    return ls_fail(err, LS_EINVAL,
                   "%s: is a journal of the %s version %" PRId64
                   ", this program knows versions %d to %d only",
                   journal->path, version > LS_JOURNAL_VERSION ? "newer" : "older", version,
                   LS_JOURNAL_LEAST, LS_JOURNAL_VERSION);
  journal->version = version;
  status = check_kinds(journal, err);
  return status == LS_OK ? check_workers(journal, err) : status;
}

static void write_digest(char text[17], uint64_t digest) {
  snprintf(text, 17, "%016" PRIx64, digest);
}

static enum ls_status create_tables(struct ls_journal *journal, const struct ls_journal_job *job,
                                    struct ls_error *err) {
  char pragmas[96], digest[17];
  snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
           LS_JOURNAL_APPLICATION_ID, LS_JOURNAL_VERSION);
  enum ls_status status = ls_journal_execute(journal, tables_sql, err);
  if (status == LS_OK) status = ls_journal_execute(journal, views_sql, err);
  if (status == LS_OK) status = ls_journal_execute(journal, pragmas, err);
  sqlite3_stmt *statement = NULL;
  if (status == LS_OK)
    status = ls_journal_prepare(
        journal, "INSERT INTO job VALUES (?1,?2,?3,?4,?5,0,ls_sum(?1,?2,?3,?4,?5,0))", &statement,
        err);
  if (status != LS_OK) return status;
  write_digest(digest, job->input_digest);
  ls_journal_bind_text(statement, 1, job->application);
  ls_journal_bind_text(statement, 2, job->command);
  ls_journal_bind_text(statement, 3, job->directory);
  ls_journal_bind_text(statement, 4, digest);
  sqlite3_bind_int64(statement, 5, (sqlite3_int64)job->units);
  return ls_journal_finish(journal, statement, err);
}

/* What differs between the job in the journal and this one, in words. */
static enum ls_status refuse_job(struct ls_journal *journal, sqlite3_stmt *row,
                                 const struct ls_journal_job *job, struct ls_error *err) {
  static const char *const names[] = {"application", "command", "directory"};
  const char *const values[] = {job->application, job->command, job->directory};
  for (int i = 0; i < 3; i++) {
    const char *recorded = (const char *)sqlite3_column_text(row, i);
    if (recorded == NULL) recorded = "";
    const char *given = values[i] == NULL ? "" : values[i];
    if (strcmp(recorded, given) != 0)
      return ls_fail(err, LS_EMISMATCH,
                     "%s: belongs to another job: its %s is \"%.120s\", this run's is \"%.120s\"",
                     journal->path, names[i], recorded, given);
  }
  if (job->has_inputs) return LS_OK;
  uint64_t units = (uint64_t)sqlite3_column_int64(row, 4);
  if (units != job->units)
    return ls_fail(err, LS_EMISMATCH, "%s: the run has %" PRIu64 " units, the journal has %" PRIu64,
                   journal->path, job->units, units);
  char digest[17];
  write_digest(digest, job->input_digest);
  const char *recorded = (const char *)sqlite3_column_text(row, 3);
  if (recorded != NULL && strcmp(recorded, digest) == 0) return LS_OK;
  return ls_fail(err, LS_EMISMATCH, "%s: what the application reads has changed since it was begun",
                 journal->path);
}

enum ls_status ls_journal_compare(struct ls_journal *journal, const struct ls_journal_job *job,
                                  struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT application, command, directory, input_digest, units FROM job", &row, err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(row);
  if (code == SQLITE_DONE)
    status = ls_fail(err, LS_ECORRUPT, "%s: says of no job what it is", journal->path);
  else if (code != SQLITE_ROW)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  else
    status = refuse_job(journal, row, job, err);
  sqlite3_finalize(row);
  return status;
}

/* A stretch of the file that is gone or overwritten is found before anything is built on it. */
static enum ls_status check_pages(struct ls_journal *journal, struct ls_error *err) {
  sqlite3_stmt *statement = NULL;
  enum ls_status status = ls_journal_prepare(journal, "PRAGMA integrity_check(1)", &statement, err);
  if (status != LS_OK) return status;
  int code = sqlite3_step(statement);
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (text == NULL)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  else if (strcmp(text, "ok") != 0)
    status = ls_fail(err, LS_ECORRUPT, "%s: the file is damaged (%.200s)", journal->path, text);
  sqlite3_finalize(statement);
  return status;
}

static enum ls_status check_past(struct ls_journal *journal, enum ls_journal_mode mode,
                                 const struct ls_journal_job *job, struct ls_error *err) {
  enum ls_status status = check_pages(journal, err);
  if (status == LS_OK) status = ls_journal_sum_check(journal, err);
  if (status == LS_OK) status = ls_journal_compare(journal, job, err);
  if (status == LS_OK && mode == LS_JOURNAL_NEW) {
    int64_t settled = 0;
    status =
        ls_journal_number(journal, "SELECT sum(units) FROM ended WHERE settled = 1", &settled, err);
    if (status == LS_OK && settled > 0)
      status = ls_fail(err, LS_EINVAL,
                       "%s: exists, with %" PRId64 " units settled; --resume to continue it",
                       journal->path, settled);
  }
  return status;
}

/* Inside the open transaction. */
static enum ls_status take_inputs(struct ls_journal *journal,
                                  const struct ls_journal_request *request, struct ls_error *err) {
  if (request->inputs == NULL) return LS_OK;
  struct ls_error why = {0};
  journal->is_open = true;
  enum ls_status status = request->inputs(request->context, journal, &why);
  journal->is_open = false;
  if (status == LS_EMISMATCH) return ls_fail(err, status, "%s: %s", journal->path, why.text);
  if (status != LS_OK) return ls_fail(err, status, "%s", why.text);
  if (status == LS_OK && journal->failure.status != LS_OK)
    status = ls_fail(err, journal->failure.status, "%s", journal->failure.text);
  return status;
}

/* So much is written beside the journal before it goes into it. */
static const int64_t LOG_BYTES = 16 << 20;

/* A commit writes the last pages of the tables that grew, each as a whole, for some hundred bytes
 * of rows: so pages are small.  Those of a journal that is there stay as they are. */
static enum ls_status begin_writing(struct ls_journal *journal, struct ls_error *err) {
  int64_t page_bytes = 0;
  char checkpoints[80];
  enum ls_status status =
      ls_journal_execute(journal, "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL", err);
  if (status == LS_OK) status = ls_journal_number(journal, "PRAGMA page_size", &page_bytes, err);
  if (status != LS_OK) return status;
  (void)snprintf(checkpoints, sizeof checkpoints,
                 "PRAGMA wal_autocheckpoint = %" PRId64 "; BEGIN IMMEDIATE",
                 LOG_BYTES / (page_bytes > 0 ? page_bytes : 1));
  return ls_journal_execute(journal, checkpoints, err);
}

/* A journal of an earlier version gets what it lacks; what that version did not know stays open. */
static enum ls_status bring_up(struct ls_journal *journal, struct ls_error *err) {
  char sql[120];
  if (journal->version == LS_JOURNAL_VERSION) return LS_OK;
  (void)snprintf(sql, sizeof sql,
                 "ALTER TABLE sessions ADD COLUMN started_unix_s REAL; PRAGMA user_version = %d",
                 LS_JOURNAL_VERSION);
  enum ls_status status = ls_journal_execute(journal, sql, err);
  if (status == LS_OK) journal->version = LS_JOURNAL_VERSION;
  return status;
}

enum ls_status ls_journal_start(struct ls_journal *journal,
                                const struct ls_journal_request *request, bool is_fresh,
                                struct ls_error *err) {
  enum ls_status status = is_fresh ? LS_OK : check_past(journal, request->mode, request->job, err);
  /* NORMAL waits for the disk at checkpoints only: a power cut costs the last commits, but never
   * what a checkpoint is to overwrite. */
  if (status == LS_OK)
    status = ls_journal_execute(
        journal, journal->is_synced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
        err);
  if (status == LS_OK) status = begin_writing(journal, err);
  if (status == LS_OK && is_fresh) status = create_tables(journal, request->job, err);
  if (status == LS_OK && !is_fresh) status = bring_up(journal, err);
  if (status == LS_OK && !is_fresh) status = ls_journal_sum_repeat(journal, err);
  if (status == LS_OK && !is_fresh) status = ls_journal_outputs_check(journal, err);
  if (status == LS_OK && request->mode == LS_JOURNAL_RESUME_FAILED)
    status = ls_journal_reopen_failed(journal, err);
  if (status == LS_OK) status = take_inputs(journal, request, err);
  if (status == LS_OK) status = ls_journal_begin_session(journal, request->job, err);
  if (status == LS_OK) status = ls_journal_execute(journal, "COMMIT", err);
  /* From here on the file itself says whose it is, whatever lies beside it. */
  if (status == LS_OK && is_fresh)
    status = ls_journal_execute(journal, "PRAGMA wal_checkpoint(TRUNCATE)", err);
  return status;
}
