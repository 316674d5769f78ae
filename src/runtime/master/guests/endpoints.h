/* endpoints.h: the ends at which a master listens, one or several, of any transports.
 *
 * A peer is known by the end that it came to and by the number that this end's transport gave it.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_ENDPOINTS_H
#define LS_RUNTIME_MASTER_GUESTS_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "protocol/message.h"
#include "runtime/transport/transport.h"

/* Who sends frames to a master and gets some. */
struct ls_peer {
  uint32_t endpoint; /* index of the end */
  uint64_t number;   /* there */
};

struct ls_endpoints_item {
  const struct ls_transport *transport;
  struct ls_endpoint *endpoint;
};

/* Starts as {0}. */
struct ls_endpoints {
  struct ls_endpoints_item *items;
  size_t count, capacity;
  size_t next; /* the end that is asked first for the next frame: each gets its turn */
};

/* One end more, which gets the next index; `curve` as transport.h has it. */
LS_CHECKED enum ls_status ls_endpoints_listen(struct ls_endpoints *endpoints,
                                              const struct ls_transport *transport,
                                              const char *address, const struct ls_curve *curve,
                                              struct ls_error *err);
/* The address that workers connect to at the end of this index. Borrowed. */
const char *ls_endpoints_address(const struct ls_endpoints *endpoints, uint32_t index);
/* Does a network lie between this end and its workers? */
bool ls_endpoints_is_far(const struct ls_endpoints *endpoints, uint32_t index);
/* Never waits; LS_EIO: the peer is gone, and nothing happens. */
LS_CHECKED enum ls_status ls_endpoints_send(struct ls_endpoints *endpoints, struct ls_peer to,
                                            const void *data, size_t length, struct ls_error *err);
/* The same without a copy, for megabytes: transport.h, lend. The loan ends in any case. */
LS_CHECKED enum ls_status ls_endpoints_lend(struct ls_endpoints *endpoints, struct ls_peer to,
                                            const struct ls_blob *data, const struct ls_loan *loan,
                                            struct ls_error *err);
/* The next frame of any end without waiting, borrowed until the next receive; false: there is none
 * now. */
bool ls_endpoints_receive(struct ls_endpoints *endpoints, struct ls_peer *from,
                          struct ls_frame *frame);
/* The peer whose frame was received last is a worker of ours: transport.h, admit. */
void ls_endpoints_admit(struct ls_endpoints *endpoints, struct ls_peer peer);
/* The peer has been silent for too long: transport.h, give_up. */
void ls_endpoints_give_up(struct ls_endpoints *endpoints, struct ls_peer peer);
/* What was kept from the master so far, at all ends. */
struct ls_strangers ls_endpoints_strangers(const struct ls_endpoints *endpoints);
/* Waits at most `seconds` (or less) for a frame at any end or for one of `files` (poll(2), POLLIN);
 * interrupted by signals. `ready[i]` is set for each file. */
void ls_endpoints_wait(struct ls_endpoints *endpoints, const int *files, size_t files_count,
                       bool *ready, double seconds);
/* Each sends what is queued for at most `linger_s`. */
void ls_endpoints_close(struct ls_endpoints *endpoints, double linger_s);

#endif
