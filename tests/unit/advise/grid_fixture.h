/* grid_fixture.h: a small grid of platforms for tests. */
#ifndef TEST_GRID_FIXTURE_H
#define TEST_GRID_FIXTURE_H

#include <stdlib.h>

#include "model/platform_grid.h"

/* `workers` and twice as many, two rates, and latencies 0, 0.1, ... of both kinds. */
static inline void make_grid(struct ls_platform_grid *grid, double workers, size_t latencies,
                             double heterogeneity) {
  *grid = (struct ls_platform_grid){.ports = LS_PORTS_TWO};
  for (size_t i = 0; i < LS_GRID_AXES; i++) {
    bool is_latency = i == LS_GRID_TRANSFER_LATENCY || i == LS_GRID_COMPUTE_LATENCY;
    bool is_pair = i == LS_GRID_WORKERS || i == LS_GRID_RATE;
    struct ls_grid_values *values = &grid->axes[i];
    values->count = is_latency ? latencies : is_pair ? 2 : 1;
    values->items = calloc(values->count, sizeof *values->items);
    if (values->items == NULL) abort();
    for (size_t k = 0; k < values->count; k++)
      values->items[k] = is_latency             ? 0.1 * (double)k
                         : i == LS_GRID_LOAD    ? 300
                         : i == LS_GRID_WORKERS ? workers * (double)(k + 1)
                         : i == LS_GRID_RATE    ? 15 * (double)(k + 1)
                         : i == LS_GRID_DELAY   ? 0
                         : i == LS_GRID_SPEED   ? 1
                                                : heterogeneity;
  }
  if (ls_platform_grid_finish(grid, NULL) != LS_OK) abort();
}

#endif
