/* run_history.h: what the journal of an earlier run tells about tasks and workers.
 */
#ifndef LS_CLI_RUN_HISTORY_H
#define LS_CLI_RUN_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/coordinator.h"
#include "runtime/overhead.h"

struct ls_run_history {
  struct ls_coordinator_lesson *lessons; /* of units that were done, by iteration */
  size_t lessons_count, lessons_capacity;
  uint64_t units;              /* done, of all iterations */
  uint64_t units_first;        /* of the first iteration, as recorded */
  double mean_seconds;         /* of a unit */
  struct ls_overhead overhead; /* of all workers */
  struct ls_run_slot {
    uint64_t units;
    double seconds; /* sum over them */
  } * slots;        /* by slot number - 1 */
  size_t slots_count, slots_capacity;
  /* The times of units as shares of the mean of their slot: how units differ, whichever worker did
   * them. Of
   * slots that did enough units to tell; of all where none did. */
  double *shares;
  size_t shares_count;
};

/* LS_EINVAL names the file when it holds no finished unit, or is no journal. */
LS_CHECKED enum ls_status ls_run_history_read(struct ls_run_history *history, const char *path,
                                              struct ls_error *err);
void ls_run_history_close(struct ls_run_history *history);
/* Mean seconds of a unit in the slot; that of all where too little is known. */
double ls_run_history_slot(const struct ls_run_history *history, size_t slot);

#endif
