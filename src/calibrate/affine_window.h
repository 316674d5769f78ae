/* affine_window.h: the ranges of sizes in which every operation keeps to one affine law.
 *
 * The joint segmentation of docs/theory/scow.md, 7: one exact dynamic program over cut points for
 * all operations together, a robust line in each segment, bad points trimmed from its ends, and a
 * segment that no line fits is a transition and no window.  A window is confirmed by points that
 * its lines have not seen.  The scale of seconds and of units does not matter.
 */
#ifndef LS_CALIBRATE_AFFINE_WINDOW_H
#define LS_CALIBRATE_AFFINE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "calibrate/affine_fit.h"
#include "calibrate/window_grid.h"

enum { LS_WINDOW_POINTS_MIN = 8 /* sizes in a window, at least */ };

struct ls_affine_window {
  double units_from, units_to;
  size_t sizes;         /* of the grid */
  size_t below, above;  /* sizes of the grid on either side */
  double outliers;      /* share of points more than three deviations away */
  double held_out;      /* the same of points that the lines were not fitted to */
  struct ls_cost *laws; /* of each operation; a coefficient may be negative; owned */
};

struct ls_affine_windows {
  struct ls_affine_window *items; /* ascending */
  size_t count;
  size_t segments;  /* that the sizes were cut into */
  bool is_searched; /* false: there are too few sizes to cut; then there is no window */
};

/* `grid` has at most LS_WINDOW_SIZES_MAX sizes. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_affine_windows_find(const struct ls_window_grid *grid,
                                                 struct ls_affine_windows *windows,
                                                 struct ls_error *err);
void ls_affine_windows_close(struct ls_affine_windows *windows);

#endif
