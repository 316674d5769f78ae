/* journal_event.c: appends events and decisions. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"

/* Worker numbers from here on are recorded without holding heartbeats back. */
enum { HELD_WORKERS_MAX = 1 << 20 };

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

/* "gpu 0+3 7+1 cpu 3+2": the units that need a label stand behind it, by first one and count. */
static void bind_needs(struct ls_journal *journal, sqlite3_stmt *statement,
                       const struct ls_event_need *needs, size_t count) {
  struct ls_bytes text = {0};
  if (count == 0) return;
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ls_bytes_append_char(&text, ' ');
    if (i == 0 || strcmp(needs[i].label, needs[i - 1].label) != 0)
      ls_bytes_printf(&text, "%s ", needs[i].label);
    ls_bytes_printf(&text, "%" PRIu64 "+%" PRIu64, needs[i].units.first, needs[i].units.count);
  }
  struct ls_error failure;
  if (text.failed) {
    (void)ls_fail(&failure, LS_ENOMEM, "%s: no memory for the needs of units", journal->path);
    ls_journal_stick(journal, &failure);
  } else {
    sqlite3_bind_text64(statement, 13, ls_bytes_text(&text), text.length, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  }
  ls_bytes_close(&text);
}

/* The units that had nothing to do as the bytes of their first one and count. */
static void bind_iteration(struct ls_journal *journal, sqlite3_stmt *statement,
                           const struct ls_event *event) {
  size_t bytes = event->idle_count * sizeof *event->idle;
  ls_journal_bind(statement, 7, event->iteration_units);
  if (event->is_incomplete) ls_journal_bind(statement, 8, 1);
  if (bytes > 0) sqlite3_bind_blob64(statement, 12, event->idle, bytes, SQLITE_TRANSIENT);
  bind_needs(journal, statement, event->needs, event->needs_count);
}

/* What a worker that came back still has, as the bytes of its chunk, first unit and count. */
static void bind_held(sqlite3_stmt *statement, const struct ls_event_held *held, size_t count) {
  size_t bytes = count * sizeof *held;
  if (bytes > 0) sqlite3_bind_blob64(statement, 12, held, bytes, SQLITE_TRANSIENT);
}

static void bind_resumed(sqlite3_stmt *statement, const struct ls_event_resumed *resumed) {
  if (resumed->is_told) ls_journal_bind(statement, 8, 1);
  if (resumed->stood_s > 0) sqlite3_bind_double(statement, 10, resumed->stood_s);
  bind_held(statement, resumed->held, resumed->held_count);
}

/* The row of a worker goes before its event, and tells of the latest with its number only: which
 * slot each of them had is kept here. */
static void bind_joined(const struct ls_journal *journal, sqlite3_stmt *statement,
                        const struct ls_event *event) {
  const struct ls_event_joined *joined = &event->joined;
  if (journal->row_worker == number_worker(journal, event->worker))
    ls_journal_bind(statement, 7, journal->row_slot);
  if (joined->place != 0) ls_journal_bind(statement, 6, joined->place);
  if (joined->has_lifeline) ls_journal_bind(statement, 8, 1);
  if (joined->lease != 0) ls_journal_bind(statement, 9, joined->lease);
  if (joined->lifetime_s > 0) sqlite3_bind_double(statement, 10, joined->lifetime_s);
  if (joined->labels != NULL && joined->labels[0] != '\0')
    sqlite3_bind_text(statement, 13, joined->labels, -1, SQLITE_TRANSIENT);
  bind_held(statement, joined->held, joined->held_count);
}

/* The columns chunk, first, units, outcome, count and seconds, by kind. One that means nothing for
 * the kind stays NULL, which takes no room. */
