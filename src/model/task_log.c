#include "model/task_log.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

void ls_task_log_add(struct ls_task_log *log, const struct ls_task_log_entry *entry) {
  void *entries = log->entries;
  bool is_timed = entry->seconds >= 0 && isfinite(entry->seconds);
  bool is_earlier = log->count > 0 && entry->iteration < log->entries[log->count - 1].iteration;
  if (log->is_short || entry->units == 0 || !is_timed || is_earlier) return;
  if (entry->units > LS_TASK_LOG_MOST - log->units ||
      ls_array_reserve(&entries, &log->capacity, log->count + 1, sizeof *log->entries) != LS_OK) {
    log->is_short = true;
    return;
  }
  log->entries = entries;
  log->entries[log->count++] = *entry;
  log->units += entry->units;
}

void ls_task_log_close(struct ls_task_log *log) {
  free(log->entries);
  *log = (struct ls_task_log){.entries = NULL};
}
