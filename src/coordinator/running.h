/* running.h: what runs at a worker, as far as the coordinator knows, and how long it was away.
 */
#ifndef LS_COORDINATOR_RUNNING_H
#define LS_COORDINATOR_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/coordinator.h"

/* The first unit that the worker has and that has not ended; false: it has none. */
bool ls_coordinator_running(const struct ls_coordinator *coordinator, uint32_t worker,
                            struct ls_running *running);
/* With so many units the worker was sent a chunk that it still has; 0: it has none of the number.
 */
uint64_t ls_coordinator_units_sent(const struct ls_coordinator *coordinator, uint32_t worker,
                                   uint64_t chunk);
/* Which attempt of its units a chunk with this range is, 1: the first; and for how many of them,
 * from the first on: the next one has failed, or lost its worker, more or less often. */
uint64_t ls_coordinator_attempt(const struct ls_coordinator *coordinator, struct ls_range units,
                                uint64_t *attempt);
/* Does the worker have this unit, by this chunk, without a result? */
bool ls_coordinator_has_unit(const struct ls_coordinator *coordinator, uint32_t worker,
                             uint64_t chunk, uint64_t unit);
/* May the worker tell the end of any of the units by this chunk: has it one so, or had it before it
 * was away? */
bool ls_coordinator_awaits(const struct ls_coordinator *coordinator, uint32_t worker,
                           uint64_t chunk, struct ls_range units);
/* When the chunk, of which the worker still has units, was decided; NAN: it has none of them. */
double ls_coordinator_sent_s(const struct ls_coordinator *coordinator, uint32_t worker,
                             uint64_t chunk);
/* Is the worker away without a word: silent, or cut off? */
bool ls_coordinator_is_unheard(const struct ls_coordinator *coordinator, uint32_t worker);
/* The speed that was told of the worker, or that it has shown; 0: neither. */
double ls_coordinator_speed(const struct ls_coordinator *coordinator, uint32_t worker);
/* So many seconds until `until_s` the workers of the slot were suspended. */
double ls_coordinator_suspended_s(const struct ls_coordinator *coordinator, uint32_t worker,
                                  double until_s);

#endif
