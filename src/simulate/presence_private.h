/* presence_private.h: workers that come and go: as they are told, by chance (reclaim.c), from
 * outside (outside.c).
 */
#ifndef LS_SIMULATE_PRESENCE_PRIVATE_H
#define LS_SIMULATE_PRESENCE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/event.h"

struct ls_engine;
struct ls_engine_worker;

void ls_presence_join(struct ls_engine *engine, uint32_t worker);
void ls_presence_leave(struct ls_engine *engine, uint32_t worker, enum ls_loss cause);
void ls_presence_pause(struct ls_engine *engine, uint32_t worker);
/* It stands still, by the pause of that index. */
void ls_presence_stand(struct ls_engine *engine, size_t pause);
void ls_presence_resume(struct ls_engine *engine, uint32_t worker);
/* A requested machine is there. */
void ls_presence_granted(struct ls_engine *engine, uint32_t worker);
/* So many machines will not come. */
void ls_presence_refused(struct ls_engine *engine, uint64_t machines);
/* The coordinator does not need the worker any more. */
void ls_presence_release(struct ls_engine *engine, uint32_t worker);
/* The coordinator wants so many more machines. */
void ls_presence_request(struct ls_engine *engine, uint64_t count);
/* Seconds that the worker was there up to `until_s`, and not suspended. */
double ls_presence_up(const struct ls_engine *engine, uint32_t worker, double until_s);

/* ---- reclaim.c: machines taken away by chance ---- */

bool ls_reclaim_open(struct ls_engine *engine);
void ls_reclaim_close(struct ls_engine *engine);
/* The worker came or came back: when is it taken away? */
void ls_reclaim_plan(struct ls_engine *engine, uint32_t worker);
/* The worker was taken away: when is it given back? */
void ls_reclaim_plan_return(struct ls_engine *engine, uint32_t worker);
/* An iteration begins: whoever was taken away in the one before is back, and one may be taken. */
void ls_reclaim_begin(struct ls_engine *engine);

/* ---- outside.c: workers told to leave, advice, a stop ---- */

void ls_outside_open(struct ls_engine *engine);
/* The worker has ended its last unit and goes. */
void ls_outside_bye(struct ls_engine *engine, uint32_t worker);
void ls_outside_depart(struct ls_engine *engine, uint64_t payload);
void ls_outside_add(struct ls_engine *engine, size_t index);
void ls_outside_advise(struct ls_engine *engine, size_t index);
void ls_outside_stop(struct ls_engine *engine);

#endif
