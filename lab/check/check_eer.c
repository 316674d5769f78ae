/* check_eer.c: records of kind eer: perfect number, ideal and usable set of equal workers. */
#include <stdlib.h>

#include "lab/check/check_tasks.h"
#include "theory/eer.h"

/* NULL: out of memory. */
static json_t *describe(const struct ls_eer_point *points, size_t count, double asp) {
  const struct ls_eer_point *perfect = &points[ls_eer_perfect(points, count)];
  json_t *ideal = json_array(), *usable = json_array();
  bool is_whole = true;
  for (size_t i = 0; i < count; i++) {
    json_int_t workers = (json_int_t)points[i].workers;
    if (ls_eer_is_ideal(&points[i], perfect))
      is_whole &= json_array_append_new(ideal, json_integer(workers)) == 0;
    if (ls_eer_is_usable(&points[i], &points[count - 1]))
      is_whole &= json_array_append_new(usable, json_integer(workers)) == 0;
  }
  if (!is_whole) {
    json_decref(ideal);
    json_decref(usable);
    return NULL;
  }
  return json_pack("{s:I, s:o, s:o, s:f, s:f, s:f, s:f}", "perfect_number",
                   (json_int_t)perfect->workers, "ideal_interval", ideal, "usable_interval", usable,
                   "eer", perfect->eer_s, "makespan", perfect->time_s, "efficiency",
                   perfect->efficiency, "asp", asp);
}

static enum ls_status evaluate_eer(const struct ls_check_record *record, json_t **got,
                                   struct ls_error *err) {
  static const char *const known[] = {"task_work", "workload", NULL};
  struct ls_check_tasks tasks = {0};
  enum ls_status status = ls_json_object(&record->arguments, known, err);
  if (status == LS_OK) status = ls_check_tasks_read(record, &tasks, err);
  if (status != LS_OK) return status;
  struct ls_eer_point *points = calloc(tasks.count + 1, sizeof *points);
  if (points == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", tasks.count);
  } else if (tasks.count == 0) {
    status = ls_fail(err, LS_EINVAL, "%s: task_work is empty, expected tasks", record->id);
  } else {
    struct ls_list_setup setup = {.work = tasks.work, .tasks = tasks.count, .workers = tasks.count};
    status = ls_eer_curve(&setup, points, err);
  }
  if (status == LS_OK) {
    *got = describe(points, tasks.count, ls_task_asp(tasks.work, tasks.count));
    if (*got == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for an answer");
  }
  free(points);
  ls_check_tasks_close(&tasks);
  return status;
}

const struct ls_check_kind ls_check_kind_eer = {"eer", evaluate_eer};
