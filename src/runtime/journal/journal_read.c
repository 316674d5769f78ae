/* journal_read.c: walks over the records of a journal, one row at a time. */
#include "runtime/journal/journal_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digest.h"
#include "coordinator/coordinator.h"

static uint64_t read_whole(sqlite3_stmt *row, int column) {
  return (uint64_t)sqlite3_column_int64(row, column);
}

static double read_real(sqlite3_stmt *row, int column) {
  bool is_null = sqlite3_column_type(row, column) == SQLITE_NULL;
  return is_null ? (double)NAN : sqlite3_column_double(row, column);
}

static uint32_t read_worker(sqlite3_stmt *row, int column) {
  bool is_null = sqlite3_column_type(row, column) == SQLITE_NULL;
  return is_null ? LS_WORKER_NONE : (uint32_t)read_whole(row, column);
}

/* The number behind the last one that joined: the rows of all others are damage. */
#define WORKERS "(SELECT coalesce(max(worker) + 1, 0) FROM workers)"

/* The row `id` of the table: its worker, and how many joined, in these columns. */
static enum ls_status check_worker(const struct ls_journal *journal, sqlite3_stmt *row,
                                   const char *table, const int columns[3], struct ls_error *err) {
  sqlite3_int64 id = sqlite3_column_int64(row, columns[0]);
  sqlite3_int64 worker = sqlite3_column_int64(row, columns[1]);
  sqlite3_int64 joined = sqlite3_column_int64(row, columns[2]);
  if (sqlite3_column_type(row, columns[1]) == SQLITE_NULL)
    return ls_fail(err, LS_ECORRUPT, "%s: row %lld of %s names no worker", journal->path,
                   (long long)id, table);
  if (worker >= 0 && worker < joined) return LS_OK;
  return ls_fail(err, LS_ECORRUPT,
                 "%s: row %lld of %s is of worker %lld, expected one below %lld: no other joined",
                 journal->path, (long long)id, table, (long long)worker, (long long)joined);
}

static const char *read_text(sqlite3_stmt *row, int column) {
  const char *text = (const char *)sqlite3_column_text(row, column);
  return text == NULL ? "" : text;
}

static enum ls_status end_walk(struct ls_journal *journal, sqlite3_stmt *row, int code,
                               enum ls_status status, struct ls_error *err) {
  if (status == LS_OK && code != SQLITE_DONE && code != SQLITE_ROW)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}

/* Where the times of a session begin, and from which row on. */
struct clock {
  struct ls_journal_session session;
  uint64_t until; /* the first row of the next session */
};

/* The rows come in order: the session of this one is the present or a later one. */
static enum ls_status turn_clock(struct ls_journal *journal, struct clock *clock, uint64_t id,
                                 struct ls_error *err) {
  while (id >= clock->until) {
    int64_t next = 0;
    struct ls_bytes sql = {0};
    ls_bytes_printf(&sql,
                    "SELECT session FROM sessions WHERE first_event <= %llu ORDER BY session DESC "
                    "LIMIT 1",
                    (unsigned long long)id);
    enum ls_status status =
        sql.failed ? ls_fail(err, LS_ENOMEM, "%s: no memory for its sessions", journal->path)
                   : ls_journal_number(journal, ls_bytes_text(&sql), &next, err);
    ls_bytes_close(&sql);
    if (status == LS_OK) status = ls_journal_session(journal, (uint32_t)next, &clock->session, err);
    struct ls_journal_session after = {.first_event = UINT64_MAX};
    if (status == LS_OK && ls_journal_session(journal, (uint32_t)next + 1, &after, NULL) != LS_OK)
      after.first_event = UINT64_MAX;
    if (status != LS_OK) return status;
    clock->until = after.first_event > id ? after.first_event : id + 1;
  }
  return LS_OK;
}

