/* worker_side.h: the worker's side in the same shape: what arrived, what to do next.
 *
 * The worker keeps a queue of ranges; it asks as soon as fewer than `prefetch` units wait (the
 * running one not counted; prefetch 0: when nothing waits and nothing runs), one request
 * outstanding. Pure: driven by real workers and by simulated ones.
 */
#ifndef LS_COORDINATOR_WORKER_SIDE_H
#define LS_COORDINATOR_WORKER_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"

/* A range of a chunk that waits or runs at this worker. */
struct ls_job {
  uint64_t chunk;
  struct ls_range units;
  uint64_t payload; /* the driver's own index for the input of this range */
};

struct ls_worker_side {
  struct ls_job *jobs; /* ring: the next one to run at `head` */
  size_t head, count, capacity;
  uint64_t units_waiting;
  uint64_t prefetch;
  bool is_asking;  /* a request is outstanding */
  bool is_running; /* something computes */
  bool is_released;
};

void ls_worker_side_init(struct ls_worker_side *side, uint64_t prefetch);
void ls_worker_side_close(struct ls_worker_side *side);
/* A chunk's range arrived. An arrival answers the outstanding request. */
LS_CHECKED enum ls_status ls_worker_side_arrive(struct ls_worker_side *side,
                                                const struct ls_job *job);
/* Should a request leave now, and for how many units (>= 1)? Marks it outstanding. 0: not now.
 * `batches`: ask for all the room at once (real workers); false: for one chunk (the published
 * rule). */
uint64_t ls_worker_side_ask(struct ls_worker_side *side, bool batches);
/* Takes at most `units_max` units of the first waiting range to run them now; false: nothing waits.
 */
bool ls_worker_side_take(struct ls_worker_side *side, uint64_t units_max, struct ls_job *job);
/* The range that waits at `index`; NULL: fewer wait. */
const struct ls_job *ls_worker_side_peek(const struct ls_worker_side *side, size_t index);
/* What was taken has ended. */
void ls_worker_side_end(struct ls_worker_side *side);
/* Removes what waits of a chunk; the number of units removed. Payloads are reported to `drop` (may
 * be NULL). */
uint64_t ls_worker_side_cancel(struct ls_worker_side *side, uint64_t chunk,
                               void (*drop)(void *context, uint64_t payload), void *context);

#endif
