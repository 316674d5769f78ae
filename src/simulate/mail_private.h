/* mail_private.h: what workers and master say to each other, beside chunks.
 *
 * Mails and orders stand in tables of the engine, and an entry is used again; indices name them.
 */
#ifndef LS_SIMULATE_MAIL_PRIVATE_H
#define LS_SIMULATE_MAIL_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/worker_side.h"

/* No entry of a table of the engine. */
#define LS_ENGINE_NONE UINT32_MAX

struct ls_engine;

/* A word of a worker to the master: a result, or a request. */
struct ls_mail {
  bool is_request, is_last; /* is_last: of the messages of one instant */
  uint32_t next;
  uint64_t units; /* of a request */
  struct ls_side_result result;
  double end_s;  /* of its last unit */
  double *times; /* of the result; kept for the next use of this mail */
  size_t times_capacity;
};

/* Mails in their order: from `first` to `last`, by `next`; LS_ENGINE_NONE: none. */
struct ls_mail_list {
  uint32_t first, last;
};

/* A word of the master to a worker that carries no load. */
struct ls_order {
  uint32_t worker, epoch, next_free;
  struct ls_side_event event;
};

/* The actions of the worker's side that say something: a result, a request, held results. */
void ls_mail_write(struct ls_engine *engine, uint32_t worker);
/* A frame has arrived at the master. */
void ls_mail_arrive(struct ls_engine *engine, uint32_t worker);
/* What stands behind a request that has just been served is heard. */
void ls_mail_hear(struct ls_engine *engine, uint32_t worker);
/* The worker is gone: its results that are on their way count, its requests do not. */
void ls_mail_clear(struct ls_engine *engine, uint32_t worker);
/* The run is over: what the worker computed, and the master did not hear, did not count. */
void ls_mail_end(struct ls_engine *engine, uint32_t worker);
void ls_mail_close(struct ls_engine *engine);
/* The word reaches the worker after `delay_s`. */
void ls_order_send(struct ls_engine *engine, uint32_t worker, double delay_s,
                   const struct ls_side_event *event);
void ls_order_arrive(struct ls_engine *engine, uint32_t order);

#endif
