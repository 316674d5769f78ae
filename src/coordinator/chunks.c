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
  *chunk = (struct ls_live_chunk){
      .id = c->next_chunk++, .next = LS_INDEX_NONE, .previous = member->last_chunk};
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

void ls_chunk_send(struct ls_coordinator *c, uint32_t worker, uint64_t units) {
  struct ls_member *member = &c->members[worker];
  assert(member->presence == LS_PRESENCE_ACTIVE && !c->is_stopping);
  struct ls_live_chunk *chunk = &c->chunks[open_chunk(c, worker)];
  ls_waiting_take(c, units, &chunk->pieces);
  chunk->units = units;
  member->units += units;

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
