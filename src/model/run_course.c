#include "model/run_course.h"

#include <stdlib.h>
#include <string.h>

void ls_run_course_close(struct ls_run_course *course) {
  for (size_t i = 0; i < course->workers_count; i++) free(course->workers[i]);
  free(course->workers);
  free(course->sent);
  free(course->asked_units);
  free(course->ended);
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

static enum ls_status add_measurements(struct ls_measurements *measurements,
                                       const struct ls_course_chunk *chunk, uint32_t worker,
                                       struct ls_error *err) {
  const struct {
    uint32_t measured;
    double seconds;
  } parts[] = {{LS_OPERATION_COMPUTE, chunk->compute_s},
               {LS_OPERATION_RECEIVE, chunk->receive_s},
               {LS_OPERATION_TRANSFER, chunk->way_s},
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

/* In the run's order, whoever ended a chunk first: a plan on the platform that becomes of them
 * means the same workers as the next run. */
static enum ls_status add_workers(struct ls_measurements *measurements,
                                  const struct ls_run_course *course, struct ls_error *err) {
  bool *has_ended = calloc(course->workers_count + 1, sizeof *has_ended);
  enum ls_status status = LS_OK;
  if (has_ended == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for workers");
  for (size_t i = 0; i < course->ended_count; i++) {
    if (!course->ended[i].has_failed) has_ended[course->ended[i].worker] = true;
  }
  for (size_t i = 0; i < course->workers_count && status == LS_OK; i++) {
    uint32_t place;
    if (has_ended[i]) status = add_worker(measurements, course, (uint32_t)i, &place, err);
  }
  free(has_ended);
  return status;
}

enum ls_status ls_run_course_measure(const struct ls_run_course *course,
                                     struct ls_measurements *measurements, uint64_t *failed,
                                     struct ls_error *err) {
  enum ls_status status = add_workers(measurements, course, err);
  for (size_t i = 0; i < course->ended_count && status == LS_OK; i++) {
    const struct ls_course_chunk *chunk = &course->ended[i];
    uint32_t worker;
    if (chunk->has_failed) {
      ++*failed;
      continue;
    }
    status = add_worker(measurements, course, chunk->worker, &worker, err);
    if (status == LS_OK) status = add_measurements(measurements, chunk, worker, err);
  }
  return status == LS_OK ? add_tasks(measurements, course, err) : status;
}
