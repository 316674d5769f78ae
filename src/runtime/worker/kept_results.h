/* kept_results.h: results that a worker keeps until its master needs them no more.
 *
 * A queue of encoded RESULTs in the order in which they leave; large outputs stay in their files,
 * which are the queue's from then on.  A result goes when it is durable at the master, or moves to
 * another queue when its chunk is fetched.  What is open is bounded by its owner: see is_full.
 */
#ifndef LS_RUNTIME_WORKER_KEPT_RESULTS_H
#define LS_RUNTIME_WORKER_KEPT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "protocol/message.h"

enum {
  LS_KEPT_COUNT_MAX = 4096,
  LS_KEPT_BYTES_MAX = 64 << 20, /* in memory and in files */
  LS_KEPT_FILES_MAX = 64
};

/* An output in a file of its own, read with pread. */
struct ls_result_file {
  int file;
  uint64_t bytes;
  uint8_t stream; /* enum ls_stream */
};

struct ls_kept_result {
  uint64_t chunk;
  struct ls_range units;
  size_t offset, length;        /* of its message */
  struct ls_result_file *files; /* owned */
  size_t files_count;
};

/* Starts as {0}. */
struct ls_kept_results {
  struct ls_kept_result *items; /* from `first` on */
  size_t first, count, capacity;
  struct ls_bytes bytes; /* the messages; what precedes that of the first item is of no use */
  uint64_t open_bytes;   /* of all messages and files */
  size_t files;
};

/* Encodes the RESULT and takes its files over, also on failure. Out of memory: `bytes.failed` is
 * set and stays so. */
void ls_kept_results_add(struct ls_kept_results *kept, const struct ls_message *result,
                         const struct ls_result_file *files, size_t files_count);
/* The item at `index`, 0 the oldest. Borrowed until the next change. */
const struct ls_kept_result *ls_kept_results_at(const struct ls_kept_results *kept, size_t index);
struct ls_blob ls_kept_results_message(const struct ls_kept_results *kept, size_t index);
/* Forgets the oldest `count` ones. */
void ls_kept_results_drop(struct ls_kept_results *kept, size_t count);
/* Forgets all but the oldest `count` ones. */
void ls_kept_results_truncate(struct ls_kept_results *kept, size_t count);
/* The results of this chunk go to the end of `to`; returns how many. */
size_t ls_kept_results_move(struct ls_kept_results *kept, uint64_t chunk,
                            struct ls_kept_results *to);
/* As many as may be open. One that is larger than all the room is open alone. */
bool ls_kept_results_is_full(const struct ls_kept_results *kept);
void ls_kept_results_close(struct ls_kept_results *kept);

#endif
