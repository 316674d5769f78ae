/* task_log.h: what the tasks of a run took, iteration by iteration.
 *
 * Whoever hears of results fills it in.  Sticky: a log that had no memory for an entry, or was
 * full, is short from then on, and says nothing of the run as a whole.
 */
#ifndef LS_MODEL_TASK_LOG_H
#define LS_MODEL_TASK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

LS_C_BEGIN

enum { LS_TASK_LOG_MOST = 50000 /* units */ };

/* Units of one result that counts, equal among themselves as far as anybody knows. */
struct ls_task_log_entry {
  uint32_t iteration;
  uint32_t slot; /* of the coordinator, from 0 on */
  uint64_t units;
  double seconds; /* of all of them together */
};

/* Starts as {0}; owns its entries, which are in the order of their iterations. */
struct ls_task_log {
  struct ls_task_log_entry *entries;
  size_t count, capacity;
  uint64_t units; /* of all entries */
  bool is_short;
};

/* An entry of an earlier iteration than the last one, or without units or a finite time, is none.
 */
void ls_task_log_add(struct ls_task_log *log, const struct ls_task_log_entry *entry);
void ls_task_log_close(struct ls_task_log *log);

LS_C_END

#endif
