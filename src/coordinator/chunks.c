/* chunks.c: the live chunks, each in the list of its worker in the order of sending. */
#include "base/array.h"
#include "coordinator/coordinator_private.h"

enum ls_status ls_chunks_reserve(struct ls_coordinator *c, size_t more) {
  assert(c->chunks_live <= c->chunks_used && c->chunks_used <= c->chunks_capacity);
  if (c->chunks_live + more >= LS_INDEX_NONE) return LS_ENOMEM;
  void *items = c->chunks;
  enum ls_status status =
      ls_array_reserve(&items, &c->chunks_capacity, c->chunks_live + more, sizeof *c->chunks);
  c->chunks = items;
  return status;
}

/* A chunk without units behind the others of the worker. */
static uint32_t open_chunk(struct ls_coordinator *c, uint32_t worker) {
  uint32_t index = c->chunks_free;
  if (index != LS_INDEX_NONE) {
    c->chunks_free = c->chunks[index].next;
  } else {
    assert(c->chunks_used < c->chunks_capacity);
    index = c->chunks_used++;
  }
  struct ls_member *member = &c->members[worker];
  struct ls_live_chunk *chunk = &c->chunks[index];
  *chunk = (struct ls_live_chunk){.id = c->next_chunk++,
                                  .sent_s = c->now_s,
                                  .next = LS_INDEX_NONE,
                                  .previous = member->last_chunk};
  ls_piece_list_init(&chunk->pieces);
  if (member->last_chunk != LS_INDEX_NONE) {
    c->chunks[member->last_chunk].next = index;
  } else {
    member->first_chunk = index;
  }
  member->last_chunk = index;
  member->chunks++;
  c->chunks_live++;
  return index;
}

/* The SEND of a chunk that has its pieces. */
static void dispatch(struct ls_coordinator *c, uint32_t worker, struct ls_live_chunk *chunk,
                     uint64_t units) {
  chunk->units = units;
  c->members[worker].units += units;
  struct ls_actions *actions = c->actions;
  struct ls_action *action = ls_actions_add(c, LS_ACTION_SEND, worker);
  action->chunk = chunk->id;
  action->count = units;
  action->first_range = actions->ranges_count;
  action->ranges_count = chunk->pieces.pieces;
  assert(chunk->pieces.pieces <= actions->ranges_capacity - actions->ranges_count);
  for (uint32_t i = chunk->pieces.first; i != LS_INDEX_NONE; i = c->pieces.items[i].next) {
    actions->ranges[actions->ranges_count++] = c->pieces.items[i].units;
  }
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_SENT,
                                   .worker = worker,
                                   .chunk = chunk->id,
                                   .units = units,
                                   .extra = c->waiting.units});
}

void ls_chunk_send(struct ls_coordinator *c, uint32_t worker, uint64_t units) {
  assert(c->members[worker].presence == LS_PRESENCE_ACTIVE && !c->is_stopping);
  struct ls_live_chunk *chunk = &c->chunks[open_chunk(c, worker)];
  ls_waiting_take(c, units, &chunk->pieces);
  dispatch(c, worker, chunk, units);
}

void ls_chunk_send_copy(struct ls_coordinator *c, uint32_t worker, uint64_t unit) {
  assert(c->members[worker].presence == LS_PRESENCE_ACTIVE && !c->is_stopping);
  assert(c->state[unit] == LS_UNIT_SENT);
  struct ls_live_chunk *chunk = &c->chunks[open_chunk(c, worker)];
  chunk->is_copy = true;
  ls_piece_append(&c->pieces, &chunk->pieces, unit, 1);
  dispatch(c, worker, chunk, 1);
}

