/* grid_play.h: what planners reach on a piece of a grid.
 *
 * Planners whose plans on identical workers can be played together are (star_batch.h), all others
 * plan platform by platform; both give the same digits.
 */
#ifndef LS_ADVISE_GRID_PLAY_H
#define LS_ADVISE_GRID_PLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/grid_run.h"
#include "base/status.h"

struct ls_grid_planners {
  const char *const *labels; /* "umr", "mi:3"; borrowed */
  size_t count;
  bool is_whole;      /* whole units are wanted */
  bool is_one_by_one; /* platform by platform, whatever could be played together */
  uint64_t work_max;  /* of searches; 0: the planner's default */
};

/* The makespan of each planner on each wanted platform, in seconds, of planner i from
 * makespans_s + i * stride on; INFINITY where it has no plan. LS_EINVAL: no such planner. */
LS_CHECKED enum ls_status ls_grid_play(const struct ls_grid_piece *piece,
                                       const struct ls_grid_planners *planners, double *makespans_s,
                                       size_t stride, struct ls_error *err);

#endif
