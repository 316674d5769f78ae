/* simulate.h: the very coordinator that runs, in virtual time.
 *
 * An event queue, the ports and processors of the platform, and the coordinator between them.  The
 * rules are those of the simulator's specification: a request is a message without load that takes
 * the worker's delay; the master serves requests in order of arrival and is busy for prepare +
 * send; tasks of a chunk run in order, task k taking task_work[k] * per_unit; a worker asks at the
 * first instant from a chunk's arrival on at which fewer than `prefetch` units wait; a departure
 * comes before requests of the same instant.
 */
#ifndef LS_SIMULATE_SIMULATE_H
#define LS_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "coordinator/coordinator.h"
#include "model/platform.h"
#include "model/timeline.h"

struct ls_simulated_change { /* a worker leaves or joins */
  uint32_t worker;
  double time_s;
};

struct ls_availability { /* from this time on the worker runs at `share` of its speed */
  double from_s, share;
};

struct ls_simulation {
  const struct ls_platform *platform;
  struct ls_coordinator_config
      config; /* policy, order, ...; workers and workers_max are taken from the platform */
  uint64_t units;
  const double *task_work; /* `units` entries: work of each task in units; NULL: all 1 */
  uint64_t prefetch;       /* 0, 1, 2, ... */
  uint64_t report_every;   /* units between REPORT messages; 0: only with requests */
  const struct ls_simulated_change *leave, *join;
  size_t leave_count, join_count;
  const struct ls_availability *const *availability; /* per worker, or NULL */
  const size_t *availability_count;
  bool wants_spans, wants_notes;
};

struct ls_simulated {
  double makespan_s;
  double efficiency; /* seconds computing / seconds present */
  uint64_t chunks, units_done;
};

/* `timeline` may be NULL; else an initialised one that gets decisions (always), spans and notes (if
 * wanted). LS_EINVAL: the setup is wrong, or the run cannot end (all workers left). */
LS_CHECKED enum ls_status ls_simulate(const struct ls_simulation *simulation,
                                      struct ls_simulated *result, struct ls_timeline *timeline,
                                      struct ls_error *err);

#endif
