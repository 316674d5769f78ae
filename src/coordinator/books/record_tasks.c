/* record_tasks.c: the times of tasks, for the orders, sizings and replications that learn. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "coordinator/books/record.h"

enum ls_status ls_record_keep_history(struct ls_record *record, struct ls_error *err) {
  const struct ls_task_history_setup setup = {0};
  assert(record->tasks.history == NULL);
  return ls_task_history_create(&setup, &record->tasks.history, err);
}

enum ls_status ls_record_learn(struct ls_record *record, struct ls_range units, double seconds,
                               struct ls_error *err) {
  struct ls_task_history *history = record->tasks.history;
  assert(units.count <= UINT64_MAX - units.first);
  if (history == NULL) return LS_OK;
  enum ls_status status = ls_task_history_reserve(history, units.first + units.count, err);
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++)
    ls_task_history_observe(history, units.first + i, seconds);
  return status;
}

static enum ls_status copy_times(const double *times, uint64_t count, const char *name,
                                 double **copy, struct ls_error *err) {
  *copy = NULL;
  if (times == NULL || count == 0) return LS_OK;
  for (uint64_t i = 0; i < count; i++) {
    if (times[i] >= 0 && isfinite(times[i])) continue;
    return ls_fail(err, LS_EINVAL, "task %llu: %s time is %g, must be >= 0 and finite",
                   (unsigned long long)i, name, times[i]);
  }
  *copy = calloc(count, sizeof **copy);
  if (*copy == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the times of %llu tasks",
                   (unsigned long long)count);
  memcpy(*copy, times, count * sizeof **copy);
  return LS_OK;
}

enum ls_status ls_record_declare(struct ls_record *record, const double *expected,
                                 const double *actual, uint64_t count, struct ls_error *err) {
  struct ls_record_tasks *tasks = &record->tasks;
  double *expected_copy = NULL, *actual_copy = NULL;
  enum ls_status status = copy_times(expected, count, "expected", &expected_copy, err);
  if (status == LS_OK) status = copy_times(actual, count, "actual", &actual_copy, err);
  if (status != LS_OK) {
    free(expected_copy);
    return status;
  }
  free(tasks->expected);
  free(tasks->actual);
  tasks->expected = expected_copy;
  tasks->actual = actual_copy;
  tasks->declared_count = count;
  return LS_OK;
}

/* The measured ones in front, without holes; their number. */
static size_t compact(double *seconds, uint64_t count) {
  size_t kept = 0;
  for (uint64_t i = 0; i < count; i++)
    if (!isnan(seconds[i])) seconds[kept++] = seconds[i];
  return kept;
}

enum ls_status ls_record_end_tasks(struct ls_record *record) {
  struct ls_record_tasks *tasks = &record->tasks;
  struct ls_task_facts facts = {0};
  if (!tasks->is_learning) return LS_OK;
  size_t measured = compact(tasks->seconds, tasks->seconds_count);
  tasks->seconds_count = measured;
  enum ls_status status =
      measured > 0 ? ls_task_facts(tasks->seconds, measured, &facts, NULL) : LS_OK;
  if (status != LS_OK) return status;
  if (tasks->history != NULL) ls_task_history_close_iteration(tasks->history);
  tasks->facts = facts;
  return LS_OK;
}

enum ls_status ls_record_open_tasks(struct ls_record *record, uint64_t units,
                                    struct ls_error *err) {
  struct ls_record_tasks *tasks = &record->tasks;
  if (!tasks->is_learning) return LS_OK;
  double *seconds = calloc(units > 0 ? units : 1, sizeof *seconds);
  if (seconds == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the times of %llu units",
                   (unsigned long long)units);
  if (tasks->history != NULL) {
    enum ls_status status = ls_task_history_reserve(tasks->history, units, err);
    if (status != LS_OK) {
      free(seconds);
      return status;
    }
  }
  for (uint64_t i = 0; i < units; i++) seconds[i] = (double)NAN;
  free(tasks->seconds);
  tasks->seconds = seconds;
  tasks->seconds_count = units;
  tasks->seconds_capacity = units > 0 ? (size_t)units : 1;
  return LS_OK;
}

enum ls_status ls_record_add_tasks(struct ls_record *record, uint64_t units) {
  struct ls_record_tasks *tasks = &record->tasks;
  void *items = tasks->seconds;
  uint64_t count = tasks->seconds_count + units;
  if (!tasks->is_learning) return LS_OK;
  if (count > SIZE_MAX / sizeof *tasks->seconds) return LS_ENOMEM;
  enum ls_status status =
      ls_array_reserve(&items, &tasks->seconds_capacity, (size_t)count, sizeof *tasks->seconds);
  tasks->seconds = items;
  if (status == LS_OK && tasks->history != NULL)
    status = ls_task_history_reserve(tasks->history, count, NULL);
  if (status != LS_OK) return status;
  while (tasks->seconds_count < count) tasks->seconds[tasks->seconds_count++] = (double)NAN;
  return LS_OK;
}

void ls_record_time(struct ls_record *record, const struct ls_record_entry *entry,
                    struct ls_range part) {
  struct ls_record_tasks *tasks = &record->tasks;
  uint64_t count = entry->units.count;
  uint64_t listed = entry->latest_count < count ? entry->latest_count : count;
  if (!tasks->is_learning) return;
  assert(part.first + part.count <= tasks->seconds_count);
  for (uint64_t i = 0; i < part.count; i++) {
    uint64_t unit = part.first + i, behind = count - (unit - entry->units.first);
    double seconds = behind > listed ? entry->seconds / (double)count
                                     : entry->latest[entry->latest_count - behind];
    tasks->seconds[unit] = seconds;
    if (tasks->history != NULL)
      ls_task_history_observe(tasks->history, unit, seconds * entry->speed);
  }
}

double ls_record_expect(const struct ls_record *record, uint64_t unit) {
  const struct ls_record_tasks *tasks = &record->tasks;
  double seconds = (double)NAN;
  if (tasks->history != NULL)
    seconds = ls_task_history_predict(tasks->history, LS_PREDICTOR_CHOSEN, unit);
  if (isnan(seconds) && unit < tasks->declared_count && tasks->expected != NULL)
    seconds = tasks->expected[unit];
  return seconds;
}
