#include "coordinator/books/doubts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_doubts_close(struct ls_doubts *doubts) {
  free(doubts->items);
  *doubts = (struct ls_doubts){0};
}

static uint64_t count_units(const struct ls_piece_store *pieces, const struct ls_piece_list *list) {
  uint64_t units = 0;
  for (uint32_t i = list->first; i != LS_INDEX_NONE; i = pieces->items[i].next)
    units += pieces->items[i].units.count;
  return units;
}

/* `count`: there is none. */
static size_t find(const struct ls_doubts *doubts, uint32_t slot) {
  size_t i = 0;
  while (i < doubts->count && doubts->items[i].slot != slot) i++;
  return i;
}

static void forget(struct ls_doubts *doubts, size_t at) {
  doubts->count--;
  memmove(doubts->items + at, doubts->items + at + 1, (doubts->count - at) * sizeof *doubts->items);
}

enum ls_status ls_doubts_reserve(struct ls_doubts *doubts) {
  void *items = doubts->items;
  enum ls_status status =
      ls_array_reserve(&items, &doubts->capacity, doubts->count + 1, sizeof *doubts->items);
  doubts->items = items;
  return status;
}

void ls_doubts_add(struct ls_doubts *doubts, struct ls_piece_store *pieces, uint32_t slot,
                   struct ls_piece_list *units) {
  size_t at = find(doubts, slot);
  assert(units->count > 0 && slot != LS_INDEX_NONE);
  if (at == doubts->count) {
    assert(doubts->count < doubts->capacity);
    doubts->items[doubts->count++] = (struct ls_doubt){.until_s = HUGE_VAL, .slot = slot};
    ls_piece_list_init(&doubts->items[at].units);
  }
  doubts->units += count_units(pieces, units);
  ls_piece_splice(pieces, units, &doubts->items[at].units);
  doubts->items[at].units = *units;
  ls_piece_list_init(units);
}

static void take(struct ls_doubts *doubts, const struct ls_piece_store *pieces, size_t at,
                 struct ls_piece_list *out) {
  assert(out->count == 0);
  *out = doubts->items[at].units;
  doubts->units -= count_units(pieces, out);
  forget(doubts, at);
}

void ls_doubts_take(struct ls_doubts *doubts, const struct ls_piece_store *pieces, uint32_t slot,
                    struct ls_piece_list *out) {
  size_t at = find(doubts, slot);
  if (at < doubts->count) take(doubts, pieces, at, out);
}

struct ls_range ls_doubts_pop(struct ls_doubts *doubts, struct ls_piece_store *pieces,
                              uint64_t units) {
  assert(doubts->count > 0 && units > 0);
  struct ls_piece_list *list = &doubts->items[0].units;
  struct ls_range *first = &pieces->items[list->first].units, popped = *first;
  if (popped.count > units) {
    popped.count = units;
    first->first += units;
    first->count -= units;
  } else {
    (void)ls_piece_pop(pieces, list);
  }
  doubts->units -= popped.count;
  if (list->count == 0) forget(doubts, 0);
  return popped;
}

bool ls_doubts_have(const struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                    uint64_t unit) {
  for (size_t i = 0; i < doubts->count; i++)
    if (ls_piece_list_has(pieces, &doubts->items[i].units, unit)) return true;
  return false;
}

bool ls_doubts_cut(struct ls_doubts *doubts, struct ls_piece_store *pieces, uint64_t unit) {
  const struct ls_range wanted = {unit, 1};
  struct ls_range taken;
  for (size_t i = 0; i < doubts->count; i++) {
    if (!ls_piece_cut(pieces, &doubts->items[i].units, &wanted, &taken)) continue;
    doubts->units--;
    if (doubts->items[i].units.count == 0) forget(doubts, i);
    return true;
  }
  return false;
}

void ls_doubts_orphan(struct ls_doubts *doubts, uint32_t slot, double until_s) {
  size_t at = find(doubts, slot);
  if (at == doubts->count) return;
  doubts->items[at].slot = LS_INDEX_NONE;
  doubts->items[at].until_s = until_s;
}

bool ls_doubts_recognise(struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                         uint32_t slot, uint64_t unit) {
  assert(find(doubts, slot) == doubts->count);
  for (size_t i = 0; i < doubts->count; i++) {
    struct ls_doubt *doubt = &doubts->items[i];
    if (doubt->slot != LS_INDEX_NONE || !ls_piece_list_has(pieces, &doubt->units, unit)) continue;
    doubt->slot = slot;
    doubt->until_s = HUGE_VAL;
    return true;
  }
  return false;
}

bool ls_doubts_take_overdue(struct ls_doubts *doubts, const struct ls_piece_store *pieces,
                            double now_s, struct ls_piece_list *out) {
  for (size_t i = 0; i < doubts->count; i++) {
    if (doubts->items[i].until_s > now_s) continue;
    take(doubts, pieces, i, out);
    return true;
  }
  return false;
}

double ls_doubts_overdue_s(const struct ls_doubts *doubts) {
  double overdue_s = HUGE_VAL;
  for (size_t i = 0; i < doubts->count; i++) overdue_s = fmin(overdue_s, doubts->items[i].until_s);
  return overdue_s;
}

bool ls_doubts_are_sound(const struct ls_doubts *doubts, const struct ls_piece_store *pieces) {
  uint64_t units = 0;
  for (size_t i = 0; i < doubts->count; i++) {
    const struct ls_doubt *doubt = &doubts->items[i];
    bool is_lost = doubt->slot == LS_INDEX_NONE;
    if (doubt->units.count == 0 || (!is_lost && find(doubts, doubt->slot) != i)) return false;
    units += count_units(pieces, &doubt->units);
  }
  return units == doubts->units;
}
