/* outbox.h: messages of a round, encoded, until its commit.
 *
 * Sticky: the first failure is kept, later posts are ignored, and sending reports it.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_OUTBOX_H
#define LS_RUNTIME_MASTER_SENDING_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/message.h"
#include "runtime/master/guests/endpoints.h"

/* A frame to be sent: bytes of the outbox, or borrowed ones, or large ones of its own. */
struct ls_outgoing {
  struct ls_peer to;
  const char *borrowed; /* NULL: its own, or at `offset` of the outbox */
  char *own;            /* megabytes that leave without a further copy; NULL: not its own */
  size_t offset, length;
  bool is_open; /* chunks only: the next chunk for the same peer may join this frame */
};

/* Starts as {0}. */
struct ls_outbox {
  struct ls_bytes bytes;
  struct ls_outgoing *items;
  size_t count, capacity;
  struct ls_peer *gone; /* peers that the last sending did not find */
  size_t gone_count, gone_capacity;
  uint64_t messages; /* posted in all */
  size_t waiting;    /* bytes that were posted and not sent */
  bool has_failed;   /* no memory */
};

void ls_outbox_post(struct ls_outbox *outbox, struct ls_peer to, const struct ls_message *message);
/* A message that was encoded elsewhere; borrowed until it is sent. */
void ls_outbox_post_encoded(struct ls_outbox *outbox, struct ls_peer to, const char *data,
                            size_t length);
/* So much waits that it had better leave before more is posted. */
bool ls_outbox_is_full(const struct ls_outbox *outbox);
/* Sends all frames and forgets them. A peer that is gone is no failure: it is noted. */
LS_CHECKED enum ls_status ls_outbox_send(struct ls_outbox *outbox, struct ls_endpoints *endpoints,
                                         struct ls_error *err);
void ls_outbox_close(struct ls_outbox *outbox);

#endif
