/* check_loss.c: records of kind loss: one cycle with a lost worker, or the expectation over all of
 * them. */
#include <float.h>

#include "lab/check/check_tasks.h"
#include "theory/loss.h"

enum { MIDPOINTS = 40 };

static enum ls_status describe_cycle(const struct ls_check_record *record,
                                     const struct ls_check_tasks *tasks, json_t **got,
                                     struct ls_error *err) {
  uint64_t replicas = 0, worker = 0;
  struct ls_lost_worker loss = {0};
  struct ls_loss_cycle cycle;
  struct ls_json lost = ls_json_member(&record->arguments, "lost_worker");
  struct ls_json when = ls_json_member(&record->arguments, "lost_at");
  enum ls_status status = ls_check_whole(record, "replicas", 0, &replicas, err);
  if (status == LS_OK && lost.value != NULL) {
    status = ls_json_whole(&lost, 0, UINT32_MAX, &worker, err);
    if (status == LS_OK) status = ls_json_real(&when, 0, DBL_MAX, &loss.time_s, err);
    loss.worker = (size_t)worker;
  }
  if (status != LS_OK) return status;
  struct ls_loss_setup setup = {.work = tasks->work,
                                .tasks = tasks->count,
                                .workers = record->platform.workers_count,
                                .replicas = (size_t)replicas,
                                .losses = &loss,
                                .losses_count = lost.value != NULL};
  status = ls_loss_play(&setup, &cycle, err);
  if (status != LS_OK) return status;
  *got = json_pack("{s:f, s:f}", "makespan", cycle.makespan_s, "efficiency", cycle.efficiency);
  return LS_OK;
}

static enum ls_status describe_expectation(const struct ls_check_record *record,
                                           const struct ls_check_tasks *tasks, json_t **got,
                                           struct ls_error *err) {
  uint64_t workers = 0, extra = 0, replicas = 0, midpoints = 0;
  struct ls_worsening worsening;
  enum ls_status status = ls_check_whole(record, "workers", 0, &workers, err);
  if (status == LS_OK) status = ls_check_whole(record, "extra", 0, &extra, err);
  if (status == LS_OK) status = ls_check_whole(record, "replicas", 0, &replicas, err);
  if (status == LS_OK) status = ls_check_whole(record, "midpoints", MIDPOINTS, &midpoints, err);
  if (status != LS_OK) return status;
  struct ls_loss_study study = {.work = tasks->work,
                                .tasks = tasks->count,
                                .workers = (size_t)workers,
                                .extra = (size_t)extra,
                                .replicas = (size_t)replicas,
                                .midpoints = (size_t)midpoints};
  status = ls_loss_expect(&study, &worsening, err);
  if (status != LS_OK) return status;
  *got = json_pack("{s:f, s:f}", "time_worsening_percent", worsening.time_percent,
                   "efficiency_worsening_percent", worsening.efficiency_percent);
  return LS_OK;
}

static enum ls_status evaluate_loss(const struct ls_check_record *record, json_t **got,
                                    struct ls_error *err) {
  static const char *const known[] = {"task_work", "workload", "lost_worker", "lost_at", "replicas",
                                      "workers",   "extra",    "midpoints",   NULL};
  struct ls_check_tasks tasks = {0};
  json_t *made = NULL;
  enum ls_status status = ls_json_object(&record->arguments, known, err);
  if (status == LS_OK && !record->has_platform)
    status = ls_fail(err, LS_EINVAL, "%s has no platform, which kind loss needs", record->id);
  if (status == LS_OK) status = ls_check_tasks_read(record, &tasks, err);
  if (status != LS_OK) return status;
  bool is_expectation = ls_json_member(&record->arguments, "workers").value != NULL;
  status = is_expectation ? describe_expectation(record, &tasks, &made, err)
                          : describe_cycle(record, &tasks, &made, err);
  ls_check_tasks_close(&tasks);
  if (status != LS_OK) return status;
  /* A cycle that never ends has no number in JSON. */
  if (made == NULL)
    return ls_fail(err, LS_EINVAL, "%s: the cycle never ends: all workers are lost", record->id);
  *got = made;
  return LS_OK;
}

const struct ls_check_kind ls_check_kind_loss = {"loss", evaluate_loss};
