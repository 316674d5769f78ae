/* chunks.c: the table of live chunks.
 *
 * An entry is used again as soon as its chunk is of no use any more, so that a simulation of any
 * length stays in the cache.  Nearly every chunk is one range of units, which needs no storage of
 * its own.
 */
#include <assert.h>
#include <string.h>

#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"

static uint32_t take_place(struct ls_engine *engine) {
  uint32_t place = engine->chunks_free;
  if (place != LS_ENGINE_NONE) {
    engine->chunks_free = engine->chunks[place].next_free;
    return place;
  }
  if (engine->chunks_used == LS_ENGINE_NONE - 1 ||
      !ls_engine_grow(engine, (void **)&engine->chunks, &engine->chunks_capacity,
                      (size_t)engine->chunks_used + 1, sizeof *engine->chunks))
    return LS_ENGINE_NONE;
  place = engine->chunks_used++;
  engine->chunks[place].ranges = NULL;
  engine->chunks[place].ranges_capacity = 0;
  return place;
}

/* Writes down the ranges of a chunk that is more than one; false on failure. */
static bool add_ranges(struct ls_engine *engine, struct ls_engine_chunk *chunk,
                       const struct ls_range *ranges) {
  size_t capacity = chunk->ranges_capacity;
  if (!ls_engine_grow(engine, (void **)&chunk->ranges, &capacity, chunk->ranges_count,
                      sizeof *chunk->ranges))
    return false;
  chunk->ranges_capacity = (uint32_t)capacity;
  memcpy(chunk->ranges, ranges, chunk->ranges_count * sizeof *ranges);
  return true;
}

uint32_t ls_engine_chunk_add(struct ls_engine *engine, const struct ls_action *action) {
  const struct ls_action_send *send = &action->send;
  assert(send->ranges_count > 0 && send->ranges_count < UINT32_MAX);
  assert(send->chunk == engine->decisions);
  uint32_t place = take_place(engine);
  if (place == LS_ENGINE_NONE) return place;
  const struct ls_range *ranges = &engine->actions.ranges[send->first_range];
  struct ls_engine_chunk *chunk = &engine->chunks[place];
  chunk->number = engine->decisions++;
  chunk->units = chunk->units_left = send->units;
  chunk->units_done = 0;
  chunk->worker = action->worker;
  chunk->epoch = engine->workers[action->worker].epoch;
  chunk->first = *ranges;
  chunk->ranges_count = (uint32_t)send->ranges_count;
  chunk->iteration = engine->iteration;
  chunk->is_held = send->way == LS_RESULT_HELD;
  chunk->is_weightless = send->way == LS_RESULT_WEIGHTLESS;
  chunk->is_followed = chunk->has_arrived = chunk->is_fetched = chunk->is_staged = false;
  if (send->ranges_count > 1 && !add_ranges(engine, chunk, ranges)) return LS_ENGINE_NONE;
  if (chunk->is_held) {
    if (!ls_engine_grow(engine, (void **)&engine->held_entries, &engine->held_entries_capacity,
                        (size_t)chunk->number + 1, sizeof *engine->held_entries))
      return LS_ENGINE_NONE;
    engine->held_entries[chunk->number] = place;
  }
  return place;
}

const double *ls_engine_work_sums(const struct ls_engine *engine, uint32_t iteration) {
  assert(iteration <= engine->iteration);
  const double *before = engine->work_before;
  for (uint32_t k = engine->iteration; k > iteration; k--)
    before -= ls_simulated_iteration_units(engine->setup, k - 1) + 1;
  return before;
}
