#include "advise/grid_run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
  PIECE_PLATFORMS = 2048,
  PIECE_NUMBERS = 1 << 21, /* platforms times workers: what plans of a piece may take */
  SHARES = 16,             /* pieces for each process, so that all end at about the same time */
  BATCH_BYTES = 4 << 20    /* results that are kept at one time */
};

size_t ls_grid_piece_most(const struct ls_platform_grid *grid, size_t processes) {
  double workers = 1;
  for (size_t i = 0; i < grid->axes[LS_GRID_WORKERS].count; i++)
    workers = fmax(workers, grid->axes[LS_GRID_WORKERS].items[i]);
  uint64_t share = ls_platform_grid_count(grid) / (SHARES * processes) + 1;
  size_t most = PIECE_NUMBERS / (size_t)workers;
  if (most > PIECE_PLATFORMS) most = PIECE_PLATFORMS;
  if (most > share) most = (size_t)share;
  return most < grid->block_platforms ? most : grid->block_platforms;
}

static size_t pieces_of_block(const struct ls_platform_grid *grid, size_t most) {
  return (grid->block_platforms + most - 1) / most;
}

size_t ls_grid_pieces(const struct ls_platform_grid *grid, size_t most) {
  return grid->blocks * pieces_of_block(grid, most);
}

struct ls_grid_piece ls_grid_piece(const struct ls_platform_grid *grid, size_t most, size_t index) {
  size_t pieces = pieces_of_block(grid, most);
  struct ls_grid_piece piece = {
      .grid = grid, .block = index / pieces, .first = index % pieces * most};
  size_t left = grid->block_platforms - piece.first;
  piece.count = left < most ? left : most;
  return piece;
}

static size_t count_wanted(const struct ls_grid_piece *piece) {
  size_t count = 0;
  if (piece->is_wanted == NULL) return piece->count;
  for (size_t i = 0; i < piece->count; i++) count += piece->is_wanted[i];
  return count;
}

struct ls_grid_point *ls_grid_piece_points(const struct ls_grid_piece *piece, size_t *count) {
  struct ls_grid_point *points = calloc(piece->count, sizeof *points);
  *count = 0;
  for (size_t i = 0; i < piece->count && points != NULL; i++)
    if (piece->is_wanted == NULL || piece->is_wanted[i])
      points[(*count)++] = ls_platform_grid_point(piece->grid, piece->block, piece->first + i);
  return points;
}

/* Pieces from `first` on. */
struct batch {
  const struct ls_grid_run *run;
  size_t first, most;
};

static struct ls_grid_piece find_piece(const struct batch *batch, size_t index) {
  const struct ls_grid_run *run = batch->run;
  struct ls_grid_piece piece = ls_grid_piece(run->grid, batch->most, batch->first + index);
  if (run->is_wanted != NULL)
    piece.is_wanted = run->is_wanted + piece.block * run->grid->block_platforms + piece.first;
  return piece;
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct batch *batch = context;
  struct ls_grid_piece piece = find_piece(batch, index);
  if (count_wanted(&piece) == 0) return LS_OK;
  return batch->run->play(batch->run->context, &piece, result, batch->most, err);
}

static enum ls_status take_batch(const struct batch *batch, size_t count, const double *results,
                                 struct ls_standings *standings, struct ls_error *err) {
  const struct ls_grid_run *run = batch->run;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_grid_piece piece = find_piece(batch, i);
    struct ls_makespans makespans = {results + i * run->algorithms * batch->most, batch->most,
                                     count_wanted(&piece)};
    if (makespans.count == 0) continue;
    ls_standings_add(standings, &makespans);
    if (run->take != NULL) status = run->take(run->context, &piece, &makespans, err);
  }
  return status;
}

enum ls_status ls_grid_run(const struct ls_grid_run *run, struct ls_standings *standings,
                           struct ls_error *err) {
  struct batch batch = {.run = run, .most = ls_grid_piece_most(run->grid, run->processes)};
  size_t bytes = run->algorithms * batch.most * sizeof(double);
  size_t pieces = ls_grid_pieces(run->grid, batch.most), room = BATCH_BYTES / bytes;
  assert(standings->count == run->algorithms);
  if (room < SHARES * run->processes) room = SHARES * run->processes;
  if (room > pieces) room = pieces;
  double *results = calloc(room, bytes);
  if (results == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", batch.most);
  enum ls_status status = LS_OK;
  for (; batch.first < pieces && status == LS_OK; batch.first += room) {
    size_t left = pieces - batch.first, count = left < room ? left : room;
    struct ls_grid_work work = {
        .count = count, .result_bytes = bytes, .compute = compute, .context = &batch};
    status = run->map(run->processes, &work, results, err);
    if (status == LS_OK) status = take_batch(&batch, count, results, standings, err);
  }
  free(results);
  return status;
}
