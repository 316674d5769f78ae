/* computing_private.h: the job at a worker's processor, and when each of its units ends.
 */
#ifndef LS_SIMULATE_COMPUTING_PRIVATE_H
#define LS_SIMULATE_COMPUTING_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/worker_side.h"

struct ls_engine;
struct ls_engine_chunk;
struct ls_engine_worker;

/* The side's running units: the first range of a chunk is received and pays the latency. */
void ls_computing_start(struct ls_engine *engine, uint32_t worker);
/* Its input is there: it is received. */
void ls_computing_take_up(struct ls_engine *engine, uint32_t worker);
/* What was to be received is, and computes from now on. */
void ls_computing_received(struct ls_engine *engine, uint32_t worker);
/* Makes the next milestone of the job an event, unless it is one. */
void ls_computing_schedule(struct ls_engine *engine, uint32_t worker);
/* A WORK event that may be on its way is not valid any more; another one comes then. */
void ls_computing_renew(struct ls_engine_worker *worker);
void ls_computing_push(struct ls_engine *engine, uint32_t worker, double time_s);
/* Nothing more becomes of its units: there are none, or it missed what became of them. */
void ls_computing_rest(struct ls_engine_worker *worker);
/* When the first `units` units of the job are done. */
double ls_computing_end(const struct ls_engine *engine, uint32_t worker, uint64_t units);
/* The times of the next `ended->units` units, which end at `end_s`; false: there is no memory. */
bool ls_computing_measure(struct ls_engine *engine, uint32_t worker, double end_s,
                          struct ls_side_ended *ended);
/* The computed units of a chunk, up to `end_s`, count. */
void ls_computing_count(struct ls_engine *engine, uint32_t worker,
                        const struct ls_engine_chunk *chunk, double end_s);
/* So many units of a result, the last of which ended at `end_s`, did not count. */
void ls_computing_take_back(struct ls_engine *engine, uint32_t worker,
                            const struct ls_side_result *result, uint64_t dropped, double end_s);
/* The running units are lost, also those that are still received; the finished ones of their chunk
 * count. */
void ls_computing_break_off(struct ls_engine *engine, uint32_t worker);
/* The work up to this instant is done; the rest begins anew from here on. */
void ls_computing_rebase(struct ls_engine *engine, uint32_t worker);

#endif
