/* packer.h: the units of a chunk, with their input, as messages.
 *
 * A chunk leaves in several messages when one would be too large, and its input by the port where
 * it is not short, or is that of one large unit.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_PACKER_H
#define LS_RUNTIME_MASTER_SENDING_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "runtime/application.h"
#include "runtime/master/sending/outbox.h"
#include "runtime/master/sending/port.h"

struct ls_packer {
  const struct ls_app *app;
  void *state; /* of the application */
  struct ls_port *port;
  size_t unit_bytes_max; /* of one unit's input */
  struct ls_bytes input; /* of the message that is being made */
};

/* A chunk and who gets it. */
struct ls_packer_chunk {
  uint64_t chunk;
  uint32_t iteration;
  uint64_t attempts_before;                 /* of commands: at each of the units; */
  const struct ls_coordinator *coordinator; /* knows them; NULL: they are as said */
  const struct ls_range *ranges;
  size_t ranges_count;
  bool is_held; /* its results stay at the worker until they are fetched */
  struct ls_peer to;
  bool is_far;     /* over a network */
  uint32_t worker; /* its number */
  uint32_t slot;   /* of the worker, in its pool */
};

/* Borrows all until close. */
void ls_packer_init(struct ls_packer *packer, const struct ls_app *app, void *state,
                    struct ls_port *port);
/* Packs the input of the chunk's ranges and posts them. The application's own failure, or
 * LS_EINVAL: the input of one unit is too large; messages of the chunk may have been posted. */
LS_CHECKED enum ls_status ls_packer_post(struct ls_packer *packer,
                                         const struct ls_packer_chunk *chunk,
                                         struct ls_outbox *outbox, struct ls_error *err);
void ls_packer_close(struct ls_packer *packer);

#endif
