/* tickets.h: what a master knows of its workers' sessions, by slot.
 *
 * A session outlives connections: who comes back with the cookie of the worker in a slot is that
 * worker.  Each connection counts its RESULTs from its WELCOME; those that came before a commit are
 * durable behind it, and the worker is told so with the frames that leave then.
 *
 * A cookie proves itself to the masters of later sessions, too: half of it is chance, the other
 * half a keyed hash of that, the era and the slot, by a secret that the journal keeps and no worker
 * gets.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_TICKETS_H
#define LS_RUNTIME_MASTER_GUESTS_TICKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "protocol/message.h"

struct ls_ticket {
  bool is_valid;
  unsigned char cookie[LS_COOKIE_BYTES];
  uint64_t received, told; /* RESULTs of this connection; durable as the worker knows */
  uint64_t bytes;          /* of those that it does not know of */
  uint64_t earlier;        /* of the RESULTs to come: so many are of an earlier master */
  bool is_leaving;         /* it waits for the word that all is durable */
  bool is_awaiting;        /* and begins nothing before it */
};

struct ls_tickets {
  struct ls_ticket *items; /* by slot */
  size_t count, capacity;
  unsigned char secret[LS_COOKIE_BYTES]; /* as the journal has it, or random */
  unsigned char run[LS_COOKIE_BYTES];    /* the run's name, which follows from the secret */
  uint64_t era;                          /* of this process; random */
  double heartbeat_s;                    /* that PULSEs tell; 0: none */
};

/* Starts as {0}. `secret`: LS_COOKIE_BYTES, NULL: made. LS_EIO: no chance can be had. */
LS_CHECKED enum ls_status ls_tickets_open(struct ls_tickets *tickets, const void *secret,
                                          struct ls_error *err);
/* A worker has joined: a cookie of its own.  Results of an earlier master may come of whoever shows
 * a cookie of this run. */
LS_CHECKED enum ls_status ls_tickets_issue(struct ls_tickets *tickets, uint32_t slot,
                                           const struct ls_message *hello, struct ls_error *err);
/* The worker is gone: its cookie is worth nothing any more. */
void ls_tickets_revoke(struct ls_tickets *tickets, uint32_t slot);
/* Whose cookie is this? LS_TICKETS_NONE: nobody's. */
#define LS_TICKETS_NONE UINT32_MAX
uint32_t ls_tickets_find(const struct ls_tickets *tickets, const struct ls_message *hello);
/* Does the worker come from another run? */
bool ls_tickets_is_foreign(const struct ls_tickets *tickets, const struct ls_message *hello);
/* Its worker is back over a new connection. */
void ls_tickets_resume(struct ls_tickets *tickets, uint32_t slot, const struct ls_message *hello);
/* Adds cookie, run and era. Borrowed. */
void ls_tickets_sign(const struct ls_tickets *tickets, uint32_t slot, struct ls_message *welcome);
/* A RESULT has come, with so many bytes of output. Is it one of an earlier master? */
bool ls_tickets_receive(struct ls_tickets *tickets, uint32_t slot, uint64_t bytes);
/* Is the next RESULT, and what belongs to it, of an earlier master? */
bool ls_tickets_are_earlier(const struct ls_tickets *tickets, uint32_t slot);
void ls_tickets_leave(struct ls_tickets *tickets, uint32_t slot);
/* Its last RESULT was judged, for which it waits. */
void ls_tickets_await(struct ls_tickets *tickets, uint32_t slot);
/* Must the worker hear now how many are durable? */
bool ls_tickets_is_due(const struct ls_tickets *tickets, uint32_t slot);
/* The PULSE for this worker, to leave behind the next commit. */
struct ls_message ls_tickets_pulse(struct ls_tickets *tickets, uint32_t slot);
void ls_tickets_close(struct ls_tickets *tickets);

#endif
