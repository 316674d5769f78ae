#include "runtime/journal_course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"

/* What is read, and of every row which event it belongs to. */
struct reader {
  struct ls_run_course *course;
  struct sending {
    uint64_t event;
    double time_s;
    bool is_idle; /* its worker had nothing left */
  } * sendings;   /* as course->sent */
  size_t sendings_capacity;
  uint64_t *ends; /* as course->ended, before results are joined */
  size_t ends_capacity;
};

/* A worker number beyond is damage, not a worker. */
enum { WORKERS_MAX = 1 << 22 };
/* The policy that pushes: nobody asks. */
static const char PUSHED[] = "follow-plan";

enum ls_status ls_course_keep_worker(struct ls_run_course *course,
                                     const struct ls_journal_worker *worker) {
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

static enum ls_status keep_decision(void *context, const struct ls_journal_decision *decision) {
  struct reader *reader = context;
  struct ls_run_course *course = reader->course;
  void *sendings = reader->sendings;
  if (decision->worker >= course->workers_count) return LS_ECORRUPT;
  enum ls_status status = ls_array_reserve(&sendings, &reader->sendings_capacity,
                                           course->sent_count + 1, sizeof *reader->sendings);
  reader->sendings = sendings;
  if (status != LS_OK) return status;
  reader->sendings[course->sent_count] =
      (struct sending){.event = decision->event, .time_s = decision->time_s};
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

enum ls_status ls_course_keep_result(struct ls_run_course *course,
                                     const struct ls_journal_result *result) {
  if (result->worker == LS_WORKER_NONE || result->chunk == LS_CHUNK_NONE) return LS_OK;
  if (result->worker >= course->workers_count) return LS_ECORRUPT;
  bool is_good = result->is_settled && result->outcome == LS_OUTCOME_DONE && result->attempt == 1 &&
                 result->compute_s >= 0 && result->seconds >= result->compute_s;
  struct ls_course_chunk chunk = {.chunk = result->chunk,
                                  .worker = result->worker,
                                  .units = result->units.count,
                                  .compute_s = result->compute_s,
                                  .receive_s = result->seconds - result->compute_s,
                                  .read_s = result->read_s,
                                  .start_s = result->start_s,
                                  .end_s = result->start_s + result->seconds,
                                  .way_s = (double)NAN,
                                  .has_failed = !is_good};
  if (chunk.end_s > course->to_s) course->to_s = chunk.end_s;
  enum ls_status status = LS_OK;
  if (is_good && result->units.count == 1) status = keep_task(course, result);
  if (status != LS_OK) return status;
  return add_chunk(&course->ended, &course->ended_count, &course->ended_capacity, &chunk);
}

static int compare_chunks(const void *left, const void *right) {
  const struct ls_course_chunk *a = left, *b = right;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

void ls_course_join(struct ls_run_course *course) {
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
    chunk->read_s += part->read_s;
    chunk->start_s = fmin(chunk->start_s, part->start_s);
    chunk->end_s = fmax(chunk->end_s, part->end_s);
    chunk->has_failed = chunk->has_failed || part->has_failed || chunk->worker != part->worker;
  }
  course->ended_count = count;
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct reader *reader = context;
  return ls_course_keep_worker(reader->course, worker);
}

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  size_t before = reader->course->ended_count;
  void *ends = reader->ends;
  enum ls_status status =
      ls_array_reserve(&ends, &reader->ends_capacity, before + 1, sizeof *reader->ends);
  reader->ends = ends;
  if (status == LS_OK) status = ls_course_keep_result(reader->course, result);
  if (status == LS_OK && reader->course->ended_count > before) reader->ends[before] = result->event;
  return status;
}

/* How far each worker had come when it was sent a chunk: by the order of events. */
static enum ls_status find_asked(struct reader *reader) {
  struct ls_run_course *course = reader->course;
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
    for (; end < course->ended_count && reader->ends[end] <= reader->sendings[i].event; end++)
      ended[course->ended[end].worker] += (double)course->ended[end].units;
    course->asked_units[i] = ended[chunk->worker];
    reader->sendings[i].is_idle = ended[chunk->worker] >= sent[chunk->worker];
    sent[chunk->worker] += (double)chunk->units;
  }
  free(ended);
  return LS_OK;
}

