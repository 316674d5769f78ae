/* ledger_chunks.c: the chunks that are out, each in the list of its slot in the order of sending.
 *
 * Nearly every chunk is one range, which stands in the chunk itself; pieces are for the others.
 */
#include <assert.h>

#include "base/array.h"
#include "coordinator/books/ledger.h"

static enum ls_status reserve_chunk(struct ls_ledger *ledger) {
  if (ledger->chunks_live < ledger->chunks_capacity) return LS_OK;
  if (ledger->chunks_live + 1 >= LS_INDEX_NONE) return LS_ENOMEM;
  void *items = ledger->chunks;
  enum ls_status status = ls_array_reserve(&items, &ledger->chunks_capacity,
                                           ledger->chunks_live + 1, sizeof *ledger->chunks);
  ledger->chunks = items;
  return status;
}

/* The slot has so many units from now on. */
static void set_units(struct ls_ledger *ledger, uint32_t slot, uint64_t units) {
  struct ls_ledger_slot *at = &ledger->slots[slot];
  ledger->crowded += units > 1;
  ledger->crowded -= at->units > 1;
  at->units = units;
}

/* A chunk without units behind the others of the slot. */
static uint32_t open_chunk(struct ls_ledger *ledger, uint32_t slot, double now_s) {
  uint32_t index = ledger->chunks_free;
  if (index != LS_INDEX_NONE) {
    ledger->chunks_free = ledger->chunks[index].next;
  } else {
    assert(ledger->chunks_used < ledger->chunks_capacity);
    index = ledger->chunks_used++;
  }
  struct ls_ledger_slot *at = &ledger->slots[slot];
  struct ls_chunk *chunk = &ledger->chunks[index];
  chunk->id = ledger->next_chunk++;
  chunk->units = chunk->units_sent = chunk->range.count = 0;
  ls_piece_list_init(&chunk->rest);
  chunk->sent_s = now_s;
  chunk->slot = slot;
  chunk->next = LS_INDEX_NONE;
  chunk->previous = at->last;
  chunk->is_cancelled = chunk->is_replica = false;
  if (at->last != LS_INDEX_NONE) {
    ledger->chunks[at->last].next = index;
  } else {
    at->first = index;
  }
  at->last = index;
  at->chunks++;
  ledger->chunks_live++;
  return index;
}

static void forget(struct ls_ledger *ledger, uint32_t index) {
  struct ls_chunk *chunk = &ledger->chunks[index];
  struct ls_ledger_slot *at = &ledger->slots[chunk->slot];
  assert(chunk->units == 0 && chunk->rest.count == 0 && at->chunks > 0);
  if (chunk->previous != LS_INDEX_NONE) {
    ledger->chunks[chunk->previous].next = chunk->next;
  } else {
    at->first = chunk->next;
  }
  if (chunk->next != LS_INDEX_NONE) {
    ledger->chunks[chunk->next].previous = chunk->previous;
  } else {
    at->last = chunk->previous;
  }
  at->chunks--;
  ledger->chunks_live--;
  chunk->next = ledger->chunks_free;
  ledger->chunks_free = index;
}

static void add_units(struct ls_ledger *ledger, struct ls_chunk *chunk, struct ls_range units) {
  if (chunk->range.count == 0) {
    chunk->range = units;
  } else if (chunk->rest.count == 0 && chunk->range.first + chunk->range.count == units.first) {
    chunk->range.count += units.count;
  } else {
    ls_piece_append(&ledger->pieces, &chunk->rest, units);
  }
  chunk->units += units.count;
  chunk->units_sent += units.count;
  set_units(ledger, chunk->slot, ledger->slots[chunk->slot].units + units.count);
}

static void mark_sent(struct ls_ledger *ledger, const struct ls_range *units) {
  for (uint64_t i = 0; i < units->count; i++) ledger->state[units->first + i] = LS_UNIT_SENT;
}

