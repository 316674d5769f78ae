/* transport_zmq_private.h: addresses, contexts of libzmq with the listeners inside the process, and
 * what libzmq tells of connections.
 *
 * A hub is shared by the two ends of inproc addresses, else it is of one endpoint.  Threads may
 * call all functions of addresses and hubs at once.
 */
#ifndef LS_RUNTIME_TRANSPORT_ZMQ_PRIVATE_H
#define LS_RUNTIME_TRANSPORT_ZMQ_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* ---- transport_zmq_address.c ---- */

enum { LS_ADDRESS_BYTES = 256 }; /* with the zero at the end */

/* "ipc://" ? */
bool ls_address_has_scheme(const char *address, const char *scheme);
/* LS_EINVAL names the address and what was expected. */
LS_CHECKED enum ls_status ls_address_check(const char *address, struct ls_error *err);
/* May a socket listen on this address of ipc? LS_EINVAL: a file that is no socket is there;
 * LS_EBUSY: a process serves it. */
LS_CHECKED enum ls_status ls_address_check_path(const char *address, struct ls_error *err);
/* Is the host of this tcp address known? LS_EIO names it and says why not. May ask the network. */
LS_CHECKED enum ls_status ls_address_resolve(const char *address, struct ls_error *err);

/* ---- transport_zmq_hub.c ---- */

struct ls_hub {
  void *context;
  size_t endpoints;    /* guarded by the hubs' lock, as the rest but the context */
  char *name;          /* inproc address while it is listened on, else NULL */
  struct ls_hub *next; /* among those that have a name */
};

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

/* ---- transport_zmq_monitor.c ---- */

/* The news of one socket's connections, in the order in which they happened. libzmq waits when
 * about a thousand of them have not been read. */
struct ls_monitor {
  void *socket; /* NULL: not open */
  int file;     /* edge-triggered, as the descriptor of a socket */
};

/* `events`: ZMQ_EVENT_...; `watched`, a socket of `context`, has no other monitor. */
LS_CHECKED enum ls_status ls_monitor_open(struct ls_monitor *monitor, void *context, void *watched,
                                          int events, struct ls_error *err);
/* The next event, if there is one, and its value (a descriptor, mostly). */
bool ls_monitor_next(struct ls_monitor *monitor, int *event, int *value);
/* Before `watched` is closed. */
void ls_monitor_close(struct ls_monitor *monitor, void *watched);

#endif