static void read_result(sqlite3_stmt *row, double offset_s, struct ls_journal_result *result) {
  bool is_chunk = sqlite3_column_type(row, 8) != SQLITE_NULL;
  *result = (struct ls_journal_result){
      .event = read_whole(row, 0),
      .iteration = (uint32_t)read_whole(row, 1),
      .units = {.first = read_whole(row, 2), .count = read_whole(row, 3)},
      .outcome = (enum ls_outcome)read_whole(row, 4),
      .worker = read_worker(row, 5),
      .slot = (uint32_t)read_whole(row, 6),
      .attempt = (uint32_t)read_whole(row, 7),
      .chunk = is_chunk ? read_whole(row, 8) : LS_CHUNK_NONE,
      .has_timed_out = read_whole(row, 9) != 0,
      .exit_code = sqlite3_column_int(row, 10),
      .signal = sqlite3_column_int(row, 11),
      .start_s = read_real(row, 12) + offset_s,
      .seconds = read_real(row, 13),
      .compute_s = read_real(row, 14),
      .output_bytes = read_whole(row, 15),
      .error_bytes = read_whole(row, 16),
      .usage = {read_real(row, 22), read_real(row, 23), read_whole(row, 24)},
      .stage_s = read_real(row, 17),
      .lead_s = read_real(row, 20),
      .exposed_s = read_real(row, 21),
      .is_settled = read_whole(row, 18) == 1,
  };
}

/* Who wants to see ends, and behind which row; the last one that was seen then. */
struct viewer {
  ls_journal_result_fn visit;
  void *context;
  uint64_t last;
};

static enum ls_status walk_ends(struct ls_journal *journal, const char *sql, struct viewer *viewer,
                                struct ls_error *err) {
  struct clock clock = {0};
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, sql, &row, err);
  if (status == LS_OK) ls_journal_bind(row, 1, viewer->last);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    uint64_t outcome = read_whole(row, 4);
    if (outcome > LS_OUTCOME_LOST || read_whole(row, 3) == 0) {
      status = ls_fail(err, LS_ECORRUPT, "%s: a result of unit %llu has outcome %llu, units %llu",
                       journal->path, (unsigned long long)read_whole(row, 2),
                       (unsigned long long)outcome, (unsigned long long)read_whole(row, 3));
      break;
    }
    if (sqlite3_column_type(row, 5) != SQLITE_NULL)
      status = check_worker(journal, row, "ended", (const int[]){0, 5, 19}, err);
    if (status == LS_OK) status = turn_clock(journal, &clock, read_whole(row, 0), err);
    if (status != LS_OK) break;
    struct ls_journal_result result;
    read_result(row, clock.session.offset_s, &result);
    status = viewer->visit(viewer->context, &result);
    viewer->last = read_whole(row, 0);
  }
  return end_walk(journal, row, code, status, err);
}

/* A settled unit that is to be repeated is one that was lost, unless it failed. */
#define ENDED_ROW                                                                         \
  "SELECT id, iteration, first, units, CASE WHEN settled = 2 AND outcome <> 1 THEN 3 "    \
  "ELSE outcome END, worker, slot, attempt, chunk, timed_out, exit_code, signal, "        \
  "coalesce(start_s, heard_s - seconds), seconds, compute_s, output_bytes, error_bytes, " \
  "coalesce(stage_s, 0), settled, " WORKERS                                               \
  ", coalesce(lead_s, 0), coalesce(exposed_s, 0), coalesce(user_s, 0), "                  \
  "coalesce(system_s, 0), coalesce(peak_bytes, 0) FROM ended WHERE id > ?1 "

enum ls_status ls_journal_each_result(struct ls_journal *journal, ls_journal_result_fn visit,
                                      void *context, struct ls_error *err) {
  struct viewer viewer = {.visit = visit, .context = context};
  return walk_ends(journal, ENDED_ROW "AND settled = 1 ORDER BY id", &viewer, err);
}

enum ls_status ls_journal_each_attempt(struct ls_journal *journal, ls_journal_result_fn visit,
                                       void *context, struct ls_error *err) {
  struct viewer viewer = {.visit = visit, .context = context};
  return walk_ends(journal, ENDED_ROW "AND settled <> 1 ORDER BY id", &viewer, err);
}

enum ls_status ls_journal_each_end(struct ls_journal *journal, uint64_t *row,
                                   ls_journal_result_fn visit, void *context,
                                   struct ls_error *err) {
  struct viewer viewer = {.visit = visit, .context = context, .last = *row};
  enum ls_status status = walk_ends(journal, ENDED_ROW "ORDER BY id", &viewer, err);
  *row = viewer.last;
  return status;
}