static void move(struct ls_ledger *ledger, struct ls_chunk *chunk, struct ls_range units) {
  mark_sent(ledger, &units);
  add_units(ledger, chunk, units);
}

/* At most `units` of the units that came back; the number moved. */
static uint64_t move_front(struct ls_ledger *ledger, struct ls_chunk *chunk, uint64_t units) {
  struct ls_piece_list *front = &ledger->waiting.front;
  uint64_t moved = 0;
  while (moved < units && front->count > 0) {
    struct ls_range *first = &ledger->pieces.items[front->first].units;
    struct ls_range range = *first;
    if (range.count > units - moved) {
      range.count = units - moved;
      first->first += range.count;
      first->count -= range.count;
    } else {
      (void)ls_piece_pop(&ledger->pieces, front);
    }
    move(ledger, chunk, range);
    moved += range.count;
  }
  return moved;
}

/* At most `units` of those that were never sent; the number moved. */
static uint64_t move_ordered(struct ls_ledger *ledger, struct ls_chunk *chunk, uint64_t units) {
  struct ls_waiting *waiting = &ledger->waiting;
  if (units > waiting->end - waiting->cursor) units = waiting->end - waiting->cursor;
  if (units == 0) return 0;
  if (waiting->order == NULL) {
    move(ledger, chunk, (struct ls_range){waiting->cursor, units});
  } else {
    for (uint64_t i = 0; i < units; i++)
      move(ledger, chunk, (struct ls_range){waiting->order[waiting->cursor + i], 1});
  }
  waiting->cursor += units;
  return units;
}

static void move_doubted(struct ls_ledger *ledger, struct ls_chunk *chunk, uint64_t units) {
  while (units > 0) {
    struct ls_range range = ls_doubts_pop(&ledger->doubts, &ledger->pieces, units);
    move(ledger, chunk, range);
    units -= range.count;
  }
}

enum ls_status ls_ledger_send(struct ls_ledger *ledger, uint32_t slot, uint64_t units, double now_s,
                              uint32_t *chunk) {
  struct ls_waiting *waiting = &ledger->waiting;
  assert(units > 0 && units <= waiting->units && slot < ledger->slots_count);
  /* In a given order every unit may stand alone; of the others only one range of the order and the
   * last ones are not whole pieces that move. */
  bool is_plain = waiting->order == NULL && waiting->front.count == 0 && ledger->doubts.count == 0;
  size_t pieces = is_plain ? 0 : waiting->order != NULL ? (size_t)units + 1 : 3;
  if (pieces > 0 && ls_pieces_reserve(&ledger->pieces, pieces) != LS_OK) return LS_ENOMEM;
  if (reserve_chunk(ledger) != LS_OK) return LS_ENOMEM;
  *chunk = open_chunk(ledger, slot, now_s);
  struct ls_chunk *opened = &ledger->chunks[*chunk];
  uint64_t moved = waiting->front.count > 0 ? move_front(ledger, opened, units) : 0;
  if (moved < units) moved += move_ordered(ledger, opened, units - moved);
  if (moved < units) move_doubted(ledger, opened, units - moved);
  waiting->units -= units;
  ledger->sent += units;
  return LS_OK;
}

enum ls_status ls_ledger_send_replica(struct ls_ledger *ledger, uint32_t slot, uint64_t unit,
                                      double now_s, uint32_t *chunk) {
  assert(ledger->state[unit] == LS_UNIT_SENT && slot < ledger->slots_count);
  if (reserve_chunk(ledger) != LS_OK) return LS_ENOMEM;
  *chunk = open_chunk(ledger, slot, now_s);
  ledger->chunks[*chunk].is_replica = true;
  add_units(ledger, &ledger->chunks[*chunk], (struct ls_range){unit, 1});
  return LS_OK;
}

