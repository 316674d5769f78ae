/* world_book.c: the book of the chunks: what each worker may tell, and when. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static uint64_t mask(struct ls_range units) {
  uint64_t ones = units.count < 64 ? ((uint64_t)1 << units.count) - 1 : UINT64_MAX;
  return ones << units.first;
}

/* NULL: there is none of that number. */
static struct world_chunk *find_chunk(const struct world *world, uint64_t chunk) {
  return chunk < world->chunks_count ? &world->chunks[chunk] : NULL;
}

static struct world_chunk *add_chunk(struct world *world, uint64_t chunk) {
  if (chunk >= WORLD_STEPS_MAX) return NULL;
  if (chunk >= world->chunks_capacity) {
    world->chunks_capacity = 2 * (size_t)chunk + 64;
    world->chunks = realloc(world->chunks, world->chunks_capacity * sizeof *world->chunks);
    if (!world->chunks) abort();
  }
  for (; world->chunks_count <= chunk; world->chunks_count++)
    world->chunks[world->chunks_count] = (struct world_chunk){.worker = LS_WORKER_NONE};
  return &world->chunks[chunk];
}

void world_note_sent(struct world *world, const struct ls_action *action) {
  const struct ls_action_send *send = &action->send;
  struct world_chunk *chunk = add_chunk(world, send->chunk);
  if (chunk == NULL || chunk->worker != LS_WORKER_NONE) {
    world_complain(world, "chunk %" PRIu64 " is sent twice", send->chunk);
    return;
  }
  *chunk = (struct world_chunk){.worker = action->worker,
                                .iteration = world->iteration,
                                .is_held = send->way == LS_RESULT_HELD};
  for (size_t i = 0; i < send->ranges_count; i++) {
    struct ls_range range = world->actions.ranges[send->first_range + i];
    chunk->sent |= mask(range);
    for (uint64_t k = 0; k < range.count; k++)
      chunk->order[chunk->order_count++] = (uint8_t)(range.first + k);
  }
  if (world->rules.config.chunking->is_pushed) world_note_pushed(world, action);
}

bool world_was_sent(const struct world *world, uint32_t worker, uint64_t chunk, uint64_t unit,
                    bool *is_wanted) {
  const struct world_chunk *sent = find_chunk(world, chunk);
  *is_wanted = sent != NULL && !sent->is_unawaited;
  return sent != NULL && sent->worker == worker && sent->iteration == world->iteration &&
         unit < WORLD_UNITS_MAX && (sent->sent >> unit & 1) != 0;
}

bool world_find_running(const struct world *world, uint32_t worker, uint64_t *chunk,
                        uint64_t *unit) {
  for (uint64_t id = 0; id < world->chunks_count; id++) {
    const struct world_chunk *sent = &world->chunks[id];
    if (sent->worker != worker || sent->iteration != world->iteration) continue;
    for (size_t i = 0; i < sent->order_count; i++) {
      const struct world_unit *at = &world->units[sent->order[i]];
      bool is_here = (at->owner == worker && at->chunk == id) ||
                     (at->replica_owner == worker && at->replica_chunk == id);
      if (at->is_settled || !is_here) continue;
      *chunk = id;
      *unit = sent->order[i];
      return true;
    }
  }
  return false;
}

void world_note_told(struct world *world, uint32_t number, const struct ls_side_result *result) {
  struct world_chunk *chunk = find_chunk(world, result->chunk);
  uint64_t units = mask(result->units);
  if (chunk == NULL || chunk->worker != number || (units & ~chunk->sent) != 0) {
    world_complain(world,
                   "worker %" PRIu32 " tells of units of chunk %" PRIu64 " that it never got",
                   number, result->chunk);
    return;
  }
  if ((units & chunk->told) != 0)
    world_complain(world, "worker %" PRIu32 " tells twice of units of chunk %" PRIu64, number,
                   result->chunk);
  chunk->told |= units;
}

/* What is fetched was sent to be held, and is fetched once over each connection, where its worker
 * is. */
void world_note_freed(struct world *world, const struct ls_action *action) {
  struct world_chunk *chunk = find_chunk(world, action->chunk);
  if (chunk == NULL || chunk->worker != action->worker) {
    world_complain(world, "%s of chunk %" PRIu64 ", which worker %" PRIu32 " never got",
                   ls_action_name(action->kind), action->chunk, action->worker);
    return;
  }
  if (action->kind == LS_ACTION_FETCH) {
    enum presence presence = world->workers[action->worker].presence;
    if (presence != PRESENCE_THERE && presence != PRESENCE_LEAVING)
      world_complain(world, "chunk %" PRIu64 " is fetched from worker %" PRIu32 ", which is gone",
                     action->chunk, action->worker);
    /* Over a new connection it is asked for again. */
    if (chunk->is_held && chunk->is_free && world->workers[action->worker].was_suspended) return;
    if (!chunk->is_held || chunk->is_free)
      world_complain(world, "chunk %" PRIu64 " is fetched and not held", action->chunk);
    world_note_fetched(world, action);
  } else {
    chunk->is_unawaited = true;
  }
  chunk->is_free = true;
}

/* A worker that stops or is told to forget lets all go that it holds. */
void world_check_freed(struct world *world, const struct ls_event *event) {
  const struct world_chunk *chunk = find_chunk(world, event->result.chunk);
  if (chunk == NULL || chunk->worker != event->worker) return; /* of an earlier session */
  bool counts = event->result.outcome == LS_OUTCOME_DONE;
  if (counts && chunk->is_held && !chunk->is_free)
    world_complain(world, "a result of chunk %" PRIu64 " comes before it is fetched",
                   event->result.chunk);
}
