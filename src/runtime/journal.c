/* journal.c: appends to the journal and commits. */
#include "runtime/journal.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal_private.h"

/* Worker numbers from here on are recorded without holding heartbeats back. */
enum { HELD_WORKERS_MAX = 1 << 20 };

static enum ls_status open_master(struct ls_journal *journal,
                                  const struct ls_journal_request *request, struct ls_error *err) {
  bool is_fresh = false;
  enum ls_status status = ls_journal_file_open(journal, false, err);
  if (status == LS_OK) status = ls_journal_identify(journal, &is_fresh, err);
  if (status == LS_OK) status = ls_journal_start(journal, request, is_fresh, err);
  if (status == LS_OK) ls_journal_outputs_sweep(journal);
  return status;
}

static enum ls_status open_reader(struct ls_journal *journal, struct ls_error *err) {
  bool is_fresh = false;
  enum ls_status status = ls_journal_file_check(journal->path, err);
  if (status == LS_OK) status = ls_journal_file_open(journal, true, err);
  /* One transaction from here to close: everything read belongs to one instant of the run. */
  if (status == LS_OK) status = ls_journal_execute(journal, "BEGIN", err);
  if (status == LS_OK) status = ls_journal_identify(journal, &is_fresh, err);
  if (status == LS_OK && is_fresh)
    status = ls_fail(err, LS_EINVAL, "%s: not a Loadstar journal (it holds no tables yet)",
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
                                 .last_worker = LS_WORKER_NONE};
  enum ls_status status;
  if (is_reader) {
    status = open_reader(journal, err);
  } else {
    status = ls_journal_file_lock(path, &journal->lock_file, &is_created, &is_taken, err);
    if (is_taken) name_holder(path, err);
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
  sqlite3_close(journal->database);
  if (journal->lock_file >= 0) {
    ls_journal_outputs_close(journal);
    close(journal->lock_file);
  }
  free(journal->held);
  ls_bytes_close(&journal->doomed);
  ls_bytes_close(&journal->texts);
  free(journal->path);
  free(journal);
}

static void bind_whole(sqlite3_stmt *statement, int place, uint64_t value) {
  sqlite3_bind_int64(statement, place, (sqlite3_int64)value);
}

static void bind_worker(sqlite3_stmt *statement, int place, uint32_t worker) {
  if (worker == LS_WORKER_NONE)
    sqlite3_bind_null(statement, place);
  else
    bind_whole(statement, place, worker);
}

/* The number in the run of a worker of this session. */
static uint32_t number_worker(const struct ls_journal *journal, uint32_t worker) {
  return worker == LS_WORKER_NONE ? worker : worker + journal->session.first_worker;
}

/* The times one by one as the bytes of their doubles: they are for replays, not for queries. */
static void bind_seconds(sqlite3_stmt *statement, const struct ls_event_result *result) {
  int bytes = (int)(result->latest_count * sizeof *result->latest);
  sqlite3_bind_double(statement, 10, result->seconds);
  sqlite3_bind_double(statement, 11, result->squares);
  if (bytes > 0) sqlite3_bind_blob(statement, 12, result->latest, bytes, SQLITE_TRANSIENT);
}

/* What a worker that came back still has, as the bytes of its chunk, first unit and count. */
static void bind_held(sqlite3_stmt *statement, const struct ls_event_resumed *resumed) {
  size_t bytes = resumed->held_count * sizeof *resumed->held;
  if (resumed->is_told) bind_whole(statement, 8, 1);
  if (bytes > 0) sqlite3_bind_blob64(statement, 12, resumed->held, bytes, SQLITE_TRANSIENT);
}

static void bind_joined(sqlite3_stmt *statement, const struct ls_event_joined *joined) {
  if (joined->place != 0) bind_whole(statement, 6, joined->place);
  if (joined->has_lifeline) bind_whole(statement, 8, 1);
  if (joined->lifetime_s > 0) sqlite3_bind_double(statement, 10, joined->lifetime_s);
}

/* The columns chunk, first, units, outcome, count and seconds, by kind. One that means nothing for
 * the kind stays NULL, which takes no room. */
static void bind_details(const struct ls_journal *journal, sqlite3_stmt *statement,
                         const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  switch (event->kind) {
    case LS_EVENT_JOINED:
      bind_joined(statement, &event->joined);
      break;
    case LS_EVENT_READY:
      bind_whole(statement, 7, event->ready_units);
      break;
    case LS_EVENT_HEARTBEAT:
      if (event->answer_s > 0) sqlite3_bind_double(statement, 10, event->answer_s);
      break;
    case LS_EVENT_SUSPENDED:
      bind_whole(statement, 8, (uint64_t)event->suspended.reason);
      if (event->suspended.is_vacated) bind_whole(statement, 9, 1);
      break;
    case LS_EVENT_RESUMED:
      bind_held(statement, &event->resumed);
      break;
    case LS_EVENT_RESULT:
      if (result->chunk != LS_CHUNK_NONE)
        bind_whole(statement, 5, result->chunk + journal->session.first_chunk);
      if (result->is_whole) bind_whole(statement, 9, 1);
      bind_whole(statement, 6, result->units.first);
      bind_whole(statement, 7, result->units.count);
      bind_whole(statement, 8, (uint64_t)result->outcome);
      bind_seconds(statement, result);
      break;
    case LS_EVENT_LOST:
      bind_whole(statement, 8, (uint64_t)event->lost);
      break;
    case LS_EVENT_REFUSED:
      bind_whole(statement, 9, event->refused);
      break;
    case LS_EVENT_GRANTED:
      bind_whole(statement, 9, event->granted);
      break;
    case LS_EVENT_ADVICE:
      if (event->advice.policy != 0) bind_whole(statement, 6, event->advice.policy);
      if (event->advice.prefetch != 0) bind_whole(statement, 7, event->advice.prefetch);
      if (event->advice.workers != 0) bind_whole(statement, 9, event->advice.workers);
      break;
    case LS_EVENT_ITERATION:
      bind_whole(statement, 7, event->iteration_units);
      if (event->is_incomplete) bind_whole(statement, 8, 1);
      break;
    case LS_EVENT_ADDED:
      bind_whole(statement, 7, event->added.units);
      if (event->added.is_last) bind_whole(statement, 8, 1);
      break;
    case LS_EVENT_STOP:
      bind_whole(statement, 8, event->is_hard);
      break;
    default:
      break;
  }
}

static void write_event(struct ls_journal *journal, uint64_t id, const struct ls_event *event) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_EVENT);
  if (statement == NULL) return;
  sqlite3_clear_bindings(statement);
  bind_whole(statement, 1, id);
  bind_whole(statement, 2, (uint64_t)event->kind);
  sqlite3_bind_double(statement, 3, event->now_s);
  bind_worker(statement, 4, number_worker(journal, event->worker));
  bind_details(journal, statement, event);
  ls_journal_run(journal, statement);
}

