/* outbox.c: messages become frames, which wait for the commit of their round. */
#include "runtime/master/sending/outbox.h"

#include <stdlib.h>

#include "base/array.h"

/* As long as chunks for one worker may join in one frame. */
enum { JOINED_BYTES_MAX = 256 << 10 };

/* So much leaves at once: packing more takes longer than a commit. */
enum { FULL_BYTES = 256 << 10 };

/* From here on a copy costs more than an allocation. */
enum { LARGE_BYTES = 1 << 20 };

/* Many small chunks for one worker travel in one frame: the network's price is per frame. */
static bool join_frame(struct ls_outbox *outbox, struct ls_peer to, size_t length) {
  if (outbox->count == 0) return false;
  struct ls_outgoing *last = &outbox->items[outbox->count - 1];
  if (!last->is_open || last->to.endpoint != to.endpoint || last->to.number != to.number ||
      last->length + length > JOINED_BYTES_MAX) {
    return false;
  }
  last->length += length;
  return true;
}

static bool reserve(struct ls_outbox *outbox) {
  if (outbox->has_failed) return false;
  if (ls_array_reserve((void **)&outbox->items, &outbox->capacity, outbox->count + 1,
                       sizeof *outbox->items) != LS_OK) {
    outbox->has_failed = true;
  }
  return !outbox->has_failed;
}

/* A frame of its own, whose bytes the transport takes over. */
static void post_large(struct ls_outbox *outbox, struct ls_peer to,
                       const struct ls_message *message) {
  struct ls_bytes own = {0};
  ls_message_encode(message, &own);
  if (own.failed) {
    ls_bytes_close(&own);
    outbox->has_failed = true;
    return;
  }
  ++outbox->messages;
  outbox->waiting += own.length;
  outbox->items[outbox->count++] =
      (struct ls_outgoing){.to = to, .own = own.data, .length = own.length};
}

void ls_outbox_post(struct ls_outbox *outbox, struct ls_peer to, const struct ls_message *message) {
  if (!reserve(outbox)) return;
  if (message->kind == LS_MESSAGE_CHUNK && message->input.length >= LARGE_BYTES) {
    post_large(outbox, to, message);
    return;
  }
  size_t offset = outbox->bytes.length;
  ls_message_encode(message, &outbox->bytes);
  if (outbox->bytes.failed) {
    outbox->has_failed = true;
    return;
  }
  bool is_chunk = message->kind == LS_MESSAGE_CHUNK;
  size_t length = outbox->bytes.length - offset;
  ++outbox->messages;
  outbox->waiting += length;
  if (is_chunk && join_frame(outbox, to, length)) return;
  outbox->items[outbox->count++] =
      (struct ls_outgoing){.to = to, .offset = offset, .length = length, .is_open = is_chunk};
}

void ls_outbox_post_encoded(struct ls_outbox *outbox, struct ls_peer to, const char *data,
                            size_t length) {
  if (!reserve(outbox)) return;
  ++outbox->messages;
  outbox->waiting += length;
  outbox->items[outbox->count++] =
      (struct ls_outgoing){.to = to, .borrowed = data, .length = length};
}

bool ls_outbox_is_full(const struct ls_outbox *outbox) {
  return outbox->waiting >= FULL_BYTES;
}

/* Without memory it is noticed the next time. */
static void note_gone(struct ls_outbox *outbox, struct ls_peer peer) {
  if (ls_array_reserve((void **)&outbox->gone, &outbox->gone_capacity, outbox->gone_count + 1,
                       sizeof *outbox->gone) == LS_OK) {
    outbox->gone[outbox->gone_count++] = peer;
  }
}

static enum ls_status send_one(struct ls_outbox *outbox, struct ls_endpoints *endpoints,
                               struct ls_outgoing *outgoing, struct ls_error *err) {
  if (outgoing->own != NULL) {
    const struct ls_blob blob = {outgoing->own, outgoing->length};
    const struct ls_loan loan = {free, outgoing->own};
    outgoing->own = NULL;
    return ls_endpoints_lend(endpoints, outgoing->to, &blob, &loan, err);
  }
  const char *data = outgoing->borrowed;
  if (data == NULL) data = outbox->bytes.data + outgoing->offset;
  return ls_endpoints_send(endpoints, outgoing->to, data, outgoing->length, err);
}

enum ls_status ls_outbox_send(struct ls_outbox *outbox, struct ls_endpoints *endpoints,
                              struct ls_error *err) {
  enum ls_status first = LS_OK;
  if (outbox->has_failed) return ls_fail(err, LS_ENOMEM, "out of memory for messages to send");
  outbox->gone_count = 0;
  for (size_t i = 0; i < outbox->count; ++i) {
    struct ls_error failure = {0};
    enum ls_status status = send_one(outbox, endpoints, &outbox->items[i], &failure);
    if (status == LS_EIO) note_gone(outbox, outbox->items[i].to);
    /* The answer to a frame that cannot be sent at all would be waited for without end. */
    if (status == LS_OK || status == LS_EIO || first != LS_OK) continue;
    first = status;
    if (err != NULL) *err = failure;
  }
  outbox->count = 0;
  outbox->waiting = 0;
  ls_bytes_clear(&outbox->bytes);
  return first;
}

void ls_outbox_close(struct ls_outbox *outbox) {
  for (size_t i = 0; i < outbox->count; ++i) free(outbox->items[i].own);
  ls_bytes_close(&outbox->bytes);
  free(outbox->items);
  free(outbox->gone);
  *outbox = (struct ls_outbox){0};
}
