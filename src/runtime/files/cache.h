/* cache.h: the contents that a machine has of the files of a run, in the folder of the run.
 *
 * A file is named by its content, and is there whole or not at all.  All workers of the run on the
 * machine share it: they link what they need, which pins it, and whoever needs room removes what
 * nobody has linked and was used least recently.  Files are read-only; one that a task has
 * changed all the same does not count as there.
 */
#ifndef LS_RUNTIME_FILES_CACHE_H
#define LS_RUNTIME_FILES_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/os/content.h"
#include "runtime/os/scratch.h"

/* Starts as {.files = -1, .pins = -1}. */
struct ls_cache {
  const struct ls_scratch *scratch;
  int files;          /* the folder of them; -1: not open */
  int pins;           /* the folder of this worker's links, locked; -1: not open */
  char pins_name[32]; /* in the folder of the run */
  uint64_t bytes_max; /* of all files */
};

/* A content that arrives. Starts as {.file = -1}. */
struct ls_cache_arrival {
  int file; /* -1: none */
  unsigned char name[LS_CONTENT_BYTES];
  uint64_t bytes, received;
  struct ls_content content;
};

/* `bytes_max` 0: a tenth of what is free. LS_EIO. */
LS_CHECKED enum ls_status ls_cache_open(struct ls_cache *cache, const struct ls_scratch *scratch,
                                        uint64_t bytes_max, struct ls_error *err);
void ls_cache_close(struct ls_cache *cache);

/* Is a content there? Then it stays until it is unpinned. */
bool ls_cache_pin(struct ls_cache *cache, const unsigned char name[LS_CONTENT_BYTES],
                  uint64_t bytes);
void ls_cache_unpin(struct ls_cache *cache, const unsigned char name[LS_CONTENT_BYTES]);
/* Who holds the turn may bring files; one worker of a machine at a time. A descriptor, which the
 * holder closes; -1: somebody else has it. */
int ls_cache_take_turn(const struct ls_cache *cache);

/* Holding the turn: removes files until so many bytes fit. LS_EBUSY: all that is there is pinned.
 */
LS_CHECKED enum ls_status ls_cache_make_room(struct ls_cache *cache, uint64_t bytes,
                                             struct ls_error *err);
/* Holding the turn: begins a content of so many bytes, goes on with it and ends it. LS_EIO: there
 * is no space for it. The end of one that is none of its name is LS_ECORRUPT. */
LS_CHECKED enum ls_status ls_cache_begin(struct ls_cache *cache, struct ls_cache_arrival *arrival,
                                         const unsigned char name[LS_CONTENT_BYTES], uint64_t bytes,
                                         struct ls_error *err);
LS_CHECKED enum ls_status ls_cache_add(struct ls_cache_arrival *arrival, const void *data,
                                       size_t length, struct ls_error *err);
LS_CHECKED enum ls_status ls_cache_end(struct ls_cache *cache, struct ls_cache_arrival *arrival,
                                       struct ls_error *err);
void ls_cache_abandon(struct ls_cache *cache, struct ls_cache_arrival *arrival);

/* Puts a file that is there into a sandbox, under its name there. LS_EINVAL: the name leads out of
 * it; LS_EIO: something stands in its way. */
LS_CHECKED enum ls_status ls_cache_link(const struct ls_cache *cache,
                                        const struct ls_staged_input *input, int sandbox,
                                        struct ls_error *err);

#endif