static void write_held(struct ls_journal *journal, uint32_t worker) {
  struct ls_journal_held *held = &journal->held[worker];
  if (held->id == 0) return;
  struct ls_event event = {.kind = LS_EVENT_HEARTBEAT, .worker = worker, .now_s = held->now_s};
  write_event(journal, held->id, &event);
  held->id = 0;
}

static bool can_hold(struct ls_journal *journal, uint32_t worker) {
  if (worker >= HELD_WORKERS_MAX) return false;
  if (worker < journal->held_count) return true;
  void *items = journal->held;
  size_t needed = (size_t)worker + 1;
  if (ls_array_reserve(&items, &journal->held_capacity, needed, sizeof *journal->held) != LS_OK)
    return false;
  journal->held = items;
  memset(journal->held + journal->held_count, 0,
         (needed - journal->held_count) * sizeof *journal->held);
  journal->held_count = needed;
  return true;
}

static void note_presence(struct ls_journal *journal, const struct ls_event *event) {
  bool has_joined = event->kind == LS_EVENT_JOINED;
  sqlite3_stmt *statement =
      ls_journal_statement(journal, has_joined ? LS_JOURNAL_ADD_JOINED : LS_JOURNAL_ADD_LEFT);
  if (statement == NULL) return;
  double time_s = event->now_s + journal->session.offset_s;
  bind_whole(statement, 1, number_worker(journal, event->worker));
  if (has_joined) bind_whole(statement, 2, journal->session.number);
  sqlite3_bind_double(statement, has_joined ? 3 : 2, time_s);
  ls_journal_run(journal, statement);
}

void ls_journal_event(struct ls_journal *journal, const struct ls_event *event) {
  if (journal->failure.status != LS_OK) return;
  uint32_t worker = event->worker;
  uint64_t id = journal->next_event++;
  journal->last_event = id;
  journal->last_worker = LS_WORKER_NONE;
  /* One that says more than that its worker lives decides something. */
  bool is_bare = event->kind == LS_EVENT_HEARTBEAT && !(event->answer_s > 0);
  if (is_bare && can_hold(journal, worker)) {
    journal->held[worker] = (struct ls_journal_held){.id = id, .now_s = event->now_s};
    journal->last_worker = worker;
    return;
  }
  if (event->kind == LS_EVENT_TIMER || event->kind == LS_EVENT_LOST ||
      event->kind == LS_EVENT_STOP) {
    for (uint32_t i = 0; i < journal->held_count; i++) write_held(journal, i);
  } else if (worker < journal->held_count &&
             (event->kind == LS_EVENT_READY || event->kind == LS_EVENT_RESULT)) {
    /* The worker is heard now, so its earlier heartbeats matter no more. */
    journal->held[worker].id = 0;
  }
  write_event(journal, id, event);
  if (event->kind == LS_EVENT_JOINED || event->kind == LS_EVENT_LOST) note_presence(journal, event);
}

