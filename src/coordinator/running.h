/* running.h: what runs at a worker, as far as the coordinator knows.
 */
#ifndef LS_COORDINATOR_RUNNING_H
#define LS_COORDINATOR_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/coordinator.h"

/* A unit, of the chunk that it was sent in; attempt 1 is the first. */
struct ls_running {
  uint64_t chunk, unit, attempt;
};

/* The first unit that the worker has and that has not ended; false: it has none. */
bool ls_coordinator_running(const struct ls_coordinator *coordinator, uint32_t worker,
                            struct ls_running *running);

#endif
