/* packer.h: the units of a chunk, with their input, as messages.
 *
 * A chunk leaves in several messages when one would be too large.
 */
#ifndef LS_RUNTIME_PACKER_H
#define LS_RUNTIME_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "runtime/application.h"
#include "runtime/outbox.h"

struct ls_packer {
  const struct ls_app *app;
  void *state;           /* of the application */
  struct ls_bytes input; /* of the message that is being made */
};

/* A chunk and who gets it. */
struct ls_packer_chunk {
  uint64_t chunk;
  uint32_t iteration;
  const struct ls_range *ranges;
  size_t ranges_count;
  bool is_held; /* its results stay at the worker until they are fetched */
  struct ls_peer to;
  uint32_t slot; /* of the worker, in its pool */
};

/* Borrows both until close. */
void ls_packer_init(struct ls_packer *packer, const struct ls_app *app, void *state);
/* Packs the input of the chunk's ranges and posts them. The application's own failure, or
 * LS_EINVAL: the input of one unit is too large; messages of the chunk may have been posted. */
LS_CHECKED enum ls_status ls_packer_post(struct ls_packer *packer,
                                         const struct ls_packer_chunk *chunk,
                                         struct ls_outbox *outbox, struct ls_error *err);
void ls_packer_close(struct ls_packer *packer);

#endif