void ls_journal_decision(struct ls_journal *journal, const struct ls_actions *actions,
                         const struct ls_action *send, double now_s) {
  assert(send->kind == LS_ACTION_SEND);
  if (journal->last_worker != LS_WORKER_NONE) write_held(journal, journal->last_worker);
  for (size_t i = 0; i < send->send.ranges_count; i++) {
    const struct ls_range *range = &actions->ranges[send->send.first_range + i];
    sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_DECISION);
    if (statement == NULL) return;
    bind_whole(statement, 1, journal->last_event);
    bind_whole(statement, 2, send->worker + journal->session.first_worker);
    bind_whole(statement, 3, send->send.chunk + journal->session.first_chunk);
    bind_whole(statement, 4, range->first);
    bind_whole(statement, 5, range->count);
    sqlite3_bind_double(statement, 6, now_s + journal->session.offset_s);
    ls_journal_run(journal, statement);
  }
}

static void write_result(struct ls_journal *journal, enum ls_journal_statement which,
                         const struct ls_journal_result *result) {
  sqlite3_stmt *statement = ls_journal_statement(journal, which);
  if (statement == NULL) return;
  bind_whole(statement, 1, result->iteration);
  bind_whole(statement, 2, result->units.first);
  bind_whole(statement, 3, result->units.count);
  bind_whole(statement, 4, (uint64_t)result->outcome);
  bind_worker(statement, 5, result->worker);
  bind_whole(statement, 6, result->slot);
  bind_whole(statement, 7, result->attempt);
  bind_whole(statement, 8, result->chunk + journal->session.first_chunk);
  bind_whole(statement, 9, result->has_timed_out);
  sqlite3_bind_int(statement, 10, result->exit_code);
  sqlite3_bind_int(statement, 11, result->signal);
  sqlite3_bind_double(statement, 12, result->start_s + journal->session.offset_s);
  sqlite3_bind_double(statement, 13, result->seconds);
  sqlite3_bind_double(statement, 14, result->compute_s);
  bind_whole(statement, 15, result->output_bytes);
  bind_whole(statement, 16, result->error_bytes);
  ls_journal_run(journal, statement);
}

void ls_journal_result(struct ls_journal *journal, const struct ls_journal_result *result) {
  write_result(journal, LS_JOURNAL_ADD_RESULT, result);
}

void ls_journal_attempt(struct ls_journal *journal, const struct ls_journal_result *attempt) {
  write_result(journal, LS_JOURNAL_ADD_ATTEMPT, attempt);
}

void ls_journal_worker(struct ls_journal *journal, const struct ls_journal_worker *worker) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_WORKER);
  if (statement == NULL) return;
  bind_whole(statement, 1, worker->worker);
  bind_whole(statement, 2, journal->session.number);
  bind_whole(statement, 3, worker->slot);
  sqlite3_bind_text(statement, 4, worker->name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(statement, 5, worker->joined_s + journal->session.offset_s);
  sqlite3_bind_double(statement, 6, worker->left_s + journal->session.offset_s);
  sqlite3_bind_double(statement, 7, worker->away_s);
  sqlite3_bind_double(statement, 8, worker->price_per_s);
  ls_journal_run(journal, statement);
}

void ls_journal_end(struct ls_journal *journal, const char *state, double now_s) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_END);
  if (statement == NULL) return;
  bind_whole(statement, 1, journal->session.number);
  sqlite3_bind_text(statement, 2, state, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(statement, 3, now_s + journal->session.offset_s);
  ls_journal_run(journal, statement);
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

enum ls_status ls_journal_commit(struct ls_journal *journal, struct ls_error *err) {
  if (journal->is_open && journal->failure.status == LS_OK) {
    if (journal->is_synced && journal->has_delivered) sync_streams(journal);
    journal->has_delivered = false;
    sqlite3_stmt *commit = ls_journal_statement(journal, LS_JOURNAL_COMMIT);
    if (commit != NULL) ls_journal_run(journal, commit);
    if (journal->failure.status == LS_OK) {
      journal->is_open = false;
      ls_journal_outputs_forget(journal);
    }
  }
  if (journal->failure.status == LS_OK) return LS_OK;
  return ls_fail(err, journal->failure.status, "%s", journal->failure.text);
}
