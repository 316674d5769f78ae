/* broadcast.h: what the master broadcasts for an iteration, as its pieces arrive at a worker. */
#ifndef LS_RUNTIME_WORKER_BROADCAST_H
#define LS_RUNTIME_WORKER_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/message.h"

/* Starts as {0}. */
struct ls_broadcast {
  uint32_t iteration;
  struct ls_bytes bytes;
  bool has_begun, is_whole;
};

/* One BROADCAST; pieces of one that is whole already are no news. LS_ECORRUPT: no master sends this
 * piece now; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_broadcast_add(struct ls_broadcast *broadcast,
                                           const struct ls_message *piece, struct ls_error *err);
/* Is it there, for this iteration? */
bool ls_broadcast_has(const struct ls_broadcast *broadcast, uint32_t iteration);
void ls_broadcast_close(struct ls_broadcast *broadcast);

#endif
