#include "model/run_course.h"

#include <stdlib.h>
#include <string.h>

void ls_run_course_close(struct ls_run_course *course) {
  for (size_t i = 0; i < course->workers_count; i++) free(course->workers[i]);
  free(course->workers);
  free(course->sent);
  free(course->asked_units);
  free(course->ended);
  free(course->sends);
  free(course->transfers);
  free(course->task_seconds);
  free(course->task_workers);
  *course = (struct ls_run_course){.workers = NULL};
}

static enum ls_status add_worker(struct ls_measurements *measurements,
                                 const struct ls_run_course *course, uint32_t worker,
                                 uint32_t *place, struct ls_error *err) {
  const char *name = course->workers[worker];
  if (name == NULL || name[0] == '\0') name = "worker";
  return ls_measurements_worker(measurements, name, strlen(name), place, err);
}

/* What goes on between two chunks of a busy master; and until the first result is back. */
static const uint32_t IN_SEND = 1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND;
static const uint32_t IN_WAY =
    1U << LS_OPERATION_PREPARE | 1U << LS_OPERATION_SEND | 1U << LS_OPERATION_REPLY;

static enum ls_status add_measurements(struct ls_measurements *measurements,
                                       const struct ls_course_chunk *chunk, uint32_t worker,
                                       bool has_transfers, struct ls_error *err) {
  const struct {
    uint32_t measured;
    double seconds;
  } parts[] = {{LS_OPERATION_COMPUTE, chunk->compute_s},
               {LS_OPERATION_RECEIVE, chunk->receive_s},
               {LS_OPERATION_TRANSFER, has_transfers ? 0 : chunk->way_s},
               {LS_OPERATION_STAGE, chunk->stage_s}};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == LS_OK; i++) {
    if (i > 0 && !(parts[i].seconds > 0)) continue;
    if (parts[i].measured == LS_OPERATION_TRANSFER) measurements->in_transfer |= IN_WAY;
    struct ls_measurement item = {worker, parts[i].measured, (double)chunk->units,
                                  parts[i].seconds};
    status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

static enum ls_status add_tasks(struct ls_measurements *measurements,
                                const struct ls_run_course *course, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->tasks_count && status == LS_OK; i++) {
    struct ls_measurement item = {
        .measured = LS_MEASURED_TASK, .units = 1, .seconds = course->task_seconds[i]};
    status = add_worker(measurements, course, course->task_workers[i], &item.worker, err);
    if (status == LS_OK) status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

static enum ls_status add_transfers(struct ls_measurements *measurements,
                                    const struct ls_run_course *course, const bool *has_ended,
                                    struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->transfers_count && status == LS_OK; i++) {
    const struct ls_course_transfer *transfer = &course->transfers[i];
    struct ls_measurement item = {.measured = LS_OPERATION_TRANSFER,
                                  .units = (double)transfer->units,
                                  .seconds = transfer->seconds};
    if (!has_ended[transfer->worker]) continue;
    status = add_worker(measurements, course, transfer->worker, &item.worker, err);
    if (status == LS_OK) status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

/* Of whoever is known by its computing: who is not makes no platform. */
static enum ls_status add_sends(struct ls_measurements *measurements,
                                const struct ls_run_course *course, const bool *has_ended,
                                struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->sends_count && status == LS_OK; i++) {
    const struct ls_course_send *send = &course->sends[i];
    struct ls_measurement item = {
        .measured = LS_OPERATION_TRANSFER, .units = send->units, .seconds = send->seconds};
    if (!has_ended[send->worker]) continue;
    measurements->in_transfer |= IN_SEND;
    status = add_worker(measurements, course, send->worker, &item.worker, err);
    if (status == LS_OK) status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

/* In the run's order, whoever ended a chunk first: a plan on the platform that becomes of them
 * means the same workers as the next run. */
static enum ls_status add_workers(struct ls_measurements *measurements,
                                  const struct ls_run_course *course, const bool *has_ended,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->workers_count && status == LS_OK; i++) {
    uint32_t place;
    if (has_ended[i]) status = add_worker(measurements, course, (uint32_t)i, &place, err);
  }
  return status;
}

enum ls_status ls_run_course_measure(const struct ls_run_course *course,
                                     struct ls_measurements *measurements, uint64_t *failed,
                                     struct ls_error *err) {
  bool *has_ended = calloc(course->workers_count + 1, sizeof *has_ended);
  if (has_ended == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for workers");
  for (size_t i = 0; i < course->ended_count; i++) {
    if (!course->ended[i].has_failed) has_ended[course->ended[i].worker] = true;
  }
  enum ls_status status = add_workers(measurements, course, has_ended, err);
  for (size_t i = 0; i < course->ended_count && status == LS_OK; i++) {
    const struct ls_course_chunk *chunk = &course->ended[i];
    uint32_t worker;
    if (chunk->has_failed) {
      ++*failed;
      continue;
    }
    status = add_worker(measurements, course, chunk->worker, &worker, err);
    if (status == LS_OK)
      status = add_measurements(measurements, chunk, worker, course->transfers_count > 0, err);
  }
  if (status == LS_OK && course->transfers_count > 0)
    status = add_transfers(measurements, course, has_ended, err);
  else if (status == LS_OK)
    status = add_sends(measurements, course, has_ended, err);
  free(has_ended);
  return status == LS_OK ? add_tasks(measurements, course, err) : status;
}
