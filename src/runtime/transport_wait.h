/* transport_wait.h: the wait that transports with descriptors share. */
#ifndef LS_RUNTIME_TRANSPORT_WAIT_H
#define LS_RUNTIME_TRANSPORT_WAIT_H

#include "runtime/transport.h"

/* `wait` of a transport by its `look`. It may return earlier than it must. */
bool ls_transport_wait(const struct ls_transport *transport, struct ls_endpoint *endpoint,
                       const struct ls_wait_files *files, double seconds);

/* Milliseconds for poll(2), rounded up; 0 for what is over, a long time for what has no end. */
int ls_transport_milliseconds(double seconds);

#endif
