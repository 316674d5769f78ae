/* journal.c: appends to the journal and commits. */
#include "runtime/journal/journal.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"
#include "runtime/os/clock.h"

/* So often a master looks whether its file is still there. */
static const double LOOK_S = 0.2;

/* Symbolic links lead to the file, and not to what lies beside it. */
static enum ls_status find_place(struct ls_journal *journal, struct ls_error *err) {
  journal->place = realpath(journal->path, NULL);
  if (journal->place != NULL) return LS_OK;
  return ls_fail(err, LS_EIO, "%s: cannot be found: %s", journal->path, strerror(errno));
}

/* The log of another journal beside this one would make it that one. */
static enum ls_status check_log(struct ls_journal *journal, const unsigned char *run,
                                struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, "SELECT run FROM identity", &row, err);
  if (status != LS_OK) return status;
  bool is_same = sqlite3_step(row) == SQLITE_ROW &&
                 sqlite3_column_bytes(row, 0) == LS_JOURNAL_RUN_BYTES &&
                 memcmp(sqlite3_column_blob(row, 0), run, LS_JOURNAL_RUN_BYTES) == 0;
  sqlite3_finalize(row);
  if (is_same) return LS_OK;
  return ls_fail(err, LS_EMISMATCH,
                 "%s: what lies next to it, in %s-wal, belongs to another journal: put that one's "
                 "own there, or remove it",
                 journal->path, journal->place);
}

static enum ls_status open_checked(struct ls_journal *journal, bool is_reader, bool *is_fresh,
                                   struct ls_error *err) {
  unsigned char run[LS_JOURNAL_RUN_BYTES];
  bool has_log = ls_journal_file_has_log(journal);
  bool is_known = has_log && ls_journal_file_run(journal, run);
  journal->has_lost_log = !has_log;
  enum ls_status status = ls_journal_file_open(journal, is_reader, err);
  /* What is refused is left as it was found. */
  if (status == LS_OK)
    (void)sqlite3_db_config(journal->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  /* One transaction from here to close: everything read belongs to one instant of the run. */
  if (status == LS_OK && is_reader) status = ls_journal_execute(journal, "BEGIN", err);
  if (status == LS_OK) status = ls_journal_identify(journal, is_fresh, err);
  if (status == LS_ECORRUPT && is_known && err != NULL) {
    struct ls_error why = *err;
    return ls_fail(err, status, "%.300s; without what lies next to it (%.100s-wal) it can be read",
                   why.text, journal->path);
  }
  if (status == LS_OK && is_known && !*is_fresh) status = check_log(journal, run, err);
  if (status == LS_OK)
    (void)sqlite3_db_config(journal->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
  return status;
}

/* A master that was killed leaves its log. */
static enum ls_status look_for_log(struct ls_journal *journal, struct ls_error *err) {
  int64_t was_killed = 0;
  enum ls_status status = ls_journal_number(
      journal, "SELECT state = 'running' FROM sessions ORDER BY session DESC LIMIT 1", &was_killed,
      err);
  journal->has_lost_log = journal->has_lost_log && was_killed != 0;
  return status;
}

static enum ls_status open_master(struct ls_journal *journal,
                                  const struct ls_journal_request *request, struct ls_error *err) {
  bool is_fresh = false;
  enum ls_status status = open_checked(journal, false, &is_fresh, err);
  if (is_fresh) journal->has_lost_log = false;
  if (status == LS_OK && !is_fresh) status = look_for_log(journal, err);
  if (status == LS_OK) status = ls_journal_start(journal, request, is_fresh, err);
  if (status == LS_OK) ls_journal_outputs_sweep(journal);
  return status;
}

static enum ls_status open_reader(struct ls_journal *journal, struct ls_error *err) {
  bool is_fresh = false;
  enum ls_status status = ls_journal_file_check(journal->path, err);
  if (status == LS_OK) journal->is_held = ls_journal_file_is_held(journal->path);
  if (status == LS_OK) status = find_place(journal, err);
  if (status == LS_OK) status = open_checked(journal, true, &is_fresh, err);
  if (status == LS_OK && is_fresh)
    status = ls_fail(err, LS_EINVAL,
                     "%s: holds nothing yet: it is no journal, or its run had hardly begun: start "
                     "that run again with its command",
                     journal->path);
  return status;
}

/* The last session names the process that holds the journal; a reader needs no lock to see it. */
static void name_holder(const char *path, struct ls_error *err) {
  struct ls_journal *other = NULL;
  int64_t process = 0;
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  if (err == NULL || ls_journal_open(&request, &other, NULL) != LS_OK) return;
  if (ls_journal_number(other, "SELECT pid FROM sessions ORDER BY session DESC LIMIT 1", &process,
                        NULL) == LS_OK &&
      process > 0)
    ls_fail(err, LS_EBUSY, "%s: another master (process %lld) holds this journal", path,
            (long long)process);
  ls_journal_close(other);
}

enum ls_status ls_journal_open(const struct ls_journal_request *request, struct ls_journal **out,
                               struct ls_error *err) {
  const char *path = request->path;
  bool is_reader = request->mode == LS_JOURNAL_READ, is_created = false, is_taken = false;
  assert(is_reader || request->job != NULL);
  struct ls_journal *journal = calloc(1, sizeof *journal);
  char *path_copy = strdup(path);
  if (journal == NULL || path_copy == NULL) {
    free(journal);
    free(path_copy);
    return ls_fail(err, LS_ENOMEM, "%s: no memory to open it", path);
  }
  *journal = (struct ls_journal){.path = path_copy,
                                 .lock_file = -1,
                                 .is_synced = request->is_synced,
                                 .row_worker = LS_WORKER_NONE,
                                 .last_worker = LS_WORKER_NONE};
  enum ls_status status;
  if (is_reader) {
    status = open_reader(journal, err);
  } else {
    status = ls_journal_file_lock(path, &journal->lock_file, &is_created, &is_taken, err);
    if (is_taken) name_holder(path, err);
    if (status == LS_OK) status = find_place(journal, err);
    if (status == LS_OK) status = open_master(journal, request, err);
    if (status == LS_OK && is_created) status = ls_journal_file_sync_folder(path, err);
  }
  if (status != LS_OK) {
    if (is_created) unlink(path);
    ls_journal_close(journal);
    return status;
  }
  *out = journal;
  return LS_OK;
}

void ls_journal_close(struct ls_journal *journal) {
  if (journal == NULL) return;
  for (size_t i = 0; i < LS_JOURNAL_STATEMENT_COUNT; i++) sqlite3_finalize(journal->statements[i]);
  sqlite3_finalize(journal->read_output);
  sqlite3_finalize(journal->read_reason);
  sqlite3_close(journal->database);
  if (journal->lock_file >= 0) {
    ls_journal_outputs_close(journal);
    close(journal->lock_file);
  }
  free(journal->held);
  free(journal->pending_times);
  ls_bytes_close(&journal->doomed);
  ls_bytes_close(&journal->texts);
  free(journal->path);
  free(journal->place);
  free(journal);
}

const char *ls_journal_path(const struct ls_journal *journal) {
  return journal->path;
}

void ls_journal_worker(struct ls_journal *journal, const struct ls_journal_worker *worker) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_WORKER);
  if (statement == NULL) return;
  ls_journal_bind(statement, 1, worker->worker);
  ls_journal_bind(statement, 2, journal->session.number);
  ls_journal_bind(statement, 3, worker->slot);
  sqlite3_bind_text(statement, 4, worker->name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(statement, 5, worker->joined_s + journal->session.offset_s);
  sqlite3_bind_double(statement, 6, worker->left_s + journal->session.offset_s);
  sqlite3_bind_double(statement, 7, worker->away_s);
  sqlite3_bind_double(statement, 8, worker->price_per_s);
  bool has_labels = worker->labels != NULL && worker->labels[0] != '\0';
  sqlite3_bind_text(statement, 9, has_labels ? worker->labels : NULL, -1, SQLITE_TRANSIENT);
  ls_journal_run(journal, statement);
  journal->row_worker = worker->worker;
  journal->row_slot = worker->slot;
}

void ls_journal_advice(struct ls_journal *journal, const struct ls_journal_advice *advice) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_ADVICE);
  if (statement == NULL) return;
  ls_journal_bind(statement, 1, journal->session.number);
  sqlite3_bind_double(statement, 2, advice->time_s + journal->session.offset_s);
  sqlite3_bind_text(statement, 3, advice->policy, -1, SQLITE_STATIC);
  ls_journal_bind(statement, 4, advice->prefetch);
  ls_journal_bind(statement, 5, advice->workers);
  sqlite3_bind_text(statement, 6, advice->reason, -1, SQLITE_STATIC);
  ls_journal_run(journal, statement);
  sqlite3_clear_bindings(statement);
}

