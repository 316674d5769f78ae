/* processor_private.h: what is known of the chunk at a worker's processor. */
#ifndef LS_SIMULATE_PROCESSOR_PRIVATE_H
#define LS_SIMULATE_PROCESSOR_PRIVATE_H

#include <assert.h>

#include "simulate/engine_private.h"
#include "simulate/speed.h"

/* How fast the worker is; for one that is not plain. */
struct ls_speed ls_processor_speed(const struct ls_engine *engine, uint32_t number);

static inline const struct ls_engine_chunk *ls_processor_chunk(
    const struct ls_engine *engine, const struct ls_engine_worker *worker) {
  assert(worker->queue_count > 0);
  return &engine->chunks[worker->queue[worker->queue_head]];
}

/* When the first `units` units of the chunk at the processor are done. */
static inline double ls_processor_end(const struct ls_engine *engine, uint32_t number,
                                      uint64_t units) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double work = engine->work_before
                    ? ls_engine_chunk_work(engine, ls_processor_chunk(engine, worker), units)
                    : (double)units;
  double left_s = worker->compute.per_unit_s * work - worker->base_work_s;
  if (worker->is_plain) return left_s > 0 ? worker->base_s + left_s : worker->base_s;
  struct ls_speed speed = ls_processor_speed(engine, number);
  return ls_speed_end(&speed, worker->base_s, left_s);
}

#endif
