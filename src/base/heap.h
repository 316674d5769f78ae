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
  uint64_t rank; /* priority << 32 | sequence number, which ls_heap_push gives */
  uint64_t payload;
};

static inline uint32_t ls_heap_priority(const struct ls_heap_item *item) {
  return (uint32_t)(item->rank >> 32);
}

/* A pop leaves a hole at the root, which the next push fills at no further cost: a simulation takes
 * the earliest event and nearly always puts one in. */
struct ls_heap {
  struct ls_heap_item *items; /* `count` of them; behind the hole if there is one */
  size_t count, capacity;
  uint32_t next_sequence;
  bool has_hole;
};

/* A heap starts as {0}. `time_s` is 0 or more (asserted: not NaN). */
LS_CHECKED enum ls_status ls_heap_push(struct ls_heap *heap, double time_s, uint32_t priority,
                                       uint64_t payload);
/* The last item comes to the hole that there is. */
void ls_heap_fill_hole(struct ls_heap *heap);
/* Takes the first item into `*item`; false when empty. */
static inline bool ls_heap_pop(struct ls_heap *heap, struct ls_heap_item *item) {
  if (heap->count == 0) return false;
  if (heap->has_hole) ls_heap_fill_hole(heap);
  *item = heap->items[0];
  heap->count--;
  heap->has_hole = true;
  return true;
}
/* The first item, borrowed until the next change; NULL when empty. */
const struct ls_heap_item *ls_heap_first(const struct ls_heap *heap);
/* All items come `by_s` >= 0 later: their order stays. */
void ls_heap_delay(struct ls_heap *heap, double by_s);
void ls_heap_close(struct ls_heap *heap);

#endif
