/* heap.c: four children to a node, since a node's children then lie in two cache lines and the heap
 * is half as deep; the earliest child is chosen without a branch that nobody can predict. */
#include "base/heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { CHILDREN = 4 }; /* of a node */

__extension__ typedef unsigned __int128 wide;

/* The bits of two times >= 0 are ordered as the times are. */
struct key {
  uint64_t time_bits, rank;
};

static inline struct key read_key(const struct ls_heap_item *item) {
  struct key key = {.rank = item->rank};
  memcpy(&key.time_bits, &item->time_s, sizeof key.time_bits);
  return key;
}

/* Time and rank are compared as one number of 128 bits: without a branch, since nobody can predict
 * it. */
static inline bool is_before(struct key a, struct key b) {
  return ((wide)a.time_bits << 64 | a.rank) < ((wide)b.time_bits << 64 | b.rank);
}

static int compare_items(const void *left, const void *right) {
  struct key a = read_key(left), b = read_key(right);
  return is_before(a, b) ? -1 : is_before(b, a);
}

/* `b` where all bits of `mask` are set, `a` where none is. */
static inline uint64_t choose(uint64_t mask, uint64_t a, uint64_t b) {
  return a ^ ((a ^ b) & mask);
}

/* The key of the earlier of two neighbours; `*mask` tells whether it is the second. The keys go on
 * to the next comparison, which need not wait for memory again. */
static inline struct key choose_of_two(const struct ls_heap_item *two, uint64_t *mask) {
  struct key a = read_key(&two[0]), b = read_key(&two[1]);
  *mask = (uint64_t)0 - (uint64_t)is_before(b, a);
  return (struct key){.time_bits = a.time_bits < b.time_bits ? a.time_bits : b.time_bits,
                      .rank = choose(*mask, a.rank, b.rank)};
}

/* The earliest of the items from `first` on, of which there are four; the masks are 0 or -1. */
static inline size_t choose_of_four(const struct ls_heap_item *items, size_t first) {
  uint64_t left, right;
  struct key a = choose_of_two(&items[first], &left);
  struct key b = choose_of_two(&items[first + 2], &right);
  uint64_t mask = (uint64_t)0 - (uint64_t)is_before(b, a);
  return first + choose(mask, 0 - left, 2 - right);
}

/* The earliest of the items from `first` to the one before `end`. */
static size_t choose_of_few(const struct ls_heap_item *items, size_t first, size_t end) {
  size_t best = first;
  for (size_t i = first + 1; i < end; i++)
    if (is_before(read_key(&items[i]), read_key(&items[best]))) best = i;
  return best;
}

/* Puts `item` into the hole at the root; `end` counts the hole, too. */
static inline void sift_down(struct ls_heap_item *items, size_t end, struct ls_heap_item item) {
  struct key key = read_key(&item);
  size_t hole = 0, child = 1;
  for (; child + CHILDREN <= end; child = CHILDREN * hole + 1) {
    size_t best = choose_of_four(items, child);
    if (!is_before(read_key(&items[best]), key)) {
      items[hole] = item;
      return;
    }
    items[hole] = items[best];
    hole = best;
  }
  if (child < end) {
    size_t best = choose_of_few(items, child, end);
    if (is_before(read_key(&items[best]), key)) {
      items[hole] = items[best];
      hole = best;
    }
  }
  items[hole] = item;
}

static inline void sift_up(struct ls_heap_item *items, size_t hole, struct ls_heap_item item) {
  struct key key = read_key(&item);
  while (hole > 0) {
    size_t parent = (hole - 1) / CHILDREN;
    if (!is_before(key, read_key(&items[parent]))) break;
    items[hole] = items[parent];
    hole = parent;
  }
  items[hole] = item;
}

void ls_heap_fill_hole(struct ls_heap *heap) {
  assert(heap->has_hole);
  heap->has_hole = false;
  if (heap->count > 0) sift_down(heap->items, heap->count, heap->items[heap->count]);
}

/* Sequence numbers are used up, once in four thousand million pushes: those still here get the
 * lowest ones, in their order. A sorted array is a heap. */
static void renumber(struct ls_heap *heap) {
  if (heap->has_hole) ls_heap_fill_hole(heap);
  if (heap->count > 0) qsort(heap->items, heap->count, sizeof *heap->items, compare_items);
  for (size_t i = 0; i < heap->count; i++) {
    uint64_t priority = ls_heap_priority(&heap->items[i]);
    heap->items[i].rank = priority << 32 | i;
  }
  heap->next_sequence = (uint32_t)heap->count;
}

/* The part of a push that is seldom needed. */
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
    sift_down(heap->items, place + 1, item);
  } else {
    sift_up(heap->items, place, item);
  }
  return LS_OK;
}

const struct ls_heap_item *ls_heap_first(const struct ls_heap *heap) {
  if (heap->count == 0) return NULL;
  if (!heap->has_hole) return &heap->items[0];
  if (heap->count < CHILDREN) return &heap->items[choose_of_few(heap->items, 1, heap->count + 1)];
  return &heap->items[choose_of_four(heap->items, 1)];
}

void ls_heap_delay(struct ls_heap *heap, double by_s) {
  assert(by_s >= 0);
  if (heap->has_hole) ls_heap_fill_hole(heap);
  for (size_t i = 0; i < heap->count; i++) heap->items[i].time_s += by_s;
}

void ls_heap_close(struct ls_heap *heap) {
  free(heap->items);
  *heap = (struct ls_heap){0};
}
