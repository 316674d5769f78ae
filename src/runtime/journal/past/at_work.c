#include "runtime/journal/past/at_work.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal/journal_private.h"
#include "runtime/os/clock.h"

/* Units that were sent in one range, and not ended yet. */
struct part {
  uint64_t event, chunk;
  struct ls_range units;
};

/* A worker and what it was sent, in that order: the parts before `head` are over. */
struct queue {
  struct part *parts;
  size_t count, capacity, head;
  double joined_s, ended_s;
  bool is_there, has_ended;
};

struct reader {
  struct ls_journal *journal;
  struct queue *queues;
  size_t count, capacity;
  unsigned char *settled; /* a bit for each unit of the iteration */
  size_t settled_bytes;
  uint32_t iteration;
};

static uint64_t read_whole(sqlite3_stmt *row, int column) {
  return (uint64_t)sqlite3_column_int64(row, column);
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct reader *reader = context;
  void *queues = reader->queues;
  enum ls_status status = ls_array_reserve(&queues, &reader->capacity, (size_t)worker->worker + 1,
                                           sizeof(struct queue));
  reader->queues = queues;
  if (status != LS_OK) return status;
  while (reader->count <= worker->worker) reader->queues[reader->count++] = (struct queue){0};
  struct queue *queue = &reader->queues[worker->worker];
  queue->is_there = isnan(worker->left_s);
  queue->joined_s = worker->joined_s;
  return LS_OK;
}

static enum ls_status on_sent(struct reader *reader, sqlite3_stmt *row) {
  uint64_t worker = read_whole(row, 1);
  if (worker >= reader->count || !reader->queues[worker].is_there) return LS_OK;
  struct queue *queue = &reader->queues[worker];
  void *parts = queue->parts;
  enum ls_status status =
      ls_array_reserve(&parts, &queue->capacity, queue->count + 1, sizeof *queue->parts);
  queue->parts = parts;
  if (status == LS_OK)
    queue->parts[queue->count++] =
        (struct part){.event = read_whole(row, 0),
                      .chunk = read_whole(row, 2),
                      .units = {.first = read_whole(row, 3), .count = read_whole(row, 4)}};
  return status;
}

static bool holds(struct ls_range range, uint64_t unit) {
  return unit >= range.first && unit - range.first < range.count;
}

/* A worker does one after another: what lies before these units will not end there any more. */
static void end_units(struct queue *queue, uint64_t chunk, struct ls_range units) {
  for (size_t i = queue->head; i < queue->count; i++) {
    struct part *part = &queue->parts[i];
    if (part->chunk != chunk || !holds(part->units, units.first)) continue;
    uint64_t over = units.first + units.count - part->units.first;
    if (over > part->units.count) over = part->units.count;
    part->units.first += over;
    part->units.count -= over;
    queue->head = part->units.count > 0 ? i : i + 1;
    return;
  }
}

/* They will not run there; what is before them still does. */
static void take_back(struct queue *queue, uint64_t chunk, struct ls_range units) {
  for (size_t i = queue->head; i < queue->count; i++) {
    struct part *part = &queue->parts[i];
    if (part->chunk != chunk || !holds(part->units, units.first)) continue;
    uint64_t before = units.first - part->units.first, left = part->units.count - before;
    uint64_t gone = units.count < left ? units.count : left;
    if (before == 0) {
      part->units.first += gone;
      part->units.count -= gone;
    } else if (gone == left) {
      part->units.count = before;
    }
    return;
  }
}

/* Another copy of them may still be at some worker. */
static enum ls_status settle(struct reader *reader, const struct ls_journal_result *result) {
  enum { UNITS_MAX = 1 << 30 };
  uint64_t last = result->units.first + result->units.count;
  if (result->iteration != reader->iteration)
    for (size_t i = 0; i < reader->settled_bytes; i++) reader->settled[i] = 0;
  reader->iteration = result->iteration;
  if (last > UNITS_MAX) return LS_OK;
  size_t before = reader->settled_bytes;
  void *settled = reader->settled;
  enum ls_status status =
      ls_array_reserve(&settled, &reader->settled_bytes, (size_t)last / 8 + 1, 1);
  reader->settled = settled;
  if (status != LS_OK) return status;
  for (size_t i = before; i < reader->settled_bytes; i++) reader->settled[i] = 0;
  for (uint64_t unit = result->units.first; unit < last; unit++)
    reader->settled[unit / 8] |= (unsigned char)(1u << unit % 8);
  return LS_OK;
}

static bool is_settled(const struct reader *reader, uint64_t unit) {
  return unit / 8 < reader->settled_bytes && (reader->settled[unit / 8] >> unit % 8 & 1) != 0;
}

static enum ls_status on_end(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  if (result->worker < reader->count) {
    struct queue *queue = &reader->queues[result->worker];
    double end_s = result->start_s + result->seconds;
    end_units(queue, result->chunk, result->units);
    if (isfinite(end_s)) queue->ended_s = fmax(queue->ended_s, end_s);
    queue->has_ended = true;
  }
  return result->is_settled ? settle(reader, result) : LS_OK;
}

/* What was cancelled has no other row; whoever was lost, or left, begins anew when it comes back.
 */
static enum ls_status on_heard(struct reader *reader, sqlite3_stmt *row) {
  uint64_t worker = read_whole(row, 2);
  if (worker >= reader->count) return LS_OK;
  struct queue *queue = &reader->queues[worker];
  struct ls_range units = {.first = read_whole(row, 4), .count = read_whole(row, 5)};
  bool is_result = read_whole(row, 1) == LS_EVENT_RESULT;
  if (is_result && read_whole(row, 6) == LS_OUTCOME_CANCELLED)
    take_back(queue, read_whole(row, 3), units);
  else if (is_result)
    end_units(queue, read_whole(row, 3), units);
  else
    while (queue->head < queue->count && queue->parts[queue->head].event < read_whole(row, 0))
      queue->head++;
  return LS_OK;
}