uint32_t ls_ledger_find(const struct ls_ledger *ledger, uint32_t slot, uint64_t id) {
  const struct ls_ledger_slot *at = &ledger->slots[slot];
  if (at->chunks == 0) return LS_INDEX_NONE;
  uint64_t oldest = ledger->chunks[at->first].id, newest = ledger->chunks[at->last].id;
  assert(oldest <= newest);
  if (id < oldest || id > newest) return LS_INDEX_NONE;
  /* Numbers grow along the list; workers answer the oldest chunk first, or nearly so. */
  uint32_t i = id - oldest <= newest - id ? at->first : at->last;
  while (ledger->chunks[i].id < id) i = ledger->chunks[i].next;
  while (ledger->chunks[i].id > id) i = ledger->chunks[i].previous;
  return ledger->chunks[i].id == id ? i : LS_INDEX_NONE;
}

uint32_t ls_ledger_holding(const struct ls_ledger *ledger, uint32_t slot, uint64_t unit) {
  for (uint32_t i = ledger->slots[slot].first; i != LS_INDEX_NONE; i = ledger->chunks[i].next) {
    const struct ls_chunk *chunk = &ledger->chunks[i];
    if (unit >= chunk->range.first && unit - chunk->range.first < chunk->range.count) return i;
    if (ls_piece_list_has(&ledger->pieces, &chunk->rest, unit)) return i;
  }
  return LS_INDEX_NONE;
}

/* The part of the first range that is wanted leaves the chunk. */
static void cut_first(struct ls_ledger *ledger, struct ls_chunk *chunk,
                      const struct ls_range *taken) {
  uint64_t end = chunk->range.first + chunk->range.count, taken_end = taken->first + taken->count;
  if (taken->first == chunk->range.first) {
    chunk->range = (struct ls_range){taken_end, end - taken_end};
    if (chunk->range.count == 0 && chunk->rest.count > 0)
      chunk->range = ls_piece_pop(&ledger->pieces, &chunk->rest);
    return;
  }
  chunk->range.count = taken->first - chunk->range.first;
  if (taken_end < end)
    ls_piece_prepend(&ledger->pieces, &chunk->rest, (struct ls_range){taken_end, end - taken_end});
}

enum ls_status ls_ledger_take(struct ls_ledger *ledger, uint32_t index,
                              const struct ls_range *wanted, struct ls_range *taken) {
  struct ls_chunk *chunk = &ledger->chunks[index];
  *taken = ls_range_meet(&chunk->range, wanted);
  bool is_prefix = taken->count > 0 && taken->first == chunk->range.first;
  if (!is_prefix && ls_pieces_reserve(&ledger->pieces, 1) != LS_OK) return LS_ENOMEM;
  if (taken->count > 0) {
    cut_first(ledger, chunk, taken);
  } else if (!ls_piece_cut(&ledger->pieces, &chunk->rest, wanted, taken)) {
    return LS_OK;
  }
  chunk->units -= taken->count;
  set_units(ledger, chunk->slot, ledger->slots[chunk->slot].units - taken->count);
  if (chunk->units == 0) forget(ledger, index);
  return LS_OK;
}

enum ls_status ls_ledger_withdraw(struct ls_ledger *ledger, uint32_t slot,
                                  struct ls_piece_list *out) {
  struct ls_ledger_slot *at = &ledger->slots[slot];
  assert(out->count == 0);
  if (ls_pieces_reserve(&ledger->pieces, at->chunks) != LS_OK) return LS_ENOMEM;
  while (at->chunks > 0) {
    struct ls_chunk *chunk = &ledger->chunks[at->first];
    ls_piece_append(&ledger->pieces, out, chunk->range);
    ls_piece_splice(&ledger->pieces, out, &chunk->rest);
    set_units(ledger, slot, at->units - chunk->units);
    chunk->units = 0;
    forget(ledger, at->first);
  }
  assert(at->units == 0);
  return LS_OK;
}

