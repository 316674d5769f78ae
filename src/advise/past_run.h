/* past_run.h: what is known of an earlier run: its tasks, its workers, what its chunks cost.
 *
 * Whoever reads the record of that run fills it in.
 */
#ifndef LS_ADVISE_PAST_RUN_H
#define LS_ADVISE_PAST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/coordinator.h"
#include "theory/overhead.h"

struct ls_run_history {
  struct ls_coordinator_lesson *lessons; /* of units that were done, by iteration */
  size_t lessons_count, lessons_capacity;
  uint64_t units;              /* done, of all iterations */
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
  /* Of its pools: from a request to its worker, and as that was expected at first; workers that
   * were lost, and the seconds that all were there. 0: not known. */
  double grant_s, grant_first_s, losses, up_s;
  struct ls_slowness slowness;       /* how much longer than expected units took */
  struct ls_coordinator_host *hosts; /* its machines by place, if there were several */
  size_t hosts_count;
};

void ls_run_history_close(struct ls_run_history *history);
/* Has the slot done enough units to tell its worker from others? */
bool ls_run_history_tells(const struct ls_run_history *history, size_t slot);
/* Mean seconds of a unit in the slot; that of all where too little is known. */
double ls_run_history_slot(const struct ls_run_history *history, size_t slot);

#endif
