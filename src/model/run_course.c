#include "model/run_course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/course_links.h"

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
                                       bool is_timed, struct ls_error *err) {
  const struct {
    uint32_t measured;
    double seconds;
  } parts[] = {{LS_OPERATION_COMPUTE, chunk->compute_s},
               {LS_OPERATION_RECEIVE, chunk->receive_s},
               {LS_OPERATION_TRANSFER, is_timed ? 0 : chunk->way_s},
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

/* So many transfers of a worker without company are enough without the others. */
enum { ALONE_LEAST = 2 };

/* What each would have taken alone; NAN: nobody knows. Where it is not known whether the uplink is
 * shared, a time in company tells too much, and counts only where there is no better one. */
static enum ls_status time_alone(const struct ls_run_course *course,
                                 const struct ls_course_links *links, double *seconds,
                                 struct ls_error *err) {
  size_t *alone = calloc(course->workers_count + 1, sizeof *alone);
  if (alone == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for workers");
  for (size_t i = 0; i < course->transfers_count; i++)
    alone[course->transfers[i].worker] += links->company[i] <= ls_course_links_alone;
  for (size_t i = 0; i < course->transfers_count; i++) {
    const struct ls_course_transfer *transfer = &course->transfers[i];
    bool is_doubtful = links->links == LS_LINKS_UNKNOWN && alone[transfer->worker] >= ALONE_LEAST &&
                       links->company[i] > ls_course_links_alone;
    seconds[i] = links->links == LS_LINKS_SHARED ? links->alone_s[i] : transfer->seconds;
    if (is_doubtful) seconds[i] = (double)NAN;
  }
  free(alone);
  return LS_OK;
}

static enum ls_status add_timed(struct ls_measurements *measurements,
                                const struct ls_run_course *course, const bool *has_ended,
                                const double *seconds, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->transfers_count && status == LS_OK; i++) {
    const struct ls_course_transfer *transfer = &course->transfers[i];
    struct ls_measurement item = {
        .measured = LS_OPERATION_TRANSFER, .units = (double)transfer->units, .seconds = seconds[i]};
    if (!has_ended[transfer->worker] || isnan(seconds[i])) continue;
    status = add_worker(measurements, course, transfer->worker, &item.worker, err);
    if (status == LS_OK) status = ls_measurements_add(measurements, &item, err);
  }
  return status;
}

/* Of several runs the one counts that saw a shared uplink. */
static enum ls_status add_transfers(struct ls_measurements *measurements,
                                    const struct ls_run_course *course, const bool *has_ended,
                                    struct ls_error *err) {
  struct ls_course_links links;
  double *seconds = calloc(course->transfers_count + 1, sizeof *seconds);
  if (seconds == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for transfers");
  enum ls_status status = ls_course_links_find(course, &links, err);
  if (status == LS_OK) {
    if (links.links > measurements->links) measurements->links = links.links;
    measurements->timed += course->transfers_count;
    status = time_alone(course, &links, seconds, err);
    if (status == LS_OK) status = add_timed(measurements, course, has_ended, seconds, err);
    ls_course_links_close(&links);
  }
  free(seconds);
  return status;
}

/* Of whoever is known by its computing: who is not makes no platform. */
static enum ls_status add_sends(struct ls_measurements *measurements,
                                const struct ls_run_course *course, const bool *has_ended,
                                const bool *has_timed, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->sends_count && status == LS_OK; i++) {
    const struct ls_course_send *send = &course->sends[i];
    struct ls_measurement item = {
        .measured = LS_OPERATION_TRANSFER, .units = send->units, .seconds = send->seconds};
    if (!has_ended[send->worker] || has_timed[send->worker]) continue;
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

static enum ls_status add_chunks(struct ls_measurements *measurements,
                                 const struct ls_run_course *course, const bool *has_timed,
                                 uint64_t *failed, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < course->ended_count && status == LS_OK; i++) {
    const struct ls_course_chunk *chunk = &course->ended[i];
    uint32_t worker;
    if (chunk->has_failed) {
      ++*failed;
      continue;
    }
    status = add_worker(measurements, course, chunk->worker, &worker, err);
    if (status == LS_OK)
      status = add_measurements(measurements, chunk, worker, has_timed[chunk->worker], err);
    struct ls_arrival arrival = {(double)chunk->units, chunk->within_s};
    if (status == LS_OK) status = ls_measurements_arrived(measurements, worker, &arrival, err);
  }
  return status;
}

enum ls_status ls_run_course_measure(const struct ls_run_course *course,
                                     struct ls_measurements *measurements, uint64_t *failed,
                                     struct ls_error *err) {
  bool *has_ended = calloc(2 * course->workers_count + 1, sizeof *has_ended);
  if (has_ended == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for workers");
  bool *has_timed = has_ended + course->workers_count;
  for (size_t i = 0; i < course->ended_count; i++) {
    if (!course->ended[i].has_failed) has_ended[course->ended[i].worker] = true;
  }
  for (size_t i = 0; i < course->transfers_count; i++)
    has_timed[course->transfers[i].worker] = true;
  enum ls_status status = add_workers(measurements, course, has_ended, err);
  if (status == LS_OK) status = add_chunks(measurements, course, has_timed, failed, err);
  if (status == LS_OK && course->transfers_count > 0)
    status = add_transfers(measurements, course, has_ended, err);
  if (status == LS_OK) status = add_sends(measurements, course, has_ended, has_timed, err);
  free(has_ended);
  return status == LS_OK ? add_tasks(measurements, course, err) : status;
}