enum ls_status ls_ledger_withdraw_waiting(struct ls_ledger *ledger, uint32_t slot,
                                          struct ls_piece_list *out) {
  struct ls_ledger_slot *at = &ledger->slots[slot];
  assert(out->count == 0);
  if (at->chunks == 0) return LS_OK;
  if (ls_pieces_reserve(&ledger->pieces, at->chunks) != LS_OK) return LS_ENOMEM;
  struct ls_chunk *running = &ledger->chunks[at->first];
  struct ls_range rest = {running->range.first + 1, running->range.count - 1};
  if (rest.count > 0) ls_piece_append(&ledger->pieces, out, rest);
  ls_piece_splice(&ledger->pieces, out, &running->rest);
  set_units(ledger, slot, at->units - (running->units - 1));
  running->units = running->range.count = 1;
  while (at->chunks > 1) {
    uint32_t index = running->next;
    struct ls_chunk *chunk = &ledger->chunks[index];
    ls_piece_append(&ledger->pieces, out, chunk->range);
    ls_piece_splice(&ledger->pieces, out, &chunk->rest);
    set_units(ledger, slot, at->units - chunk->units);
    chunk->units = 0;
    forget(ledger, index);
  }
  return LS_OK;
}

/* Numbers grow along the list of the slot: the chunk, which is its last, goes to its place. */
static void sort_last(struct ls_ledger *ledger, uint32_t slot) {
  struct ls_ledger_slot *at = &ledger->slots[slot];
  uint32_t index = at->last;
  struct ls_chunk *chunk = &ledger->chunks[index];
  uint32_t before = chunk->previous;
  while (before != LS_INDEX_NONE && ledger->chunks[before].id > chunk->id)
    before = ledger->chunks[before].previous;
  if (before == chunk->previous) return;
  at->last = chunk->previous;
  ledger->chunks[at->last].next = LS_INDEX_NONE;
  uint32_t behind = before != LS_INDEX_NONE ? ledger->chunks[before].next : at->first;
  chunk->previous = before;
  chunk->next = behind;
  ledger->chunks[behind].previous = index;
  if (before != LS_INDEX_NONE)
    ledger->chunks[before].next = index;
  else
    at->first = index;
}

enum ls_status ls_ledger_adopt(struct ls_ledger *ledger, uint32_t slot, uint64_t id, uint64_t unit,
                               double now_s) {
  assert(ledger->state[unit] == LS_UNIT_SENT && id < ledger->next_chunk);
  uint32_t index = ls_ledger_find(ledger, slot, id);
  if (ls_pieces_reserve(&ledger->pieces, 1) != LS_OK || reserve_chunk(ledger) != LS_OK)
    return LS_ENOMEM;
  if (index == LS_INDEX_NONE) {
    uint64_t next = ledger->next_chunk;
    index = open_chunk(ledger, slot, now_s);
    ledger->next_chunk = next;
    ledger->chunks[index].id = id;
    sort_last(ledger, slot);
  }
  struct ls_chunk *chunk = &ledger->chunks[index];
  uint64_t units_sent = chunk->units_sent;
  add_units(ledger, chunk, (struct ls_range){unit, 1});
  if (chunk->units <= units_sent) chunk->units_sent = units_sent;
  assert(ledger->returned > 0);
  ledger->returned--;
  return LS_OK;
}

bool ls_ledger_next_range(const struct ls_ledger *ledger, const struct ls_chunk *chunk,
                          uint32_t *cursor, struct ls_range *range) {
  /* The first range has no piece: behind it stands the first one. */
  if (*cursor == LS_INDEX_NONE) {
    *range = chunk->range;
    *cursor = chunk->rest.first != LS_INDEX_NONE ? chunk->rest.first : LS_INDEX_NONE - 1;
    return chunk->range.count > 0;
  }
  if (*cursor == LS_INDEX_NONE - 1) return false;
  *range = ledger->pieces.items[*cursor].units;
  uint32_t next = ledger->pieces.items[*cursor].next;
  *cursor = next != LS_INDEX_NONE ? next : LS_INDEX_NONE - 1;
  return true;
}
