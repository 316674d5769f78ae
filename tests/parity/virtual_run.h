/* virtual_run.h: the real master and real workers in virtual time.
 *
 * ls_master_run and ls_worker_run as they are, each in a thread, with what they see of the world
 * replaced: the linker gives them this clock and process ids of the workers; their
 * executor, transport and pool are values of the interfaces.  One thread runs at a time, and time
 * goes on when all wait: to the next frame, end of a unit, loss of a worker.
 */
#ifndef LS_TESTS_PARITY_VIRTUAL_RUN_H
#define LS_TESTS_PARITY_VIRTUAL_RUN_H

#include "coordinator/coordinator.h"

enum { VIRTUAL_WORKERS_MAX = 6, VIRTUAL_UNITS_MAX = 200, VIRTUAL_ITERATIONS_MAX = 2 };

struct virtual_worker {
  double delay_s; /* of a message on either way */
  double unit_s;  /* that it takes for a unit of work 1 */
  double lost_s;  /* it crashes; INFINITY: never */
};

struct virtual_job {
  struct ls_coordinator_config config;
  struct virtual_worker workers[VIRTUAL_WORKERS_MAX];
  size_t workers_count;
  uint64_t units, prefetch;
  uint32_t iterations;
  /* Of each iteration, units that have nothing to do: two ranges, either of which may be empty. */
  struct ls_range idle[VIRTUAL_ITERATIONS_MAX][2];
  double work[VIRTUAL_ITERATIONS_MAX * VIRTUAL_UNITS_MAX]; /* of each unit, by iteration */
};

/* Runs it to its end; units that were merged. */
uint64_t virtual_run(const struct virtual_job *job);

#endif