static void bind_details(struct ls_journal *journal, sqlite3_stmt *statement,
                         const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  switch (event->kind) {
    case LS_EVENT_JOINED:
      bind_joined(journal, statement, event);
      break;
    case LS_EVENT_READY:
      ls_journal_bind(statement, 7, event->ready_units);
      break;
    case LS_EVENT_HEARTBEAT:
      if (event->answer_s > 0) sqlite3_bind_double(statement, 10, event->answer_s);
      if (event->send_s > 0) sqlite3_bind_double(statement, 11, event->send_s);
      if (event->speed > 0) sqlite3_bind_double(statement, 9, event->speed);
      break;
    case LS_EVENT_SUSPENDED:
      ls_journal_bind(statement, 8, (uint64_t)event->suspended.reason);
      if (event->suspended.is_vacated) ls_journal_bind(statement, 9, 1);
      break;
    case LS_EVENT_RESUMED:
      bind_resumed(statement, &event->resumed);
      break;
    case LS_EVENT_RESULT:
      if (result->chunk != LS_CHUNK_NONE)
        ls_journal_bind(statement, 5, result->chunk + journal->session.first_chunk);
      if (result->is_whole) ls_journal_bind(statement, 9, 1);
      ls_journal_bind(statement, 6, result->units.first);
      ls_journal_bind(statement, 7, result->units.count);
      ls_journal_bind(statement, 8, (uint64_t)result->outcome);
      bind_seconds(statement, result);
      break;
    case LS_EVENT_LOST:
      ls_journal_bind(statement, 8, (uint64_t)event->lost);
      break;
    case LS_EVENT_REFUSED:
      ls_journal_bind(statement, 9, event->refused);
      break;
    case LS_EVENT_GRANTED:
      ls_journal_bind(statement, 9, event->granted);
      break;
    case LS_EVENT_ADVICE:
      if (event->advice.policy != 0) ls_journal_bind(statement, 6, event->advice.policy);
      if (event->advice.prefetch != 0) ls_journal_bind(statement, 7, event->advice.prefetch);
      if (event->advice.workers != 0) ls_journal_bind(statement, 9, event->advice.workers);
      if (event->advice.heartbeat_s > 0)
        sqlite3_bind_double(statement, 10, event->advice.heartbeat_s);
      break;
    case LS_EVENT_ITERATION:
      bind_iteration(journal, statement, event);
      break;
    case LS_EVENT_ADDED:
      ls_journal_bind(statement, 7, event->added.units);
      if (event->added.is_last) ls_journal_bind(statement, 8, 1);
      bind_needs(journal, statement, event->added.needs, event->added.needs_count);
      break;
    case LS_EVENT_STOP:
      ls_journal_bind(statement, 8, event->is_hard);
      break;
    default:
      break;
  }
}

static void write_event(struct ls_journal *journal, uint64_t id, const struct ls_event *event) {
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_EVENT);
  if (statement == NULL) return;
  sqlite3_clear_bindings(statement);
  ls_journal_bind(statement, 1, id);
  ls_journal_bind(statement, 2, (uint64_t)event->kind);
  sqlite3_bind_double(statement, 3, event->now_s);
  ls_journal_bind_worker(statement, 4, number_worker(journal, event->worker));
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
  ls_journal_bind(statement, 1, number_worker(journal, event->worker));
  if (has_joined) ls_journal_bind(statement, 2, journal->session.number);
  sqlite3_bind_double(statement, has_joined ? 3 : 2, time_s);
  ls_journal_run(journal, statement);
}

void ls_journal_flush_event(struct ls_journal *journal) {
  if (journal->pending_id == 0) return;
  uint64_t id = journal->pending_id;
  journal->pending_id = 0;
  if (journal->failure.status == LS_OK) write_event(journal, id, &journal->pending);
}

/* A RESULT waits for the row of the result or attempt that it becomes. */
static bool keep_pending(struct ls_journal *journal, uint64_t id, const struct ls_event *event) {
  size_t count = event->result.latest_count;
  void *times = journal->pending_times;
  if (event->kind != LS_EVENT_RESULT ||
      ls_array_reserve(&times, &journal->pending_capacity, count, sizeof(double)) != LS_OK)
    return false;
  journal->pending_times = times;
  if (count > 0) memcpy(times, event->result.latest, count * sizeof(double));
  journal->pending = *event;
  journal->pending.result.latest = times;
  journal->pending_id = id;
  return true;
}

void ls_journal_event(struct ls_journal *journal, const struct ls_event *event) {
  ls_journal_flush_event(journal);
  if (journal->failure.status != LS_OK) return;
  uint32_t worker = event->worker;
  uint64_t id = journal->next_event++;
  journal->last_event = id;
  journal->last_worker = LS_WORKER_NONE;
  /* One that says more than that its worker lives decides something. */
  bool is_bare = event->kind == LS_EVENT_HEARTBEAT && !(event->answer_s > 0) &&
                 !(event->send_s > 0) && !(event->speed > 0);
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
  if (!keep_pending(journal, id, event)) write_event(journal, id, event);
  if (event->kind == LS_EVENT_JOINED || event->kind == LS_EVENT_LOST) note_presence(journal, event);
}

void ls_journal_decision(struct ls_journal *journal, const struct ls_actions *actions,
                         const struct ls_action *send) {
  assert(send->kind == LS_ACTION_SEND);
  if (journal->last_worker != LS_WORKER_NONE) write_held(journal, journal->last_worker);
  for (size_t i = 0; i < send->send.ranges_count; i++) {
    const struct ls_range *range = &actions->ranges[send->send.first_range + i];
    sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_DECISION);
    if (statement == NULL) return;
    ls_journal_bind(statement, 1, journal->last_event);
    ls_journal_bind(statement, 2, send->worker + journal->session.first_worker);
    ls_journal_bind(statement, 3, send->send.chunk + journal->session.first_chunk);
    ls_journal_bind(statement, 4, range->first);
    ls_journal_bind(statement, 5, range->count);
    ls_journal_run(journal, statement);
  }
}
