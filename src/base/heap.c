/* heap.c: four children to a node, since a node's children then lie in two cache lines and the heap
 * is half as deep; the earliest child is chosen without a branch that nobody can predict. */
#include "base/heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

__extension__ typedef unsigned __int128 wide;

/* The bits of two times >= 0 are ordered as the times are. Time and rank are compared as one number
 * of 128 bits: without a branch, since nobody can predict it. */
static bool comes_before(const struct ls_heap_item *a, const struct ls_heap_item *b) {
  uint64_t time_a, time_b;
  memcpy(&time_a, &a->time_s, sizeof time_a);
  memcpy(&time_b, &b->time_s, sizeof time_b);
  wide key_a = (wide)time_a << 64 | a->rank;
  wide key_b = (wide)time_b << 64 | b->rank;
  return key_a < key_b;
}

static int compare_items(const void *left, const void *right) {
  const struct ls_heap_item *a = left, *b = right;
  return comes_before(a, b) ? -1 : comes_before(b, a);
}

/* The earliest of the children that begin at `child`; `end` is one behind the last item. */
static size_t choose_child(const struct ls_heap_item *items, size_t child, size_t end) {
  if (child + LS_HEAP_CHILDREN <= end) {
    size_t left = child + comes_before(&items[child + 1], &items[child]);
    size_t right = child + 2 + comes_before(&items[child + 3], &items[child + 2]);
    return left + (right - left) * comes_before(&items[right], &items[left]);
  }
  size_t best = child;
  for (size_t i = child + 1; i < end; i++)
    if (comes_before(&items[i], &items[best])) best = i;
  return best;
}

/* Puts `item` into the hole at the root; `end` counts the hole, too. */
static void sift_down(struct ls_heap_item *items, size_t end, const struct ls_heap_item *item) {
  size_t hole = 0;
  for (size_t child = 1; child < end; child = LS_HEAP_CHILDREN * hole + 1) {
    size_t best = choose_child(items, child, end);
    if (!comes_before(&items[best], item)) break;
    items[hole] = items[best];
    hole = best;
  }
  items[hole] = *item;
}

static void sift_up(struct ls_heap_item *items, size_t hole, const struct ls_heap_item *item) {
  while (hole > 0) {
    size_t parent = (hole - 1) / LS_HEAP_CHILDREN;
    if (!comes_before(item, &items[parent])) break;
    items[hole] = items[parent];
    hole = parent;
  }
  items[hole] = *item;
}

/* The last item fills the hole that the latest pop left at the root. */
static void fill_hole(struct ls_heap *heap) {
  if (!heap->has_hole) return;
  heap->has_hole = false;
  if (heap->count > 0) {
    struct ls_heap_item last = heap->items[heap->count];
    sift_down(heap->items, heap->count, &last);
  }
}

/* Sequence numbers are used up, once in four thousand million pushes: those still here get the
 * lowest ones, in their order. A sorted array is a heap. */
static void renumber(struct ls_heap *heap) {
  fill_hole(heap);
  if (heap->count > 0) qsort(heap->items, heap->count, sizeof *heap->items, compare_items);
  for (size_t i = 0; i < heap->count; i++) {
    uint64_t priority = ls_heap_priority(&heap->items[i]);
    heap->items[i].rank = priority << 32 | i;
  }
  heap->next_sequence = (uint32_t)heap->count;
}

/* What a push seldom needs. */
static enum ls_status make_room(struct ls_heap *heap) {
  if (heap->next_sequence == UINT32_MAX) renumber(heap);
  if (heap->count >= UINT32_MAX - 1) return LS_ENOMEM;
  void *items = heap->items;
  enum ls_status status =
      ls_array_reserve(&items, &heap->capacity, heap->count + 2, sizeof *heap->items);
  heap->items = items;
  return status;
}

enum ls_status ls_heap_push(struct ls_heap *heap, double time_s, uint32_t priority,
                            uint64_t payload) {
  assert(time_s >= 0);
  if (heap->count + 2 > heap->capacity || heap->next_sequence == UINT32_MAX) {
    enum ls_status status = make_room(heap);
    if (status != LS_OK) return status;
  }
  struct ls_heap_item item = {.time_s = time_s + 0.0,
                              .rank = (uint64_t)priority << 32 | heap->next_sequence++,
                              .payload = payload};
  size_t place = heap->count++;
  if (heap->has_hole) {
    heap->has_hole = false;
    sift_down(heap->items, heap->count, &item);
  } else {
    sift_up(heap->items, place, &item);
  }
  return LS_OK;
}

bool ls_heap_pop(struct ls_heap *heap, struct ls_heap_item *item) {
  if (heap->count == 0) return false;
  fill_hole(heap);
  *item = heap->items[0];
  heap->count--;
  heap->has_hole = true;
  return true;
}

const struct ls_heap_item *ls_heap_first(const struct ls_heap *heap) {
  if (heap->count == 0) return NULL;
  if (!heap->has_hole) return &heap->items[0];
  return &heap->items[choose_child(heap->items, 1, heap->count + 1)];
}

void ls_heap_close(struct ls_heap *heap) {
  free(heap->items);
  *heap = (struct ls_heap){0};
}
