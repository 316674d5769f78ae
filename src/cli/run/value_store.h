/* value_store.h: the values of a stream of inputs, by number.
 *
 * They stand in blocks of consecutive values.  Without a journal a block goes once all of its
 * values were released, so memory is bounded by what was read and is not done.  With one every
 * value is kept there, and memory holds the blocks that were used last, some tens of thousands of
 * values or 16 MiB; others are read again when they are asked for.
 */
#ifndef LS_CLI_VALUE_STORE_H
#define LS_CLI_VALUE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "runtime/journal/journal.h"

struct ls_value_block;

/* Starts as {0}. */
struct ls_value_store {
  struct ls_value_block *blocks;
  size_t blocks_count, blocks_capacity;
  uint64_t count;             /* values so far */
  struct ls_journal *journal; /* borrowed; NULL: all stays in memory until it is released */
  uint64_t kept;              /* values that it has */
  size_t *loaded;             /* the blocks in memory, with a journal */
  size_t loaded_count, loaded_capacity;
  uint64_t bytes, turn; /* in these; uses so far */
};

/* Appends a value; without the zero byte, of which it has none. LS_ENOMEM, or the journal's. */
LS_CHECKED enum ls_status ls_value_store_add(struct ls_value_store *store, const char *text,
                                             size_t length, struct ls_error *err);
/* A value below the count that was not released. Borrowed until the next call. */
LS_CHECKED enum ls_status ls_value_store_read(struct ls_value_store *store, uint64_t index,
                                              const char **value, struct ls_error *err);
/* Values that nobody will ask for again; each once. */
void ls_value_store_release(struct ls_value_store *store, struct ls_range values);
/* The empty store has the values of the journal, so many, and is to keep later ones there. */
LS_CHECKED enum ls_status ls_value_store_record(struct ls_value_store *store,
                                                struct ls_journal *journal, uint64_t known,
                                                struct ls_error *err);
/* Appends to the journal what it does not have; afterwards memory is bounded. */
void ls_value_store_keep(struct ls_value_store *store);
void ls_value_store_close(struct ls_value_store *store);

#endif
