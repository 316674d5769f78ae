/* window_grid.h: the sizes that all operations were measured at, and the median time at each.
 *
 * Where there are many sizes, or few in common, neighbours are taken together: a point of the grid
 * is then a range of sizes, and each operation has its own median size in it.
 */
#ifndef LS_CALIBRATE_WINDOW_GRID_H
#define LS_CALIBRATE_WINDOW_GRID_H

#include <stddef.h>

#include "base/status.h"
#include "calibrate/affine_fit.h"

enum { LS_WINDOW_SIZES_MAX = 96 };

struct ls_window_grid {
  size_t operations, sizes;
  double *least, *most;    /* of each size: the range of units that it stands for */
  double *units, *seconds; /* [operation * sizes + size] */
};

/* From the points of each operation (count >= 1, all of them not empty). No sizes where they have
 * too little in common. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_window_grid_make(const struct ls_points *operations, size_t count,
                                              struct ls_window_grid *grid, struct ls_error *err);
void ls_window_grid_close(struct ls_window_grid *grid);

#endif
