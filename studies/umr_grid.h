/* umr_grid.h: the experiments of the UMR paper's Table 1: ten algorithms on identical workers.
 *
 * 1064 pairs of workers and bandwidth, and for each 34 x 34 cases of latencies: 1,229,984
 * configurations.  One call plays some cases of one pair, either by the planners and the general
 * replay, one plan after another, or by the closed forms that the planners use and the batch
 * replay.  Both give the same digits.
 */
#ifndef LS_STUDIES_UMR_GRID_H
#define LS_STUDIES_UMR_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
  LS_UMR_GRID_PAIRS = 1064,
  LS_UMR_GRID_LATENCIES = 34,
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
extern const char *const ls_umr_grid_names[LS_GRID_ALGORITHMS]; /* as in the tables */

/* S = 1 unit/s for each worker, W = 1000 units, no other delay. */
struct ls_umr_grid_pair {
  uint32_t workers;   /* N = 10, 15, .. 50 */
  uint32_t bandwidth; /* B = floor(1.1 N), + 1, .. 5 N units/s */
};
/* The pair of this index, in the order of N, then B. */
struct ls_umr_grid_pair ls_umr_grid_pair(size_t index);

/* One case of a pair: nLat and cLat by index, each 0.03 s times that. */
struct ls_umr_grid_case {
  uint8_t network, compute;
};
double ls_umr_grid_latency_s(size_t index);

/* Makespans by algorithm and case. */
struct ls_umr_grid_makespans {
  double at[LS_GRID_ALGORITHMS][LS_UMR_GRID_CASES];
};

/* Plays `count` <= LS_UMR_GRID_CASES cases, those of one network latency next to each other. */
LS_CHECKED enum ls_status ls_umr_grid_play(const struct ls_umr_grid_pair *pair,
                                           const struct ls_umr_grid_case *cases, size_t count,
                                           struct ls_umr_grid_makespans *makespans,
                                           struct ls_error *err);
LS_CHECKED enum ls_status ls_umr_grid_play_batch(const struct ls_umr_grid_pair *pair,
                                                 const struct ls_umr_grid_case *cases, size_t count,
                                                 struct ls_umr_grid_makespans *makespans,
                                                 struct ls_error *err);

#endif
