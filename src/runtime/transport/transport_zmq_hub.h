/* transport_zmq_hub.h: contexts of libzmq, and who listens inside the process.
 *
 * A hub is shared by the two ends of inproc addresses, else it is of one endpoint.  Threads may
 * call all functions at once.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_HUB_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_HUB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ls_hub {
  void *context;
  size_t endpoints;    /* guarded by the hubs' lock, as the rest but the context */
  char *name;          /* inproc address while it is listened on, else NULL */
  struct ls_hub *next; /* among those that have a name */
};

/* As transport.h has it. */
void ls_hub_prepare(void);
/* A hub with one endpoint; NULL: there is no memory. */
struct ls_hub *ls_hub_create(bool is_inproc);
/* Gives the hub the address, so that others find it; LS_EBUSY: it is taken. */
LS_CHECKED enum ls_status ls_hub_publish(struct ls_hub *hub, const char *address,
                                         struct ls_error *err);
/* The hub is found no more. It need not have an address. */
void ls_hub_unpublish(struct ls_hub *hub);
/* The hub that listens on the address, with one endpoint more; NULL: none does. */
struct ls_hub *ls_hub_join(const char *address);
/* One endpoint less; the last one, whose sockets are closed, ends the context and the hub. */
void ls_hub_leave(struct ls_hub *hub);
/* Does anybody listen at the hub? */
bool ls_hub_is_published(const struct ls_hub *hub);

#endif
