#include "lab/check/check_tasks.h"

#include <float.h>
#include <stdlib.h>

#include "lab/check/check_numbers.h"
#include "theory/workload.h"

enum { TASKS_MAX = 100000 };

static enum ls_status read_workload(const struct ls_json *place, struct ls_workload *workload,
                                    struct ls_error *err) {
  static const char *const known[] = {"tasks",        "share_percent", "large_differ",
                                      "small_differ", "total",         NULL};
  uint64_t tasks = 0;
  struct ls_json count = ls_json_member(place, "tasks");
  struct ls_json share = ls_json_member(place, "share_percent");
  struct ls_json large = ls_json_member(place, "large_differ");
  struct ls_json small = ls_json_member(place, "small_differ");
  struct ls_json total = ls_json_member(place, "total");
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = ls_json_whole(&count, 1, TASKS_MAX, &tasks, err);
  if (status == LS_OK) status = ls_json_real(&share, 0, 100, &workload->share_percent, err);
  if (status == LS_OK) status = ls_json_bool(&large, &workload->large_differ, err);
  if (status == LS_OK) status = ls_json_bool(&small, &workload->small_differ, err);
  workload->total = 100;
  if (status == LS_OK && total.value != NULL)
    status = ls_json_real(&total, DBL_MIN, DBL_MAX, &workload->total, err);
  workload->tasks = (size_t)tasks;
  return status;
}

enum ls_status ls_check_tasks_read(const struct ls_check_record *record,
                                   struct ls_check_tasks *tasks, struct ls_error *err) {
  struct ls_json work = ls_json_member(&record->arguments, "task_work");
  struct ls_json place = ls_json_member(&record->arguments, "workload");
  struct ls_workload workload = {0};
  size_t count = 0;
  enum ls_status status;
  if ((work.value == NULL) == (place.value == NULL))
    return ls_fail(err, LS_EINVAL, "%s: expected one of task_work and workload", record->id);
  status = work.value != NULL ? ls_json_array(&work, &count, err)
                              : read_workload(&place, &workload, err);
  if (status != LS_OK) return status;
  if (work.value == NULL) count = workload.tasks;
  double *made = calloc(count + 1, sizeof *made);
  if (made == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu tasks", count);
  status = work.value != NULL ? ls_check_numbers(&work, count, false, made, err)
                              : ls_workload_make(&workload, made, err);
  if (status != LS_OK) {
    free(made);
    return status;
  }
  *tasks = (struct ls_check_tasks){made, count};
  return LS_OK;
}

void ls_check_tasks_close(struct ls_check_tasks *tasks) {
  free(tasks->work);
  *tasks = (struct ls_check_tasks){0};
}

enum ls_status ls_check_whole(const struct ls_check_record *record, const char *name,
                              uint64_t otherwise, uint64_t *number, struct ls_error *err) {
  struct ls_json place = ls_json_member(&record->arguments, name);
  if (place.value == NULL) {
    *number = otherwise;
    return LS_OK;
  }
  return ls_json_whole(&place, 0, (uint64_t)1 << 53, number, err);
}
