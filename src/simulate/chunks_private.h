/* chunks_private.h: the table of live chunks.
 */
#ifndef LS_SIMULATE_CHUNKS_PRIVATE_H
#define LS_SIMULATE_CHUNKS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "coordinator/action.h"

struct ls_engine;

/* A live chunk, in one cache line. The entry is used again once it is not needed any more. */
struct ls_engine_chunk {
  uint64_t number; /* the coordinator's, which is that of the decision */
  uint64_t units, units_left, units_done;
  struct ls_range first;   /* of a chunk that is one range, its range */
  struct ls_range *ranges; /* of any other; kept for the next chunk of this entry */
  uint32_t ranges_count, ranges_capacity;
  uint32_t worker, epoch;
  uint32_t next_free;
  uint32_t iteration; /* a replica that is not wanted may run into the next one */
  bool is_held;       /* its results stay at the worker until they are fetched */
  bool is_weightless; /* its reply takes no time */
  bool has_arrived;
  bool is_staged;   /* its worker has its input, or needs none */
  bool is_fetched;  /* before it arrived */
  bool is_followed; /* by another one of the same answer */
};

/* The chunk of a SEND, or LS_ENGINE_NONE on failure. */
uint32_t ls_engine_chunk_add(struct ls_engine *engine, const struct ls_action *action);
/* Prefix sums of the work of an iteration's tasks, the present one or an earlier one; NULL: all 1.
 */
const double *ls_engine_work_sums(const struct ls_engine *engine, uint32_t iteration);

#endif
