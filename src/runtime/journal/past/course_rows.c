#include "runtime/journal/past/course_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"

/* A worker number beyond is damage, not a worker. */
enum { WORKERS_MAX = 1 << 22 };

/* ---- rows ---- */

enum ls_status ls_course_rows_add_worker(struct ls_course_rows *rows,
                                         const struct ls_journal_worker *worker) {
  struct ls_run_course *course = &rows->course;
  void *workers = course->workers;
  if (worker->worker >= WORKERS_MAX) return LS_ECORRUPT;
  enum ls_status status = ls_array_reserve(&workers, &course->workers_capacity,
                                           (size_t)worker->worker + 1, sizeof *course->workers);
  course->workers = workers;
  if (status != LS_OK) return status;
  while (course->workers_count <= worker->worker) course->workers[course->workers_count++] = NULL;
  free(course->workers[worker->worker]);
  course->workers[worker->worker] = strdup(worker->name);
  if (!(worker->joined_s >= course->from_s)) course->from_s = worker->joined_s;
  return course->workers[worker->worker] == NULL ? LS_ENOMEM : LS_OK;
}

static enum ls_status add_chunk(struct ls_course_chunk **chunks, size_t *count, size_t *capacity,
                                const struct ls_course_chunk *chunk) {
  void *items = *chunks;
  enum ls_status status = ls_array_reserve(&items, capacity, *count + 1, sizeof *chunk);
  *chunks = items;
  if (status == LS_OK) (*chunks)[(*count)++] = *chunk;
  return status;
}

enum ls_status ls_course_rows_add_decision(struct ls_course_rows *rows,
                                           const struct ls_journal_decision *decision) {
  struct ls_run_course *course = &rows->course;
  void *sendings = rows->sendings;
  if (decision->worker >= course->workers_count) return LS_ECORRUPT;
  enum ls_status status = ls_array_reserve(&sendings, &rows->sendings_capacity,
                                           course->sent_count + 1, sizeof *rows->sendings);
  rows->sendings = sendings;
  if (status != LS_OK) return status;
  rows->sendings[course->sent_count] = (struct ls_course_sending){
      .event = decision->event, .time_s = decision->time_s, .is_pushed = rows->is_pushed};
  struct ls_course_chunk chunk = {
      .chunk = decision->chunk, .worker = decision->worker, .units = decision->units};
  return add_chunk(&course->sent, &course->sent_count, &course->sent_capacity, &chunk);
}

static enum ls_status keep_task(struct ls_run_course *course,
                                const struct ls_journal_result *result) {
  void *seconds = course->task_seconds, *workers = course->task_workers;
  enum ls_status status = ls_array_reserve(&seconds, &course->tasks_capacity,
                                           course->tasks_count + 1, sizeof *course->task_seconds);
  course->task_seconds = seconds;
  if (status == LS_OK)
    status = ls_array_reserve(&workers, &course->task_workers_capacity, course->tasks_count + 1,
                              sizeof *course->task_workers);
  course->task_workers = workers;
  if (status != LS_OK) return status;
  course->task_seconds[course->tasks_count] = result->compute_s;
  course->task_workers[course->tasks_count++] = result->worker;
  return LS_OK;
}

/* A row that says of an event all that is to be said takes the event's number; any other one has a
 * number of its own. */
static uint64_t number_end(struct ls_course_rows *rows, const struct ls_journal_result *result) {
  if (result->event > 0) return result->event;
  bool is_same = rows->has_result && result->outcome <= LS_OUTCOME_FAILED &&
                 result->units.first == rows->result.first &&
                 result->units.count == rows->result.count && !(result->seconds < rows->result_s) &&
                 !(result->seconds > rows->result_s);
  rows->has_result = false;
  return is_same ? rows->event : ++rows->next_event;
}

enum ls_status ls_course_rows_add_end(struct ls_course_rows *rows,
                                      const struct ls_journal_result *result) {
  struct ls_run_course *course = &rows->course;
  void *ends = rows->ends;
  uint64_t event = number_end(rows, result);
  if (result->worker == LS_WORKER_NONE || result->chunk == LS_CHUNK_NONE) return LS_OK;
  if (result->worker >= course->workers_count) return LS_ECORRUPT;
  bool is_good = result->is_settled && result->outcome == LS_OUTCOME_DONE && result->attempt == 1 &&
                 result->compute_s >= 0 && result->seconds >= result->compute_s;
  struct ls_course_chunk chunk = {.chunk = result->chunk,
                                  .worker = result->worker,
                                  .units = result->units.count,
                                  .compute_s = result->compute_s,
                                  .receive_s = result->seconds - result->compute_s,
                                  .stage_s = result->stage_s,
                                  .lead_s = result->lead_s,
                                  .start_s = result->start_s,
                                  .end_s = result->start_s + result->seconds,
                                  .way_s = (double)NAN,
                                  .has_failed = !is_good};
  if (chunk.end_s > course->to_s) course->to_s = chunk.end_s;
  enum ls_status status =
      ls_array_reserve(&ends, &rows->ends_capacity, course->ended_count + 1, sizeof *rows->ends);
  rows->ends = ends;
  if (status == LS_OK && is_good && result->units.count == 1) status = keep_task(course, result);
  if (status != LS_OK) return status;
  rows->ends[course->ended_count] = event;
  return add_chunk(&course->ended, &course->ended_count, &course->ended_capacity, &chunk);
}