static struct ls_course_chunk *find_ended(const struct ls_run_course *course,
                                          const struct ls_course_chunk *sent) {
  if (course->ended_count == 0) return NULL;
  return bsearch(sent, course->ended, course->ended_count, sizeof *sent, compare_chunks);
}

/* Where nobody else's chunk was on the way, and its worker waited for it, the time between sending
 * a chunk and its first result that the worker does not account for is that of the way. */
static void find_ways(const struct reader *reader) {
  const struct ls_run_course *course = reader->course;
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct sending *sending = &reader->sendings[i];
    struct ls_course_chunk *ended = find_ended(course, &course->sent[i]);
    if (!sending->is_idle || ended == NULL || ended->units != course->sent[i].units) continue;
    const struct ls_course_chunk *before = i > 0 ? find_ended(course, &course->sent[i - 1]) : NULL;
    bool is_free = i == 0 || (before != NULL && before->start_s <= sending->time_s);
    bool is_last = i + 1 == course->sent_count;
    if (!is_free || !(is_last || sending[1].time_s >= ended->start_s)) continue;
    if (ended->start_s >= sending->time_s) ended->way_s = ended->start_s - sending->time_s;
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

static enum ls_status read_rows(struct ls_journal *journal, struct reader *reader,
                                struct ls_error *err) {
  uint64_t row = 0;
  struct ls_journal_summary summary;
  enum ls_status status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, reader, err);
  if (status == LS_OK) status = ls_journal_each_timed_decision(journal, keep_decision, reader, err);
  if (status == LS_OK) status = ls_journal_each_end(journal, &row, on_result, reader, err);
  if (status == LS_OK) status = find_asked(reader);
  if (status != LS_OK) return status;
  ls_course_join(reader->course);
  find_ways(reader);
  leave_unended(reader->course);
  if (strcmp(summary.job.policy, PUSHED) == 0) {
    free(reader->course->asked_units);
    reader->course->asked_units = NULL;
  }
  return LS_OK;
}

enum ls_status ls_journal_course(struct ls_journal *journal, struct ls_run_course *course,
                                 struct ls_error *err) {
  struct ls_error failure = {0};
  struct ls_run_course made = {.from_s = (double)NAN};
  struct reader reader = {.course = &made};
  enum ls_status status = read_rows(journal, &reader, &failure);
  free(reader.sendings);
  free(reader.ends);
  if (status != LS_OK) {
    ls_run_course_close(&made);
    if (failure.text[0] != '\0') return ls_fail(err, status, "%s", failure.text);
    return ls_fail(err, status, "%s: %s", ls_journal_path(journal),
                   status == LS_ENOMEM ? "no memory for its results"
                                       : "a row is of a worker that never joined");
  }
  *course = made;
  return LS_OK;
}

enum ls_status ls_journal_course_read(const char *path, struct ls_run_course *course,
                                      struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = ls_journal_course(journal, course, err);
  ls_journal_close(journal);
  return status;
}

enum ls_status ls_journal_measure(const char *path, struct ls_measurements *measurements,
                                  uint64_t *failed, struct ls_error *err) {
  struct ls_run_course course;
  size_t before = measurements->count;
  enum ls_status status = ls_journal_course_read(path, &course, err);
  if (status != LS_OK) return status;
  status = ls_run_course_measure(&course, measurements, failed, err);
  ls_run_course_close(&course);
  if (status == LS_OK && measurements->count == before)
    return ls_fail(err, LS_EINVAL, "%s: no chunk of this run was computed without a failure", path);
  return status;
}
