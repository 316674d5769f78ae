/* umr_grid.h: the experiments of the UMR paper's Table 1: ten algorithms on identical workers.
 *
 * 1064 pairs of workers and bandwidth, the blocks of the grid, and for each 34 x 34 cases of
 * latencies: 1,229,984 configurations.  S = 1 unit/s for each worker, W = 1000 units, no other
 * delay.
 */
#ifndef LS_LAB_UMR_GRID_H
#define LS_LAB_UMR_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/grid_play.h"
#include "base/status.h"
#include "model/platform_grid.h"

enum {
  LS_UMR_GRID_PAIRS = 1064,
  LS_UMR_GRID_LATENCIES = 34, /* 0, 0.03, .. 0.99 s */
  LS_UMR_GRID_CASES = LS_UMR_GRID_LATENCIES * LS_UMR_GRID_LATENCIES,
  LS_UMR_GRID_SMALL = 4 /* latencies below 0.1 s */
};

/* The algorithms in the order of the tables. */
enum ls_umr_grid_algorithm {
  LS_GRID_UMR,
  LS_GRID_MI_1, /* MI-2 .. MI-8 follow */
  LS_GRID_ONE_BATCH = LS_GRID_MI_1 + 8,
  LS_GRID_ALGORITHMS
};
extern const char *const ls_umr_grid_names[LS_GRID_ALGORITHMS];  /* as in the tables */
extern const char *const ls_umr_grid_labels[LS_GRID_ALGORITHMS]; /* as on the command line */

/* The files of the grid: Table 1, and where the network latency is below 0.1 s. */
extern const char ls_umr_grid_text[], ls_umr_grid_small_text[];

/* Makespans by algorithm and case. */
struct ls_umr_grid_makespans {
  double at[LS_GRID_ALGORITHMS][LS_UMR_GRID_CASES];
};

/* The caller closes it. */
LS_CHECKED enum ls_status ls_umr_grid_open(struct ls_platform_grid *grid, const char *text,
                                           struct ls_error *err);
/* Plays the wanted cases of one pair (NULL: all), by the planners one after another or together. */
LS_CHECKED enum ls_status ls_umr_grid_play(const struct ls_grid_piece *piece, bool is_one_by_one,
                                           struct ls_umr_grid_makespans *makespans,
                                           struct ls_error *err);

#endif