enum ls_status ls_course_rows_add_transfer(struct ls_course_rows *rows,
                                           const struct ls_journal_pack *transfer) {
  struct ls_run_course *course = &rows->course;
  void *transfers = course->transfers;
  if (transfer->worker >= course->workers_count) return LS_ECORRUPT;
  enum ls_status status = ls_array_reserve(&transfers, &course->transfers_capacity,
                                           course->transfers_count + 1, sizeof *course->transfers);
  course->transfers = transfers;
  if (status != LS_OK) return status;
  course->transfers[course->transfers_count++] =
      (struct ls_course_transfer){.worker = transfer->worker,
                                  .chunk = transfer->chunk,
                                  .units = transfer->units,
                                  .start_s = transfer->start_s,
                                  .seconds = transfer->seconds};
  return LS_OK;
}

enum ls_status ls_course_rows_add_sends(struct ls_course_rows *rows, uint32_t first_worker,
                                        const struct ls_event *event,
                                        const struct ls_actions *actions) {
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    bool is_known = (uint64_t)first_worker + action->worker < rows->course.workers_count;
    if (action->kind == LS_ACTION_SEND && !is_known) return LS_ECORRUPT;
  }
  return ls_send_times_step(&rows->times, first_worker, event, actions, &rows->course);
}

enum ls_status ls_course_rows_hear(struct ls_course_rows *rows, uint32_t first_worker,
                                   const struct ls_event *event, const struct ls_actions *actions) {
  enum ls_status status = LS_OK;
  rows->event = ++rows->next_event;
  rows->has_result = event->kind == LS_EVENT_RESULT;
  if (rows->has_result) {
    rows->result = event->result.units;
    rows->result_s = event->result.seconds;
  }
  for (size_t i = 0; i < actions->count && status == LS_OK; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind != LS_ACTION_SEND) continue;
    status = ls_course_rows_add_decision(
        rows, &(struct ls_journal_decision){.worker = first_worker + action->worker,
                                            .chunk = action->send.chunk,
                                            .units = action->send.units,
                                            .event = rows->event,
                                            .time_s = event->now_s});
  }
  if (status != LS_OK || !rows->is_pushed) return status;
  return ls_course_rows_add_sends(rows, first_worker, event, actions);
}

/* ---- the course ---- */

/* How far each worker had come when it was sent a chunk: by the order of events. */
static enum ls_status find_asked(struct ls_course_rows *rows) {
  struct ls_run_course *course = &rows->course;
  double *ended = calloc(2 * course->workers_count + 1, sizeof *ended);
  double *sent = ended == NULL ? NULL : ended + course->workers_count;
  size_t end = 0;
  course->asked_units = calloc(course->sent_count + 1, sizeof *course->asked_units);
  if (ended == NULL || course->asked_units == NULL) {
    free(ended);
    return LS_ENOMEM;
  }
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct ls_course_chunk *chunk = &course->sent[i];
    for (; end < course->ended_count && rows->ends[end] <= rows->sendings[i].event; end++)
      ended[course->ended[end].worker] += (double)course->ended[end].units;
    course->asked_units[i] = ended[chunk->worker];
    rows->sendings[i].is_idle = ended[chunk->worker] >= sent[chunk->worker];
    sent[chunk->worker] += (double)chunk->units;
  }
  free(ended);
  return LS_OK;
}

static int compare_chunks(const void *left, const void *right) {
  const struct ls_course_chunk *a = left, *b = right;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* The results of one chunk become one. */
static void join(struct ls_run_course *course) {
  size_t count = 0;
  if (course->ended_count > 1)
    qsort(course->ended, course->ended_count, sizeof *course->ended, compare_chunks);
  for (size_t i = 0; i < course->ended_count; i++) {
    const struct ls_course_chunk *part = &course->ended[i];
    struct ls_course_chunk *chunk = count > 0 ? &course->ended[count - 1] : NULL;
    if (chunk == NULL || chunk->chunk != part->chunk) {
      course->ended[count++] = *part;
      continue;
    }
    chunk->units += part->units;
    chunk->compute_s += part->compute_s;
    chunk->receive_s += part->receive_s;
    chunk->stage_s += part->stage_s;
    if (part->start_s < chunk->start_s) chunk->lead_s = part->lead_s;
    chunk->start_s = fmin(chunk->start_s, part->start_s);
    chunk->end_s = fmax(chunk->end_s, part->end_s);
    chunk->has_failed = chunk->has_failed || part->has_failed || chunk->worker != part->worker;
  }
  course->ended_count = count;
}

static struct ls_course_chunk *find_ended(const struct ls_run_course *course,
                                          const struct ls_course_chunk *sent) {
  if (course->ended_count == 0) return NULL;
  return bsearch(sent, course->ended, course->ended_count, sizeof *sent, compare_chunks);
}

/* Where nobody else's chunk was on the way, and its worker waited for it, the time between sending
 * a chunk and its first result that the worker does not account for is that of the way. Of chunks
 * that were pushed, send_times.h tells another part. */
static void find_ways(const struct ls_course_rows *rows) {
  const struct ls_run_course *course = &rows->course;
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct ls_course_sending *sending = &rows->sendings[i];
    struct ls_course_chunk *ended = find_ended(course, &course->sent[i]);
    if (ended != NULL) ended->within_s = ended->start_s - ended->lead_s - sending->time_s;
    if (sending->is_pushed || !sending->is_idle) continue;
    if (ended == NULL || ended->units != course->sent[i].units) continue;
    const struct ls_course_chunk *before = i > 0 ? find_ended(course, &course->sent[i - 1]) : NULL;
    bool is_free = i == 0 || (before != NULL && before->start_s <= sending->time_s);
    bool is_last = i + 1 == course->sent_count;
    if (!is_free || !(is_last || sending[1].time_s >= ended->start_s)) continue;
    double way_s = ended->start_s - ended->lead_s - sending->time_s;
    if (way_s >= 0) ended->way_s = way_s;
  }
}

