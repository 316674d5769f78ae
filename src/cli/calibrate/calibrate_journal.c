#include "cli/calibrate/calibrate_journal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/coordinator.h"
#include "runtime/journal.h"

/* A worker number beyond is damage, not a worker. */
enum { WORKERS_MAX = 1 << 22 };

static enum ls_status keep_worker(void *context, const struct ls_journal_worker *worker) {
  struct ls_journal_run *run = context;
  void *workers = run->workers;
  if (worker->worker >= WORKERS_MAX) return LS_ECORRUPT;
  enum ls_status status = ls_array_reserve(&workers, &run->workers_capacity,
                                           (size_t)worker->worker + 1, sizeof *run->workers);
  run->workers = workers;
  if (status != LS_OK) return status;
  while (run->workers_count <= worker->worker) run->workers[run->workers_count++] = NULL;
  free(run->workers[worker->worker]);
  run->workers[worker->worker] = strdup(worker->name);
  if (!(worker->joined_s >= run->from_s)) run->from_s = worker->joined_s;
  return run->workers[worker->worker] == NULL ? LS_ENOMEM : LS_OK;
}

static enum ls_status add_chunk(struct ls_journal_chunk **chunks, size_t *count, size_t *capacity,
                                const struct ls_journal_chunk *chunk) {
  void *items = *chunks;
  enum ls_status status = ls_array_reserve(&items, capacity, *count + 1, sizeof *chunk);
  *chunks = items;
  if (status == LS_OK) (*chunks)[(*count)++] = *chunk;
  return status;
}

static enum ls_status keep_decision(void *context, const struct ls_journal_decision *decision) {
  struct ls_journal_run *run = context;
  if (decision->worker >= run->workers_count) return LS_ECORRUPT;
  struct ls_journal_chunk chunk = {
      .chunk = decision->chunk, .worker = decision->worker, .units = decision->units};
  return add_chunk(&run->sent, &run->sent_count, &run->sent_capacity, &chunk);
}

static enum ls_status keep_task(struct ls_journal_run *run,
                                const struct ls_journal_result *result) {
  void *seconds = run->task_seconds, *workers = run->task_workers;
  enum ls_status status = ls_array_reserve(&seconds, &run->tasks_capacity, run->tasks_count + 1,
                                           sizeof *run->task_seconds);
  run->task_seconds = seconds;
  if (status == LS_OK)
    status = ls_array_reserve(&workers, &run->task_workers_capacity, run->tasks_count + 1,
                              sizeof *run->task_workers);
  run->task_workers = workers;
  if (status != LS_OK) return status;
  run->task_seconds[run->tasks_count] = result->compute_s;
  run->task_workers[run->tasks_count++] = result->worker;
  return LS_OK;
}

static enum ls_status keep_result(void *context, const struct ls_journal_result *result) {
  struct ls_journal_run *run = context;
  if (result->worker == LS_WORKER_NONE || result->chunk == LS_CHUNK_NONE) return LS_OK;
  if (result->worker >= run->workers_count) return LS_ECORRUPT;
  bool is_good = result->is_settled && result->outcome == LS_OUTCOME_DONE && result->attempt == 1 &&
                 result->compute_s >= 0 && result->seconds >= result->compute_s;
  struct ls_journal_chunk chunk = {.chunk = result->chunk,
                                   .worker = result->worker,
                                   .units = result->units.count,
                                   .compute_s = result->compute_s,
                                   .receive_s = result->seconds - result->compute_s,
                                   .read_s = result->read_s,
                                   .end_s = result->start_s + result->seconds,
                                   .has_failed = !is_good};
  if (chunk.end_s > run->to_s) run->to_s = chunk.end_s;
  enum ls_status status = LS_OK;
  if (is_good && result->units.count == 1) status = keep_task(run, result);
  if (status != LS_OK) return status;
  return add_chunk(&run->ended, &run->ended_count, &run->ended_capacity, &chunk);
}

