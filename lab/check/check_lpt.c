/* check_lpt.c: records of kind lpt: list scheduling in an order. */
#include <stdlib.h>

#include "lab/check/check_tasks.h"
#include "policies/ordering.h"
#include "theory/list_schedule.h"

static enum ls_status arrange(const struct ls_check_record *record,
                              const struct ls_check_tasks *tasks, uint64_t *list,
                              struct ls_error *err) {
  const struct ls_ordering *ordering = ls_ordering_find(record->algorithm);
  if (ordering == NULL)
    return ls_fail(err, LS_EINVAL, "%s: algorithm is '%s', expected an order", record->id,
                   record->algorithm);
  struct ls_ordering_view view = {
      .units = tasks->count, .expected = tasks->work, .actual = tasks->work};
  ls_arguments_init(&view.arguments, ordering->parameters);
  enum ls_status status = ls_check_whole(record, "seed", 0, &view.seed, err);
  for (size_t i = 0; i < tasks->count; i++) list[i] = i;
  if (status != LS_OK || ordering->arrange == NULL) return status;
  return ordering->arrange(list, &view, err);
}

static json_t *describe(const struct ls_list_schedule *schedule, const uint32_t *worker_of_task,
                        size_t tasks) {
  json_t *workers = json_array();
  for (size_t i = 0; i < tasks; i++)
    json_array_append_new(workers, json_integer((json_int_t)worker_of_task[i]));
  return json_pack("{s:f, s:f, s:o}", "makespan", schedule->makespan_s, "efficiency",
                   schedule->efficiency, "worker_of_task", workers);
}

static enum ls_status evaluate_lpt(const struct ls_check_record *record, json_t **got,
                                   struct ls_error *err) {
  static const char *const known[] = {"task_work", "workload", "seed", NULL};
  struct ls_check_tasks tasks = {0};
  struct ls_list_schedule schedule;
  size_t workers = record->has_platform ? record->platform.workers_count : 0;
  enum ls_status status = ls_json_object(&record->arguments, known, err);
  if (status == LS_OK) status = ls_check_tasks_read(record, &tasks, err);
  if (status != LS_OK) return status;
  uint64_t *list = calloc(tasks.count + 1, sizeof *list);
  uint32_t *worker_of_task = calloc(tasks.count + 1, sizeof *worker_of_task);
  double *per_unit = calloc(workers + 1, sizeof *per_unit);
  if (list == NULL || worker_of_task == NULL || per_unit == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu tasks", tasks.count);
  if (status == LS_OK) status = arrange(record, &tasks, list, err);
  if (status == LS_OK) {
    for (size_t i = 0; i < workers; i++)
      per_unit[i] = record->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
    struct ls_list_setup setup = {.work = tasks.work,
                                  .tasks = tasks.count,
                                  .list = list,
                                  .workers = workers,
                                  .per_unit = per_unit};
    status = ls_list_schedule(&setup, &schedule, worker_of_task, err);
  }
  if (status == LS_OK) {
    *got = describe(&schedule, worker_of_task, tasks.count);
    if (*got == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for an answer");
  }
  free(list);
  free(worker_of_task);
  free(per_unit);
  ls_check_tasks_close(&tasks);
  return status;
}

const struct ls_check_kind ls_check_kind_lpt = {"lpt", evaluate_lpt};