uint32_t ls_chunk_find(const struct ls_coordinator *c, uint32_t worker, uint64_t id) {
  const struct ls_member *member = &c->members[worker];
  if (member->chunks == 0) return LS_INDEX_NONE;
  uint64_t oldest = c->chunks[member->first_chunk].id, newest = c->chunks[member->last_chunk].id;
  assert(oldest <= newest);
  if (id == oldest) return member->first_chunk;
  if (id < oldest || id > newest) return LS_INDEX_NONE;
  /* Numbers grow along the list; workers answer the oldest chunk first, or nearly so. */
  if (id - oldest <= newest - id) {
    uint32_t i = member->first_chunk;
    while (c->chunks[i].id < id) i = c->chunks[i].next;
    return c->chunks[i].id == id ? i : LS_INDEX_NONE;
  }
  uint32_t i = member->last_chunk;
  while (c->chunks[i].id > id) i = c->chunks[i].previous;
  return c->chunks[i].id == id ? i : LS_INDEX_NONE;
}

/* The piece of the list that holds the unit, and the one before it; false: none does. */
static bool find_piece(const struct ls_coordinator *c, const struct ls_piece_list *list,
                       uint64_t unit, uint32_t *previous, uint32_t *index) {
  assert(unit < c->units);
  *previous = LS_INDEX_NONE;
  for (*index = list->first; *index != LS_INDEX_NONE; *index = c->pieces.items[*index].next) {
    const struct ls_range *range = &c->pieces.items[*index].units;
    if (unit >= range->first && unit - range->first < range->count) return true;
    *previous = *index;
  }
  return false;
}

uint32_t ls_chunk_holding(const struct ls_coordinator *c, uint32_t worker, uint64_t unit) {
  uint32_t previous, piece;
  assert(worker < c->config.workers_max);
  for (uint32_t i = c->members[worker].first_chunk; i != LS_INDEX_NONE; i = c->chunks[i].next) {
    if (find_piece(c, &c->chunks[i].pieces, unit, &previous, &piece)) return i;
  }
  return LS_INDEX_NONE;
}

void ls_chunk_drop_unit(struct ls_coordinator *c, uint32_t worker, uint64_t unit, bool cancels) {
  uint32_t index = ls_chunk_holding(c, worker, unit), previous, piece;
  assert(index != LS_INDEX_NONE);
  struct ls_live_chunk *chunk = &c->chunks[index];
  bool is_found = find_piece(c, &chunk->pieces, unit, &previous, &piece);
  assert(is_found && chunk->units > 0 && c->members[worker].units > 0);
  (void)ls_piece_cut(c, &chunk->pieces, previous, piece, &(struct ls_range){unit, 1});
  /* The policy sent the original, and hears that it will not be finished there. */
  if (!chunk->is_copy) c->members[worker].report.units_gone++;
  chunk->units--;
  c->members[worker].units--;
  if (chunk->units > 0) return;
  if (cancels && !chunk->is_cancelled) {
    ls_actions_add(c, LS_ACTION_CANCEL, worker)->chunk = chunk->id;
  }
  ls_chunk_remove(c, worker, index);
}

void ls_chunk_remove(struct ls_coordinator *c, uint32_t worker, uint32_t index) {
  struct ls_member *member = &c->members[worker];
  struct ls_live_chunk *chunk = &c->chunks[index];
  assert(chunk->pieces.pieces == 0 && chunk->units == 0 && member->chunks > 0);
  if (chunk->previous != LS_INDEX_NONE) {
    c->chunks[chunk->previous].next = chunk->next;
  } else {
    member->first_chunk = chunk->next;
  }
  if (chunk->next != LS_INDEX_NONE) {
    c->chunks[chunk->next].previous = chunk->previous;
  } else {
    member->last_chunk = chunk->previous;
  }
  member->chunks--;
  c->chunks_live--;
  chunk->next = c->chunks_free;
  c->chunks_free = index;
}

void ls_chunks_cancel(struct ls_coordinator *c, uint32_t worker) {
  assert(worker < c->members_seen);
  for (uint32_t i = c->members[worker].first_chunk; i != LS_INDEX_NONE; i = c->chunks[i].next) {
    if (c->chunks[i].is_cancelled) continue;
    c->chunks[i].is_cancelled = true;
    ls_actions_add(c, LS_ACTION_CANCEL, worker)->chunk = c->chunks[i].id;
  }
}