void ls_journal_end(struct ls_journal *journal, const char *state, double now_s) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_END);
  if (statement == NULL) return;
  ls_journal_bind(statement, 1, journal->session.number);
  sqlite3_bind_text(statement, 2, state, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(statement, 3, now_s + journal->session.offset_s);
  ls_journal_run(journal, statement);
  journal->look_s = 0;
}

/* What was delivered went to the standard streams; it must be there before the journal forgets it.
 * Pipes and terminals cannot be waited for. */
static void sync_streams(struct ls_journal *journal) {
  static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};
  struct ls_error failure = {0};
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
    if (fsync(streams[i]) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
      ls_fail(&failure, LS_EIO, "%s: delivered outputs cannot be kept: %s", journal->path,
              strerror(errno));
  if (failure.status != LS_OK) ls_journal_stick(journal, &failure);
}

/* Who removes or renames the file is told while the run can still be saved. */
static void look(struct ls_journal *journal) {
  struct ls_error failure = {0};
  double now_s = ls_clock_s();
  if (now_s < journal->look_s) return;
  journal->look_s = now_s + LOOK_S;
  if (ls_journal_file_look(journal, &failure) != LS_OK) ls_journal_stick(journal, &failure);
}

enum ls_status ls_journal_commit(struct ls_journal *journal, struct ls_error *err) {
  ls_journal_flush_event(journal);
  if (journal->is_open && journal->failure.status == LS_OK) {
    if (journal->is_synced && journal->has_delivered) sync_streams(journal);
    journal->has_delivered = false;
    sqlite3_stmt *commit = ls_journal_statement(journal, LS_JOURNAL_COMMIT);
    if (commit != NULL) ls_journal_run(journal, commit);
    if (journal->failure.status == LS_OK) {
      journal->is_open = false;
      ls_journal_outputs_forget(journal);
      look(journal);
    }
  }
  if (journal->failure.status == LS_OK) return LS_OK;
  return ls_fail(err, journal->failure.status, "%s", journal->failure.text);
}
