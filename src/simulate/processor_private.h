/* processor_private.h: the processor of a worker, which drives its side.
 */
#ifndef LS_SIMULATE_PROCESSOR_PRIVATE_H
#define LS_SIMULATE_PROCESSOR_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/worker_side.h"

struct ls_engine;

void ls_processor_open(struct ls_engine *engine, uint32_t worker);
/* The worker is there, or there again. */
void ls_processor_enter(struct ls_engine *engine, uint32_t worker);
void ls_processor_arrive(struct ls_engine *engine, uint32_t chunk);
void ls_processor_work(struct ls_engine *engine, uint32_t worker, uint32_t stamp);
/* The input of the chunk that was started is there. */
void ls_processor_staged(struct ls_engine *engine, uint32_t worker);
/* A word of the master has arrived. */
void ls_processor_obey(struct ls_engine *engine, uint32_t worker,
                       const struct ls_side_event *event);
/* All that is at the worker is lost but what is finished, which counts. */
void ls_processor_clear(struct ls_engine *engine, uint32_t worker);
/* The master begins or ends to schedule: workers on it change their speed. */
void ls_processor_share(struct ls_engine *engine, bool is_scheduling);

/* It stands still with all it has, and goes on. */
void ls_processor_stand(struct ls_engine *engine, uint32_t worker);
void ls_processor_go_on(struct ls_engine *engine, uint32_t worker);

#endif
