#include "base/heap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static bool comes_before(const struct ls_heap_item *a, const struct ls_heap_item *b) {
  if (a->time_s < b->time_s) return true;
  if (a->time_s > b->time_s) return false;
  if (a->priority != b->priority) return a->priority < b->priority;
  return a->sequence < b->sequence;
}

enum ls_status ls_heap_push(struct ls_heap *heap, double time_s, uint32_t priority,
                            uint64_t payload) {
  assert(!isnan(time_s));
  void *items = heap->items;
  enum ls_status status =
      ls_array_reserve(&items, &heap->capacity, heap->count + 1, sizeof *heap->items);
  if (status != LS_OK) return status;
  heap->items = items;
  struct ls_heap_item item = {.time_s = time_s,
                              .priority = priority,
                              .sequence = heap->next_sequence++,
                              .payload = payload};
  size_t hole = heap->count++;
  while (hole > 0) {
    size_t parent = (hole - 1) / 2;
    if (!comes_before(&item, &heap->items[parent])) break;
    heap->items[hole] = heap->items[parent];
    hole = parent;
  }
  heap->items[hole] = item;
  return LS_OK;
}

bool ls_heap_pop(struct ls_heap *heap, struct ls_heap_item *item) {
  if (heap->count == 0) return false;
  *item = heap->items[0];
  struct ls_heap_item last = heap->items[--heap->count];
  size_t hole = 0;
  for (;;) {
    size_t child = 2 * hole + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && comes_before(&heap->items[child + 1], &heap->items[child])) {
      child++;
    }
    if (!comes_before(&heap->items[child], &last)) break;
    heap->items[hole] = heap->items[child];
    hole = child;
  }
  heap->items[hole] = last;
  return true;
}

const struct ls_heap_item *ls_heap_first(const struct ls_heap *heap) {
  return heap->count == 0 ? NULL : &heap->items[0];
}

void ls_heap_close(struct ls_heap *heap) {
  free(heap->items);
  *heap = (struct ls_heap){0};
}
