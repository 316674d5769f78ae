/* heap.h: the queue of what happens next, ordered by (time, priority, sequence number).
 *
 * Equal times are never a race: the lower priority value comes first, then what was pushed first.
 * Items carry one 64-bit payload; a caller keeps larger things elsewhere and stores their index.
 */
#ifndef LS_BASE_HEAP_H
#define LS_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_heap_item {
  double time_s;
  uint32_t priority;
  uint64_t sequence; /* given by ls_heap_push */
  uint64_t payload;
};

struct ls_heap {
  struct ls_heap_item *items;
  size_t count, capacity;
  uint64_t next_sequence;
};

/* A heap starts as {0}. `time_s` must not be NaN (asserted). */
LS_CHECKED enum ls_status ls_heap_push(struct ls_heap *heap, double time_s, uint32_t priority,
                                       uint64_t payload);
/* Takes the first item into `*item`; false when empty. */
bool ls_heap_pop(struct ls_heap *heap, struct ls_heap_item *item);
/* The first item, borrowed until the next change; NULL when empty. */
const struct ls_heap_item *ls_heap_first(const struct ls_heap *heap);
void ls_heap_close(struct ls_heap *heap);

#endif