static enum ls_status walk(struct reader *reader, const char *sql, uint64_t from,
                           enum ls_status (*visit)(struct reader *, sqlite3_stmt *),
                           struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(reader->journal, sql, &row, err);
  if (status == LS_OK) ls_journal_bind(row, 1, from);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    if (visit(reader, row) != LS_OK)
      status = ls_fail(err, LS_ENOMEM, "%s: no memory for what was sent", reader->journal->path);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(reader->journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  return status;
}

static enum ls_status find_time(struct ls_journal *journal, uint64_t event, double *time_s,
                                struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT " LS_JOURNAL_SENT_TIME " FROM (SELECT ?1 AS event)", &row, err);
  if (status != LS_OK) return status;
  ls_journal_bind(row, 1, event);
  *time_s = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_double(row, 0) : 0;
  sqlite3_finalize(row);
  return LS_OK;
}

static void pass_settled(const struct reader *reader, struct queue *queue) {
  while (queue->head < queue->count) {
    struct part *part = &queue->parts[queue->head];
    while (part->units.count > 0 && is_settled(reader, part->units.first)) {
      part->units.first++;
      part->units.count--;
    }
    if (part->units.count > 0) return;
    queue->head++;
  }
}

static enum ls_status make_tasks(const struct reader *reader, struct ls_at_work *running,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  running->tasks = calloc(reader->count + 1, sizeof *running->tasks);
  if (running->tasks == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the workers");
  for (size_t i = 0; i < reader->count && status == LS_OK; i++) {
    struct queue *queue = &reader->queues[i];
    pass_settled(reader, queue);
    if (!queue->is_there || queue->head == queue->count) continue;
    const struct part *part = &queue->parts[queue->head];
    struct ls_at_work_task task = {.worker = (uint32_t)i,
                                   .chunk = part->chunk,
                                   .unit = part->units.first,
                                   .is_first = !queue->has_ended};
    for (size_t k = queue->head; k < queue->count; k++) task.waiting += queue->parts[k].units.count;
    task.waiting--;
    double sent_s = 0;
    status = find_time(reader->journal, part->event, &sent_s, err);
    task.since_s = fmin(fmax(fmax(sent_s, queue->ended_s), queue->joined_s), running->now_s);
    running->tasks[running->count++] = task;
  }
  return status;
}

/* The present, in seconds of the run, by the calendar: the session says when it began. */
static enum ls_status find_now(struct ls_journal *journal, double *now_s, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  double elapsed_s = 0;
  enum ls_status status = ls_journal_elapsed(journal, &elapsed_s, err);
  if (status == LS_OK)
    status = ls_journal_prepare(journal,
                                journal->version < LS_JOURNAL_WITH_BEGIN
                                    ? "SELECT offset_s, strftime('%s', started) FROM sessions "
                                      "ORDER BY session DESC LIMIT 1"
                                    : "SELECT offset_s, started_unix_s FROM sessions ORDER BY "
                                      "session DESC LIMIT 1",
                                &row, err);
  if (status != LS_OK) return status;
  *now_s = elapsed_s;
  if (journal->is_held && sqlite3_step(row) == SQLITE_ROW &&
      sqlite3_column_type(row, 1) != SQLITE_NULL)
    *now_s = fmax(elapsed_s, sqlite3_column_double(row, 0) + ls_clock_calendar_s() -
                                 sqlite3_column_double(row, 1));
  sqlite3_finalize(row);
  return LS_OK;
}

static enum ls_status read_rows(struct reader *reader, struct ls_error *err) {
  struct ls_journal *journal = reader->journal;
  struct ls_journal_session session;
  int64_t last = 0;
  enum ls_status status =
      ls_journal_number(journal, "SELECT max(session) FROM sessions", &last, err);
  if (status == LS_OK) status = ls_journal_session(journal, (uint32_t)last, &session, err);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, reader, err);
  if (status != LS_OK) return status;
  uint64_t before = session.first_event - 1;
  for (size_t i = 0; i < session.first_worker && i < reader->count; i++)
    reader->queues[i].is_there = false;
  status = walk(reader, "SELECT event, worker, chunk, first, units FROM sent WHERE id >= ?1",
                session.first_decision, on_sent, err);
  if (status == LS_OK)
    status = walk(
        reader,
        "SELECT id, kind, worker, chunk, first, units, outcome FROM heard WHERE id >= ?1 AND kind "
        "IN (2, 4, 5) AND (kind <> 2 OR chunk IS NOT NULL) ORDER BY id",
        session.first_event, on_heard, err);
  if (status == LS_OK) status = ls_journal_each_end(journal, &before, on_end, reader, err);
  return status;
}

enum ls_status ls_at_work_read(struct ls_journal *journal, struct ls_at_work *running,
                               struct ls_error *err) {
  struct reader reader = {.journal = journal};
  *running = (struct ls_at_work){0};
  enum ls_status status = find_now(journal, &running->now_s, err);
  if (status == LS_OK) status = read_rows(&reader, err);
  if (status == LS_OK) status = make_tasks(&reader, running, err);
  for (size_t i = 0; i < reader.count; i++) free(reader.queues[i].parts);
  free(reader.queues);
  free(reader.settled);
  if (status != LS_OK) ls_at_work_close(running);
  return status;
}

void ls_at_work_close(struct ls_at_work *running) {
  free(running->tasks);
  *running = (struct ls_at_work){0};
}
