/* block_store.h: the blocks of a stream that are not done, each in a file without a name.
 *
 * Workers of this machine read the file of a block as it is.  The first ones are in memory; what is
 * more than that goes to the folder that TMPDIR names.  A file is gone as soon as its block is
 * settled, and with this process.
 */
#ifndef LS_CLI_RUN_BLOCK_STORE_H
#define LS_CLI_RUN_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"

/* Blocks that wait in memory take so much of it. */
#define LS_BLOCK_STORE_MEMORY_BYTES ((uint64_t)512 << 20)

struct ls_stored_block {
  uint64_t offset, length; /* in the stream; of what is stored */
  int file;                /* -1: none */
  bool is_settled;         /* nobody will ask for it */
  bool is_in_memory;
};

/* Starts as {0}. */
struct ls_block_store {
  struct ls_stored_block *items; /* by number */
  size_t count, capacity;
  size_t known;          /* beyond the count: settled before they came */
  uint64_t memory_bytes; /* of files in memory */
  uint64_t bytes;        /* of all files */
};

/* Appends a block, whose place in the stream is `offset`; it is stored unless it was settled
 * before. LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_block_store_add(struct ls_block_store *store, uint64_t offset,
                                             const char *data, size_t length, struct ls_error *err);
/* Appends all that can be read of a descriptor as one block. LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_block_store_copy(struct ls_block_store *store, int file,
                                              struct ls_error *err);
/* A block that is stored; LS_EIO: it is not. Borrowed until the next call. */
LS_CHECKED enum ls_status ls_block_store_find(const struct ls_block_store *store, uint64_t number,
                                              const struct ls_stored_block **block,
                                              struct ls_error *err);
/* Appends its bytes. */
LS_CHECKED enum ls_status ls_block_store_read(const struct ls_block_store *store, uint64_t number,
                                              struct ls_bytes *out, struct ls_error *err);
/* Nobody will ask for these blocks, which may not have come yet. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_block_store_settle(struct ls_block_store *store,
                                                struct ls_range blocks, struct ls_error *err);
void ls_block_store_close(struct ls_block_store *store);

#endif
