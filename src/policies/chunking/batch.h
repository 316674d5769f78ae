/* batch.h: what the kin of factoring share: a size that holds for p consecutive requests.
 */
#ifndef LS_POLICIES_CHUNKING_BATCH_H
#define LS_POLICIES_CHUNKING_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/chunking/rounding.h"

/* An open batch; starts as {0}, which is a batch that is used up. */
struct ls_batch {
  uint64_t chunk_units;
  size_t requests_left;
};

/* hummel1992 with x = 2: ceil(R/(2p)), at least 1. */
static inline uint64_t ls_batch_halve(uint64_t units_unassigned, size_t workers) {
  return ls_units_max(ls_divide_up(units_unassigned, 2 * (uint64_t)workers), 1);
}

/* Must a batch be opened before the next request is served? */
static inline bool ls_batch_is_used_up(const struct ls_batch *batch) {
  return batch->requests_left == 0;
}

static inline void ls_batch_open(struct ls_batch *batch, uint64_t chunk_units, size_t workers) {
  *batch = (struct ls_batch){ls_units_max(chunk_units, 1), workers};
}

/* The next chunk of a batch that is not used up. */
static inline uint64_t ls_batch_take(struct ls_batch *batch) {
  batch->requests_left--;
  return batch->chunk_units;
}

#endif
