/* grid_run.h: algorithms over a grid of platforms, piece by piece, and how they stand.
 *
 * A piece is some neighbouring platforms of one block.  Pieces do not depend on each other, so
 * processes share them; they are few at a time, so that a grid of any size fits into memory.  The
 * result has the same digits for any number of processes.
 */
#ifndef LS_ADVISE_GRID_RUN_H
#define LS_ADVISE_GRID_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/policy_grid.h"
#include "base/status.h"
#include "model/platform_grid.h"
#include "theory/standings.h"

struct ls_grid_piece {
  const struct ls_platform_grid *grid; /* borrowed */
  size_t block, first, count;          /* platforms first .. first + count - 1 of the block */
  const bool *is_wanted; /* by platform of the piece; NULL: all. Those that are wanted stand next to
                            each other in all that is computed. Borrowed. */
};

/* How many platforms a piece has at most where so many processes share the grid, >= 1. */
size_t ls_grid_piece_most(const struct ls_platform_grid *grid, size_t processes);
/* How many pieces of at most `most` platforms there are, and piece `index`, which wants all its
 * platforms; pieces stand in the order of the grid. */
size_t ls_grid_pieces(const struct ls_platform_grid *grid, size_t most);
struct ls_grid_piece ls_grid_piece(const struct ls_platform_grid *grid, size_t most, size_t index);
/* The wanted platforms by their values; the caller frees them. NULL: there is no memory. */
struct ls_grid_point *ls_grid_piece_points(const struct ls_grid_piece *piece, size_t *count);

struct ls_grid_run {
  const struct ls_platform_grid *grid;
  const bool *is_wanted; /* by platform of the grid; NULL: all */
  size_t algorithms, processes;
  void *context; /* of the functions below */
  /* The makespan of each algorithm on each wanted platform of a piece, in seconds, of algorithm i
   * from makespans_s + i * stride on; INFINITY where it does not apply. */
  enum ls_status (*play)(void *context, const struct ls_grid_piece *piece, double *makespans_s,
                         size_t stride, struct ls_error *err);
  /* Sees the makespans of each piece, in the order of the pieces; NULL: nobody does. */
  enum ls_status (*take)(void *context, const struct ls_grid_piece *piece,
                         const struct ls_makespans *makespans, struct ls_error *err);
  /* Computes the work, in processes if it likes. */
  enum ls_status (*map)(size_t processes, const struct ls_grid_work *work, void *results,
                        struct ls_error *err);
};

/* Plays the grid, and adds all makespans to `standings`, which the caller has made. */
LS_CHECKED enum ls_status ls_grid_run(const struct ls_grid_run *run, struct ls_standings *standings,
                                      struct ls_error *err);

#endif