enum ls_status ls_journal_each_worker(struct ls_journal *journal, ls_journal_worker_fn visit,
                                      void *context, struct ls_error *err) {
  /* A worker that was there when a session ended had gone when the next one began. */
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal,
      "SELECT w.worker, w.slot, w.name, w.joined_s, coalesce(w.left_s, (SELECT offset_s FROM "
      "sessions s WHERE s.session = w.session + 1)), coalesce(w.away_s, 0), "
      "coalesce(w.price_per_s, 1), coalesce(w.labels, '') FROM workers w ORDER BY "
      "w.worker",
      &row, err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    struct ls_journal_worker worker = {
        .worker = (uint32_t)read_whole(row, 0),
        .slot = (uint32_t)read_whole(row, 1),
        .name = read_text(row, 2),
        .joined_s = read_real(row, 3),
        .left_s = read_real(row, 4),
        .away_s = read_real(row, 5),
        .price_per_s = read_real(row, 6),
        .labels = read_text(row, 7),
    };
    status = visit(context, &worker);
  }
  return end_walk(journal, row, code, status, err);
}

/* Who wants to see decisions, and behind which row; the last one that was seen then. */
struct watcher {
  ls_journal_decision_fn visit;
  void *context;
  uint64_t last;
};

static enum ls_status walk_decisions(struct ls_journal *journal, const char *sql,
                                     struct watcher *watcher, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, sql, &row, err);
  int code = SQLITE_DONE;
  if (status == LS_OK) ls_journal_bind(row, 1, watcher->last);
  struct ls_journal_decision decision = {0}; /* units 0: none is being put together */
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    uint64_t chunk = read_whole(row, 1), units = read_whole(row, 2);
    status = check_worker(journal, row, "sent", (const int[]){3, 0, 6}, err);
    if (status != LS_OK) break;
    watcher->last = read_whole(row, 3);
    if (decision.units > 0 && chunk == decision.chunk) {
      decision.units += units;
      continue;
    }
    struct ls_journal_decision ended = decision;
    decision = (struct ls_journal_decision){.worker = read_worker(row, 0),
                                            .chunk = chunk,
                                            .units = units,
                                            .event = read_whole(row, 4),
                                            .time_s = read_real(row, 5)};
    if (ended.units > 0) status = watcher->visit(watcher->context, &ended);
  }
  if (status == LS_OK && code == SQLITE_DONE && decision.units > 0)
    status = watcher->visit(watcher->context, &decision);
  return end_walk(journal, row, code, status, err);
}

enum ls_status ls_journal_each_decision(struct ls_journal *journal, uint64_t *last,
                                        ls_journal_decision_fn visit, void *context,
                                        struct ls_error *err) {
  struct watcher watcher = {visit, context, *last};
  enum ls_status status = walk_decisions(journal,
                                         "SELECT worker, chunk, units, id, event, NULL, " WORKERS
                                         " FROM sent WHERE id > ?1 ORDER BY id",
                                         &watcher, err);
  *last = watcher.last;
  return status;
}

enum ls_status ls_journal_each_timed_decision(struct ls_journal *journal,
                                              ls_journal_decision_fn visit, void *context,
                                              struct ls_error *err) {
  struct watcher watcher = {visit, context, 0};
  return walk_decisions(journal,
                        "SELECT worker, chunk, units, id, event, " LS_JOURNAL_SENT_TIME ", " WORKERS
                        " FROM sent WHERE id > ?1 ORDER BY id",
                        &watcher, err);
}

enum ls_status ls_journal_each_advice(struct ls_journal *journal, ls_journal_advice_fn visit,
                                      void *context, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT time_s, policy, prefetch, workers, reason FROM advices ORDER BY id", &row,
      err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    struct ls_journal_advice advice = {.time_s = read_real(row, 0),
                                       .policy = read_text(row, 1),
                                       .prefetch = read_whole(row, 2),
                                       .workers = read_whole(row, 3),
                                       .reason = read_text(row, 4)};
    status = visit(context, &advice);
  }
  return end_walk(journal, row, code, status, err);
}

enum ls_status ls_journal_each_session(struct ls_journal *journal, ls_journal_session_fn visit,
                                       void *context, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT first_event, first_worker, policy FROM sessions ORDER BY session", &row,
      err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    struct ls_journal_start start = {.first_event = read_whole(row, 0),
                                     .first_worker = (uint32_t)read_whole(row, 1),
                                     .policy = read_text(row, 2)};
    status = visit(context, &start);
  }
  return end_walk(journal, row, code, status, err);
}