/* Units that were taken back, or went down with their worker, are sent again: they count where they
 * ended. */
static void leave_unended(struct ls_run_course *course) {
  size_t count = 0;
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct ls_course_chunk *ended = find_ended(course, &course->sent[i]);
    if (ended == NULL) continue;
    course->sent[count] = course->sent[i];
    course->sent[count].units = ended->units;
    course->asked_units[count++] = course->asked_units[i];
  }
  course->sent_count = count;
}

enum ls_status ls_course_rows_finish(struct ls_course_rows *rows, struct ls_run_course *course) {
  enum ls_status status = find_asked(rows);
  if (status == LS_OK) {
    join(&rows->course);
    find_ways(rows);
    leave_unended(&rows->course);
    if (rows->is_pushed) {
      free(rows->course.asked_units);
      rows->course.asked_units = NULL;
    }
    *course = rows->course;
    rows->course = (struct ls_run_course){.workers = NULL};
  }
  ls_course_rows_close(rows);
  return status;
}

/* A copy of `count` items, or NULL; none are an array, too. */
static void *copy_items(const void *items, size_t count, size_t item_bytes) {
  void *copy = calloc(count + 1, item_bytes);
  if (copy != NULL && count > 0) memcpy(copy, items, count * item_bytes);
  return copy;
}

static bool copy_workers(const struct ls_run_course *course, struct ls_run_course *copy) {
  copy->workers = calloc(course->workers_count + 1, sizeof *copy->workers);
  if (copy->workers == NULL) return false;
  for (; copy->workers_count < course->workers_count; copy->workers_count++) {
    const char *name = course->workers[copy->workers_count];
    if (name == NULL) continue;
    copy->workers[copy->workers_count] = strdup(name);
    if (copy->workers[copy->workers_count] == NULL) return false;
  }
  return true;
}

enum ls_status ls_course_rows_copy(const struct ls_course_rows *rows,
                                   struct ls_run_course *course) {
  const struct ls_run_course *from = &rows->course;
  struct ls_course_rows copy = {
      .course = {.sent = copy_items(from->sent, from->sent_count, sizeof *from->sent),
                 .sent_count = from->sent_count,
                 .ended = copy_items(from->ended, from->ended_count, sizeof *from->ended),
                 .ended_count = from->ended_count,
                 .sends = copy_items(from->sends, from->sends_count, sizeof *from->sends),
                 .sends_count = from->sends_count,
                 .transfers =
                     copy_items(from->transfers, from->transfers_count, sizeof *from->transfers),
                 .transfers_count = from->transfers_count,
                 .task_seconds = copy_items(from->task_seconds, from->tasks_count, sizeof(double)),
                 .task_workers =
                     copy_items(from->task_workers, from->tasks_count, sizeof(uint32_t)),
                 .tasks_count = from->tasks_count,
                 .from_s = from->from_s,
                 .to_s = from->to_s},
      .sendings = copy_items(rows->sendings, from->sent_count, sizeof *rows->sendings),
      .ends = copy_items(rows->ends, from->ended_count, sizeof *rows->ends),
      .is_pushed = rows->is_pushed};
  const struct ls_run_course *made = &copy.course;
  bool has_all = made->sent != NULL && made->ended != NULL && made->sends != NULL &&
                 made->transfers != NULL && made->task_seconds != NULL &&
                 made->task_workers != NULL && copy.sendings != NULL && copy.ends != NULL;
  if (has_all && copy_workers(from, &copy.course)) return ls_course_rows_finish(&copy, course);
  ls_course_rows_close(&copy);
  return LS_ENOMEM;
}

void ls_course_rows_close(struct ls_course_rows *rows) {
  ls_run_course_close(&rows->course);
  ls_send_times_close(&rows->times);
  free(rows->sendings);
  free(rows->ends);
  *rows = (struct ls_course_rows){.sendings = NULL};
}
