/* transport_zmq_address.h: which addresses a transport takes, and what lies behind them.
 *
 * Threads may call all functions at once.
 */
#ifndef LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_ADDRESS_H
#define LS_RUNTIME_TRANSPORT_TRANSPORT_ZMQ_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { LS_ADDRESS_BYTES = 256 }; /* with the zero at the end */

/* "ipc://" ? */
bool ls_address_has_scheme(const char *address, const char *scheme);
/* LS_EINVAL names the address and what was expected. */
LS_CHECKED enum ls_status ls_address_check(const char *address, struct ls_error *err);
/* May a socket listen on this address of ipc? LS_EINVAL: a file that is no socket is there;
 * LS_EBUSY: a process serves it. */
LS_CHECKED enum ls_status ls_address_check_path(const char *address, struct ls_error *err);
/* The host of a tcp address that was checked, without the brackets of IPv6; returns its port. */
const char *ls_address_split(const char *address, char host[LS_ADDRESS_BYTES]);
/* Is the host of this tcp address known? LS_EIO names it and says why not. May ask the network. */
LS_CHECKED enum ls_status ls_address_resolve(const char *address, struct ls_error *err);

#endif