enum ls_status ls_journal_identity(struct ls_journal *journal, uint64_t *identity,
                                   struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  uint64_t digest = LS_DIGEST_START;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT started || ' ' || pid || ' ' || host FROM sessions ORDER BY session", &row,
      err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    const char *text = read_text(row, 0);
    digest = ls_digest_add(digest, text, strlen(text));
  }
  status = end_walk(journal, row, code, status, err);
  if (status == LS_OK) *identity = digest;
  return status;
}

static void keep_text(struct ls_journal *journal, sqlite3_stmt *row, int column) {
  ls_bytes_append_text(&journal->texts, read_text(row, column));
  ls_bytes_append_char(&journal->texts, '\0');
}

/* The texts of the row, one after the other in `texts`; pointers are set once it grows no more. */
static enum ls_status keep_job(struct ls_journal *journal, sqlite3_stmt *row,
                               struct ls_journal_summary *summary, struct ls_error *err) {
  size_t places[4];
  ls_bytes_clear(&journal->texts);
  for (int i = 0; i < 4; i++) {
    places[i] = journal->texts.length;
    keep_text(journal, row, i);
  }
  if (journal->texts.failed)
    return ls_fail(err, LS_ENOMEM, "%s: no memory for the summary", journal->path);
  const char *texts = ls_bytes_text(&journal->texts);
  summary->job = (struct ls_journal_job){
      .application = texts + places[0],
      .command = texts + places[1],
      .directory = texts + places[2],
      .policy = texts + places[3],
      .input_digest = strtoull(read_text(row, 4), NULL, 16),
      .units = read_whole(row, 5),
      .seed = strtoull(read_text(row, 6), NULL, 10),
      .workers = (size_t)read_whole(row, 7),
  };
  summary->sessions = (uint32_t)read_whole(row, 8) + 1;
  summary->iteration = (uint32_t)read_whole(row, 9);
  summary->chunks = read_whole(row, 10);
  summary->next_worker = (uint32_t)read_whole(row, 11);
  snprintf(summary->state, sizeof summary->state, "%s", read_text(row, 12));
  summary->opened = (uint32_t)read_whole(row, 13);
  snprintf(summary->host, sizeof summary->host, "%s", read_text(row, 15));
  snprintf(summary->started, sizeof summary->started, "%s", read_text(row, 16));
  if (sqlite3_column_bytes(row, 14) == (int)sizeof summary->run)
    memcpy(summary->run, sqlite3_column_blob(row, 14), sizeof summary->run);
  /* A master that was killed could not say so; its lock is gone. */
  bool is_reader = journal->lock_file < 0;
  if (is_reader && !journal->is_held && strcmp(summary->state, "running") == 0)
    snprintf(summary->state, sizeof summary->state, "died");
  return LS_OK;
}

enum ls_status ls_journal_summary(struct ls_journal *journal, struct ls_journal_summary *summary,
                                  struct ls_error *err) {
  static const char *const sql =
      "SELECT j.application, j.command, j.directory, s.policy, j.input_digest, j.units, s.seed, "
      "s.workers, s.session, (SELECT iteration FROM ended WHERE settled = 1 ORDER BY id DESC LIMIT "
      "1), coalesce((SELECT max(chunk) + 1 FROM sent WHERE id = (SELECT max(id) FROM sent)), 0), "
      "coalesce((SELECT max(worker) + 1 FROM workers), 0), s.state, "
      "max(coalesce((SELECT max(iteration) FROM iterations), 0), "
      "coalesce((SELECT max(iteration) FROM checkpoints), 0)), (SELECT run FROM identity), "
      "s.host, s.started "
      "FROM job j, sessions s ORDER BY s.session DESC LIMIT 1";
  struct ls_journal_summary found = {0};
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(journal, sql, &row, err);
  int code = status == LS_OK ? sqlite3_step(row) : SQLITE_DONE;
  if (status == LS_OK && code == SQLITE_DONE)
    status = ls_fail(err, LS_ECORRUPT, "%s: holds no session", journal->path);
  if (status == LS_OK && code == SQLITE_ROW) status = keep_job(journal, row, &found, err);
  status = end_walk(journal, row, code, status, err);
  if (status == LS_OK) status = ls_journal_elapsed(journal, &found.elapsed_s, err);
  found.units_repeated = journal->units_repeated;
  found.rows_repeated = journal->rows_repeated;
  found.has_lost_log = journal->has_lost_log;
  if (status == LS_OK) *summary = found;
  return status;
}
