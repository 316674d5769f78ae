#include "runtime/worker/broadcast.h"

/* A piece without an earlier one begins anew: the connection may have been cut in between. */
static enum ls_status begin(struct ls_broadcast *broadcast, const struct ls_message *piece,
                            struct ls_error *err) {
  if (broadcast->has_begun && piece->iteration < broadcast->iteration) {
    return ls_fail(err, LS_ECORRUPT, "a broadcast of iteration %u after that of iteration %u",
                   piece->iteration, broadcast->iteration);
  }
  ls_bytes_clear(&broadcast->bytes);
  broadcast->iteration = piece->iteration;
  broadcast->has_begun = true;
  broadcast->is_whole = false;
  return LS_OK;
}

enum ls_status ls_broadcast_add(struct ls_broadcast *broadcast, const struct ls_message *piece,
                                struct ls_error *err) {
  if (ls_broadcast_has(broadcast, piece->iteration)) return LS_OK;
  enum ls_status status = piece->offset == 0 ? begin(broadcast, piece, err) : LS_OK;
  if (status != LS_OK) return status;
  size_t length = broadcast->bytes.length, more = piece->input.length;
  bool is_next = broadcast->has_begun && piece->iteration == broadcast->iteration &&
                 piece->offset == length && more <= piece->total && length <= piece->total - more;
  if (!is_next || (more == 0 && piece->total > 0)) {
    return ls_fail(err, LS_ECORRUPT,
                   "a broadcast goes on with %zu bytes at %llu of %llu, expected those at %zu",
                   more, (unsigned long long)piece->offset, (unsigned long long)piece->total,
                   length);
  }
  if (more > 0) ls_bytes_append(&broadcast->bytes, piece->input.data, more);
  if (broadcast->bytes.failed) {
    broadcast->has_begun = false;
    return ls_fail(err, LS_ENOMEM, "out of memory for a broadcast of %llu bytes",
                   (unsigned long long)piece->total);
  }
  broadcast->is_whole = broadcast->bytes.length == piece->total;
  return LS_OK;
}

bool ls_broadcast_has(const struct ls_broadcast *broadcast, uint32_t iteration) {
  return broadcast->is_whole && broadcast->iteration == iteration;
}

void ls_broadcast_close(struct ls_broadcast *broadcast) {
  ls_bytes_close(&broadcast->bytes);
  *broadcast = (struct ls_broadcast){0};
}
