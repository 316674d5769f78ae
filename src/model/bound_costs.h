/* bound_costs.h: the least that a worker's units cost, for the lower bounds.
 *
 * A chunk lies in one window of its worker (a worker without windows has one way to take chunks),
 * and is no larger than the window and the room allow.
 */
#ifndef LS_MODEL_BOUND_COSTS_H
#define LS_MODEL_BOUND_COSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/platform.h"

/* The costs of one window of a worker, and the largest chunk that it allows. */
struct ls_bound_way {
  const struct ls_cost *costs;
  double most;
};

static inline size_t ls_bound_ways(const struct ls_worker_model *worker) {
  return worker->windows_count > 0 ? worker->windows_count : 1;
}
struct ls_bound_way ls_bound_way(const struct ls_worker_model *worker, size_t index);

/* All latencies on the way to the first unit of worker i. */
double ls_bound_start(const struct ls_platform *platform, size_t i);
/* Seconds of a unit on worker i; of as large a chunk as it takes where `with_starts` is false,
 * since latencies that stand in the start are not counted twice.  Of reader and processor the
 * slower one counts, each in the window that is best for it: chunks may lie in several. */
double ls_bound_seconds(const struct ls_platform *platform, size_t i, bool with_starts);
/* Together, k transfers move data at most so many times as fast as one alone; INFINITY: no end. */
double ls_bound_sharing_gain(const struct ls_platform *platform);

#endif
