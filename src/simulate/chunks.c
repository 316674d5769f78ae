/* chunks.c: the table of live chunks.
 *
 * A place is used again as soon as its chunk is of no use to anybody, so that a simulation of any
 * length stays in the cache.  Nearly every chunk is one range of units, which needs no storage of
 * its own.
 */
#include "simulate/engine_private.h"

#include <assert.h>

static double measure_work(const struct ls_engine *engine, struct ls_range range) {
  if (!engine->work_before) return (double)range.count;
  return engine->work_before[range.first + range.count] - engine->work_before[range.first];
}

uint32_t ls_engine_chunk_make_place(struct ls_engine *engine) {
  if (engine->chunks_used == UINT32_MAX - 1 ||
      !ls_engine_grow(engine, (void **)&engine->chunks, &engine->chunks_capacity,
                      (size_t)engine->chunks_used + 1, sizeof *engine->chunks))
    return UINT32_MAX;
  uint32_t place = engine->chunks_used++;
  engine->chunks[place].pieces = NULL;
  engine->chunks[place].pieces_capacity = 0;
  return place;
}

/* Writes down the ranges of a chunk that is more than one; false on failure. */
static bool add_pieces(struct ls_engine *engine, struct ls_engine_chunk *chunk,
                       const struct ls_range *ranges) {
  size_t capacity = chunk->pieces_capacity;
  if (!ls_engine_grow(engine, (void **)&chunk->pieces, &capacity, chunk->pieces_count,
                      sizeof *chunk->pieces))
    return false;
  chunk->pieces_capacity = (uint32_t)capacity;
  double work = 0;
  chunk->units = 0;
  for (size_t i = 0; i < chunk->pieces_count; i++) {
    chunk->pieces[i] = (struct ls_engine_piece){
        .units = ranges[i], .units_before = chunk->units, .work_before = work};
    chunk->units += ranges[i].count;
    work += measure_work(engine, ranges[i]);
  }
  return true;
}

uint32_t ls_engine_chunk_add(struct ls_engine *engine, const struct ls_action *action) {
  assert(action->ranges_count > 0);
  uint32_t place = ls_engine_chunk_place(engine);
  if (place == UINT32_MAX) return place;
  const struct ls_range *ranges = ls_engine_chunk_fill(engine, place, action);
  struct ls_engine_chunk *chunk = &engine->chunks[place];
  if (chunk->pieces_count > 1 && !add_pieces(engine, chunk, ranges)) return UINT32_MAX;
  return place;
}

/* The prefix sums of an iteration: nearly always the present one. */
static const double *find_sums(const struct ls_engine *engine, uint32_t iteration) {
  assert(iteration <= engine->iteration);
  const double *before = engine->work_before;
  for (uint32_t k = engine->iteration; k > iteration; k--) {
    before -= ls_simulated_iteration_units(engine->setup, k - 1) + 1;
  }
  return before;
}

double ls_engine_chunk_work(const struct ls_engine *engine, const struct ls_engine_chunk *chunk,
                            uint64_t units) {
  if (!engine->work_before) return (double)units;
  const double *before = find_sums(engine, chunk->iteration);
  size_t low = 0, high = chunk->pieces_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (chunk->pieces[middle].units_before <= units)
      low = middle;
    else
      high = middle;
  }
  struct ls_engine_piece piece = ls_engine_chunk_piece(chunk, low);
  uint64_t last = piece.units.first + (units - piece.units_before);
  return piece.work_before + (before[last] - before[piece.units.first]);
}
