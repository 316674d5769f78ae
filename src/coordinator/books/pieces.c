/* pieces.c: lists of ranges in one store. */
#include "coordinator/books/pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

void ls_pieces_init(struct ls_piece_store *store) {
  *store = (struct ls_piece_store){.free_first = LS_INDEX_NONE};
}

void ls_pieces_close(struct ls_piece_store *store) {
  free(store->items);
  ls_pieces_init(store);
}

enum ls_status ls_pieces_reserve(struct ls_piece_store *store, size_t more) {
  assert(store->live <= store->used && store->used <= store->capacity);
  if (more <= store->capacity - store->live) return LS_OK;
  if (more >= LS_INDEX_NONE - store->live) return LS_ENOMEM;
  void *items = store->items;
  enum ls_status status =
      ls_array_reserve(&items, &store->capacity, store->live + more, sizeof *store->items);
  store->items = items;
  return status;
}

void ls_pieces_clear(struct ls_piece_store *store) {
  store->used = 0;
  store->live = 0;
  store->free_first = LS_INDEX_NONE;
}

static uint32_t take(struct ls_piece_store *store, struct ls_range units, uint32_t next) {
  uint32_t piece = store->free_first;
  assert(units.count > 0);
  if (piece != LS_INDEX_NONE) {
    store->free_first = store->items[piece].next;
  } else {
    assert(store->used < store->capacity);
    piece = store->used++;
  }
  store->live++;
  store->items[piece] = (struct ls_piece){units, next};
  return piece;
}

static void drop(struct ls_piece_store *store, uint32_t piece) {
  assert(piece < store->used && store->live > 0);
  store->items[piece].next = store->free_first;
  store->free_first = piece;
  store->live--;
}

/* Are the units that follow each other in one lane? */
static bool are_alike(const struct ls_piece_store *store, uint64_t last, uint64_t next) {
  return last + 1 == next &&
         (store->lane_of == NULL || store->lane_of[last] == store->lane_of[next]);
}

void ls_piece_append(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_range units) {
  if (list->count > 0) {
    struct ls_range *last = &store->items[list->last].units;
    if (are_alike(store, last->first + last->count - 1, units.first)) {
      last->count += units.count;
      return;
    }
  }
  uint32_t piece = take(store, units, LS_INDEX_NONE);
  if (list->count > 0) {
    store->items[list->last].next = piece;
  } else {
    list->first = piece;
  }
  list->last = piece;
  list->count++;
}

void ls_piece_prepend(struct ls_piece_store *store, struct ls_piece_list *list,
                      struct ls_range units) {
  list->first = take(store, units, list->first);
  if (list->count == 0) list->last = list->first;
  list->count++;
}

/* The piece behind `previous` (LS_INDEX_NONE: the first one) leaves the list. */
static void remove_piece(struct ls_piece_store *store, struct ls_piece_list *list,
                         uint32_t previous) {
  uint32_t piece = previous == LS_INDEX_NONE ? list->first : store->items[previous].next;
  uint32_t next = store->items[piece].next;
  assert(list->count > 0);
  if (previous == LS_INDEX_NONE) {
    list->first = next;
  } else {
    store->items[previous].next = next;
  }
  if (list->last == piece) list->last = previous;
  list->count--;
  drop(store, piece);
}

struct ls_range ls_piece_pop(struct ls_piece_store *store, struct ls_piece_list *list) {
  assert(list->count > 0);
  struct ls_range units = store->items[list->first].units;
  remove_piece(store, list, LS_INDEX_NONE);
  return units;
}

void ls_piece_splice(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_piece_list *tail) {
  assert(list != tail);
  if (tail->count == 0) return;
  if (list->count > 0) {
    store->items[list->last].next = tail->first;
    list->last = tail->last;
    list->count += tail->count;
  } else {
    *list = *tail;
  }
  ls_piece_list_init(tail);
}

bool ls_piece_cut(struct ls_piece_store *store, struct ls_piece_list *list,
                  const struct ls_range *wanted, struct ls_range *taken) {
  uint32_t previous = LS_INDEX_NONE, piece = list->first;
  for (; piece != LS_INDEX_NONE; previous = piece, piece = store->items[piece].next) {
    *taken = ls_range_meet(&store->items[piece].units, wanted);
    if (taken->count > 0) break;
  }
  if (piece == LS_INDEX_NONE) return false;
  struct ls_range *units = &store->items[piece].units;
  uint64_t end = units->first + units->count, taken_end = taken->first + taken->count;
  if (taken->count == units->count) {
    remove_piece(store, list, previous);
  } else if (taken->first == units->first) {
    *units = (struct ls_range){taken_end, end - taken_end};
  } else {
    units->count = taken->first - units->first;
    if (taken_end == end) return true;
    struct ls_range rest = {taken_end, end - taken_end};
    uint32_t behind = take(store, rest, store->items[piece].next);
    store->items[piece].next = behind;
    if (list->last == piece) list->last = behind;
    list->count++;
  }
  return true;
}

bool ls_piece_list_has(const struct ls_piece_store *store, const struct ls_piece_list *list,
                       uint64_t unit) {
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = store->items[i].next) {
    const struct ls_range *range = &store->items[i].units;
    if (unit >= range->first && unit - range->first < range->count) return true;
  }
  return false;
}
