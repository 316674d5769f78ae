/* transport_zmq_monitor.h: what libzmq tells of the connections of a socket.
 *
 * The news of one socket, read by the thread that uses it.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_MONITOR_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_MONITOR_H

#include <stdbool.h>

#include "base/status.h"

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
