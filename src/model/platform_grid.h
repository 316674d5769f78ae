/* platform_grid.h: many platforms by ranges: every combination of some values.
 *
 * A platform of the grid has `workers` workers of one speed behind one network, and a load of its
 * own; with a heterogeneity above 1 its workers differ, drawn from a seed.  The combinations stand
 * in the order of the axes below, the last one changing first.  Those that differ in no more than
 * their latencies and seeds are a block: neighbours, and planned together where that is quicker.
 */
#ifndef LS_MODEL_PLATFORM_GRID_H
#define LS_MODEL_PLATFORM_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/platform.h"

enum ls_grid_axis {
  LS_GRID_LOAD,             /* units, > 0 */
  LS_GRID_WORKERS,          /* a whole number, >= 1 */
  LS_GRID_SPEED,            /* units/s of a worker, > 0 */
  LS_GRID_RATE,             /* units/s of the network, > 0 */
  LS_GRID_DELAY,            /* s, >= 0 */
  LS_GRID_HETEROGENEITY,    /* of a value drawn, the largest possible over the least; >= 1 */
  LS_GRID_TRANSFER_LATENCY, /* s, >= 0 */
  LS_GRID_COMPUTE_LATENCY,  /* s, >= 0 */
  LS_GRID_SEED,             /* a whole number */
  LS_GRID_AXES
};
/* "load", "workers", ..., as in the file of a grid. */
extern const char *const ls_grid_axis_names[LS_GRID_AXES];
extern const char *const ls_grid_axis_labels[LS_GRID_AXES]; /* with units, for drawings */

enum { LS_GRID_VALUES_MOST = 100000, LS_GRID_WORKERS_MOST = 100000 };
/* Platforms of a grid. */
#define LS_GRID_PLATFORMS_MOST ((uint64_t)1 << 40)

struct ls_grid_values {
  double *items; /* owned */
  size_t count;  /* >= 1 */
};

/* First, first + step, ..., at most `last`. */
struct ls_grid_range {
  double first, last, step;
};
/* How many values it has, > LS_GRID_VALUES_MOST: too many; and the value of one of them, to 12
 * digits, so that 3 x 0.1 is 0.3. */
size_t ls_grid_range_count(const struct ls_grid_range *range);
double ls_grid_range_value(const struct ls_grid_range *range, size_t index);

struct ls_platform_grid {
  struct ls_grid_values axes[LS_GRID_AXES];
  /* Rates from first to last times the number of workers, both rounded down, take the place of the
   * axis of rates, which is empty then. */
  bool has_rates_of_workers;
  struct ls_grid_range rates_of_workers;
  enum ls_ports ports; /* two-port or one-port */
  /* Set by ls_platform_grid_finish. */
  size_t *first_rates; /* owned: how many pairs of workers and rate stand before this number of
                          workers, with one more for all */
  size_t blocks, block_platforms;
};

/* One platform by its values. */
struct ls_grid_point {
  double values[LS_GRID_AXES];
};

/* Counts blocks and platforms, once all axes have their values. LS_EINVAL: too many, or some number
 * of workers has no rate. */
LS_CHECKED enum ls_status ls_platform_grid_finish(struct ls_platform_grid *grid,
                                                  struct ls_error *err);
void ls_platform_grid_close(struct ls_platform_grid *grid);
uint64_t ls_platform_grid_count(const struct ls_platform_grid *grid);
/* Platform `index` of a block, by its values. */
struct ls_grid_point ls_platform_grid_point(const struct ls_platform_grid *grid, size_t block,
                                            size_t index);
/* May the workers of this point differ? */
bool ls_grid_point_is_drawn(const struct ls_grid_point *point);
/* The platform itself; the caller closes it. */
LS_CHECKED enum ls_status ls_platform_grid_make(const struct ls_platform_grid *grid,
                                                const struct ls_grid_point *point,
                                                struct ls_platform *platform, struct ls_error *err);
/* Makes the platform of one point that of another with equally many workers. */
void ls_platform_grid_set(const struct ls_grid_point *point, struct ls_platform *platform);

#endif
