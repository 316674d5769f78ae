/* waiting.c: pieces, and the units that wait. */
#include "coordinator/coordinator_private.h"

#include <string.h>

#include "base/array.h"

enum ls_status ls_pieces_reserve(struct ls_piece_store *store, size_t more) {
  assert(store->live <= store->used && store->used <= store->capacity);
  if (store->live + more >= LS_INDEX_NONE) return LS_ENOMEM;
  void *items = store->items;
  enum ls_status status =
      ls_array_reserve(&items, &store->capacity, store->live + more, sizeof *store->items);
  store->items = items;
  return status;
}

void ls_piece_list_init(struct ls_piece_list *list) {
  assert(list != NULL);
  *list = (struct ls_piece_list){LS_INDEX_NONE, LS_INDEX_NONE, 0};
}

uint32_t ls_piece_take(struct ls_piece_store *store, uint64_t first, uint64_t count) {
  assert(count > 0);
  uint32_t piece = store->free_first;
  if (piece != LS_INDEX_NONE) {
    store->free_first = store->items[piece].next;
  } else {
    assert(store->used < store->capacity);
    piece = store->used++;
  }
  store->live++;
  store->items[piece] = (struct ls_piece){{first, count}, LS_INDEX_NONE};
  return piece;
}

void ls_piece_drop(struct ls_piece_store *store, uint32_t piece) {
  assert(piece < store->used && store->live > 0);
  store->items[piece].next = store->free_first;
  store->free_first = piece;
  store->live--;
}

void ls_piece_append(struct ls_piece_store *store, struct ls_piece_list *list, uint64_t first,
                     uint64_t count) {
  assert(count > 0);
  if (list->pieces > 0) {
    struct ls_range *last = &store->items[list->last].units;
    if (last->first + last->count == first) {
      last->count += count;
      return;
    }
  }
  uint32_t piece = ls_piece_take(store, first, count);
  if (list->pieces > 0) {
    store->items[list->last].next = piece;
  } else {
    list->first = piece;
  }
  list->last = piece;
  list->pieces++;
}

void ls_piece_splice(struct ls_piece_store *store, struct ls_piece_list *list,
                     struct ls_piece_list *tail) {
  assert(list != tail);
  if (tail->pieces == 0) return;
  if (list->pieces > 0) {
    store->items[list->last].next = tail->first;
    list->last = tail->last;
    list->pieces += tail->pieces;
  } else {
    *list = *tail;
  }
  ls_piece_list_init(tail);
}

uint32_t ls_piece_cut(struct ls_coordinator *c, struct ls_piece_list *list, uint32_t previous,
                      uint32_t index, const struct ls_range *taken) {
  struct ls_piece *piece = &c->pieces.items[index];
  uint64_t first = piece->units.first, end = first + piece->units.count;
  uint64_t taken_end = taken->first + taken->count;
  uint32_t next = piece->next;
  assert(first <= taken->first && taken_end <= end);
  if (first == taken->first && taken_end == end) {
    if (previous != LS_INDEX_NONE) {
      c->pieces.items[previous].next = next;
    } else {
      list->first = next;
    }
    if (list->last == index) list->last = previous;
    list->pieces--;
    ls_piece_drop(&c->pieces, index);
  } else if (first == taken->first) {
    piece->units = (struct ls_range){taken_end, end - taken_end};
  } else {
    piece->units.count = taken->first - first;
    if (taken_end < end) {
      uint32_t rest = ls_piece_take(&c->pieces, taken_end, end - taken_end);
      c->pieces.items[rest].next = next;
      piece->next = rest;
      if (list->last == index) list->last = rest;
      list->pieces++;
    }
  }
  return next;
}

/* At most `units` of the units that came back; the number taken. */
static uint64_t take_front(struct ls_coordinator *c, uint64_t units, struct ls_piece_list *list) {
  struct ls_piece_list *front = &c->waiting.front;
  uint64_t taken = 0;
  while (taken < units && front->pieces > 0) {
    uint32_t piece = front->first;
    struct ls_piece *from = &c->pieces.items[piece];
    uint64_t first = from->units.first, count = from->units.count;
    if (count > units - taken) {
      count = units - taken;
      from->units.first += count;
      from->units.count -= count;
    } else {
      front->first = from->next;
      front->pieces--;
      if (front->pieces == 0) ls_piece_list_init(front);
      ls_piece_drop(&c->pieces, piece);
    }
    ls_piece_append(&c->pieces, list, first, count);
    memset(c->state + first, LS_UNIT_SENT, count);
    taken += count;
  }
  assert(taken <= units);
  return taken;
}

static void take_ordered(struct ls_coordinator *c, uint64_t units, struct ls_piece_list *list) {
  struct ls_waiting *waiting = &c->waiting;
  assert(units <= waiting->end - waiting->cursor);
  if (waiting->order == NULL) {
    ls_piece_append(&c->pieces, list, waiting->cursor, units);
    if (units == 1) {
      c->state[waiting->cursor] = LS_UNIT_SENT;
    } else {
      memset(c->state + waiting->cursor, LS_UNIT_SENT, units);
    }
    waiting->cursor += units;
    return;
  }
  for (uint64_t i = 0; i < units; i++) {
    uint64_t unit = waiting->order[waiting->cursor++];
    ls_piece_append(&c->pieces, list, unit, 1);
    c->state[unit] = LS_UNIT_SENT;
  }
}

void ls_waiting_take(struct ls_coordinator *c, uint64_t units, struct ls_piece_list *list) {
  assert(units > 0 && units <= c->waiting.units && list->pieces == 0);
  uint64_t taken = c->waiting.front.pieces > 0 ? take_front(c, units, list) : 0;
  if (taken < units) take_ordered(c, units - taken, list);
  c->waiting.units -= units;
  c->sent += units;
  ls_coordinator_check(c);
}

void ls_waiting_return(struct ls_coordinator *c, struct ls_piece_list *list, uint64_t units) {
  assert(units <= c->sent);
  if (list->pieces == 0) return;
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = c->pieces.items[i].next) {
    const struct ls_range *range = &c->pieces.items[i].units;
    memset(c->state + range->first, LS_UNIT_WAITING, range->count);
  }
  ls_piece_splice(&c->pieces, list, &c->waiting.front);
  c->waiting.front = *list;
  ls_piece_list_init(list);
  c->sent -= units;
  c->waiting.units += units;
  c->units_returned += units;
  c->has_returned = true;
  ls_coordinator_check(c);
}