static int compare_chunks(const void *left, const void *right) {
  const struct ls_journal_chunk *a = left, *b = right;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* The results of one chunk become one. */
static void join_results(struct ls_journal_run *run) {
  size_t count = 0;
  if (run->ended_count > 1) qsort(run->ended, run->ended_count, sizeof *run->ended, compare_chunks);
  for (size_t i = 0; i < run->ended_count; i++) {
    const struct ls_journal_chunk *part = &run->ended[i];
    struct ls_journal_chunk *chunk = count > 0 ? &run->ended[count - 1] : NULL;
    if (chunk == NULL || chunk->chunk != part->chunk) {
      run->ended[count++] = *part;
      continue;
    }
    chunk->units += part->units;
    chunk->compute_s += part->compute_s;
    chunk->receive_s += part->receive_s;
    chunk->read_s += part->read_s;
    chunk->end_s = fmax(chunk->end_s, part->end_s);
    chunk->has_failed = chunk->has_failed || part->has_failed || chunk->worker != part->worker;
  }
  run->ended_count = count;
}

static enum ls_status read_rows(struct ls_journal *journal, struct ls_journal_run *run,
                                struct ls_error *err) {
  uint64_t row = 0;
  enum ls_status status = ls_journal_each_worker(journal, keep_worker, run, err);
  if (status == LS_OK) status = ls_journal_each_decision(journal, &row, keep_decision, run, err);
  row = 0;
  if (status == LS_OK) status = ls_journal_each_end(journal, &row, keep_result, run, err);
  return status;
}

enum ls_status ls_journal_run_read(const char *path, struct ls_journal_run *run,
                                   struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  struct ls_error failure = {0};
  struct ls_journal_run made = {.from_s = (double)NAN};
  enum ls_status status = ls_journal_open(&request, &journal, &failure);
  if (status == LS_OK) status = read_rows(journal, &made, &failure);
  ls_journal_close(journal);
  if (status != LS_OK) {
    ls_journal_run_close(&made);
    if (failure.text[0] != '\0') return ls_fail(err, status, "%s", failure.text);
    return ls_fail(err, status, "%s: %s", path,
                   status == LS_ENOMEM ? "no memory for its results"
                                       : "a row is of a worker that never joined");
  }
  join_results(&made);
  *run = made;
  return LS_OK;
}

void ls_journal_run_close(struct ls_journal_run *run) {
  for (size_t i = 0; i < run->workers_count; i++) free(run->workers[i]);
  free(run->workers);
  free(run->sent);
  free(run->ended);
  free(run->task_seconds);
  free(run->task_workers);
  *run = (struct ls_journal_run){.workers = NULL};
}

static enum ls_status add_worker(struct ls_measurements *measurements,
                                 const struct ls_journal_run *run, uint32_t worker, uint32_t *place,
                                 struct ls_error *err) {
  const char *name = run->workers[worker];
  if (name == NULL || name[0] == '\0') name = "worker";
  return ls_measurements_worker(measurements, name, strlen(name), place, err);
}

static enum ls_status add_measurements(struct ls_measurements *measurements,
                                       const struct ls_journal_chunk *chunk, uint32_t worker,
                                       struct ls_error *err) {
  const struct {
    uint32_t measured;
    double seconds;
  } parts[] = {{LS_OPERATION_COMPUTE, chunk->compute_s},
               {LS_OPERATION_RECEIVE, chunk->receive_s},
               {LS_MEASURED_STAGE, chunk->read_s}};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == LS_OK; i++) {
    if (i > 0 && !(parts[i].seconds > 0)) continue;
    struct ls_measurement item = {worker, parts[i].measured, (double)chunk->units,
                                  parts[i].seconds};
    status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

static enum ls_status add_tasks(struct ls_measurements *measurements,
                                const struct ls_journal_run *run, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < run->tasks_count && status == LS_OK; i++) {
    struct ls_measurement item = {
        .measured = LS_MEASURED_TASK, .units = 1, .seconds = run->task_seconds[i]};
    status = add_worker(measurements, run, run->task_workers[i], &item.worker, err);
    if (status == LS_OK) status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

enum ls_status ls_journal_run_measure(const struct ls_journal_run *run,
                                      struct ls_measurements *measurements, uint64_t *failed,
                                      struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < run->ended_count && status == LS_OK; i++) {
    const struct ls_journal_chunk *chunk = &run->ended[i];
    uint32_t worker;
    if (chunk->has_failed) {
      ++*failed;
      continue;
    }
    status = add_worker(measurements, run, chunk->worker, &worker, err);
    if (status == LS_OK) status = add_measurements(measurements, chunk, worker, err);
  }
  return status == LS_OK ? add_tasks(measurements, run, err) : status;
}

enum ls_status ls_calibrate_journal_read(struct ls_measurements *measurements, const char *path,
                                         uint64_t *failed, struct ls_error *err) {
  struct ls_journal_run run;
  size_t before = measurements->count;
  enum ls_status status = ls_journal_run_read(path, &run, err);
  if (status != LS_OK) return status;
  status = ls_journal_run_measure(&run, measurements, failed, err);
  ls_journal_run_close(&run);
  if (status == LS_OK && measurements->count == before)
    return ls_fail(err, LS_EINVAL, "%s: no chunk of this run was computed without a failure", path);
  return status;
}
