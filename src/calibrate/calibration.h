/* calibration.h: from measurements to laws, and from these to a platform.
 *
 * Workers are compared in windows that are looked for in the measurements of all, each worker's
 * times being divided by how slow it is.  Those that are alike become groups, and in each group the
 * sizes are cut into affine windows of its own, in which all operations are fitted over the
 * measurements of all its workers.  Where the sizes are not cut (one law holds everywhere, or they
 * are too few), a group has one window over all of them.
 */
#ifndef LS_CALIBRATE_CALIBRATION_H
#define LS_CALIBRATE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "calibrate/affine_fit.h"
#include "calibrate/homogeneity.h"
#include "calibrate/task_law.h"
#include "model/measurement.h"
#include "model/platform.h"
#include "model/windows.h"

LS_C_BEGIN

struct ls_calibration_options {
  double tolerance;   /* the thesis's TOL; NAN: by 5 % (homogeneity.h) */
  bool seeks_windows; /* else one window over all sizes */
};

enum { LS_CALIBRATED_NEXT = 4 };

struct ls_calibrated_window {
  double units_from, units_to; /* what was measured in it */
  /* Are there sizes below, or above, at which other laws were seen? Else nothing is known of what
   * holds there: all were measured beyond only in part, or not at all. */
  bool is_limited_below, is_limited_above;
  size_t sizes;              /* of the grid of sizes; 0: they were not looked at */
  double outliers, held_out; /* affine_window.h; NAN: sizes is 0 */
  struct ls_affine_fit fits[LS_MEASURED_FITTED]; /* count 0: not measured in it */
  /* The sizes that would tell most of each, one after another; around the measured ones where
   * latency and rate cannot be told apart. */
  double next_units[LS_MEASURED_FITTED][LS_CALIBRATED_NEXT];
};

struct ls_calibrated_group {
  size_t workers_count;
  struct ls_calibrated_window *windows; /* ascending, at least one */
  size_t windows_count;
  size_t segments; /* that its sizes were cut into; those that are no window are transitions */
  size_t outside;  /* measurements of sizes that are in no window: no law is fitted to them */
};

struct ls_calibrated_worker {
  uint32_t group;
  double factor;            /* homogeneity.h; NAN: its computing was not measured */
  struct ls_task_law tasks; /* of measurements of one unit; count 0: there are none */
};

struct ls_calibration {
  size_t workers_count;
  struct ls_calibrated_worker *workers;
  struct ls_calibrated_group *groups;
  size_t groups_count;
  double factor_units; /* the size at which factors compare the workers; NAN: no compute */
};

/* LS_EINVAL: there is no measurement of a worker. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_calibrate(const struct ls_measurements *measurements,
                                       const struct ls_calibration_options *options,
                                       struct ls_calibration *calibration, struct ls_error *err);
void ls_calibration_close(struct ls_calibration *calibration);

/* The window of a group in which a unit costs least, chunks being the largest of it. */
size_t ls_calibrated_group_best(const struct ls_calibrated_group *group);
/* Instead of the number of a window: the best one, or all of them. */
static const size_t LS_CALIBRATED_BEST = 0, LS_CALIBRATED_ALL = SIZE_MAX;
/* A platform with the laws of one window of each group (limited where another law was seen), or of
 * all, and names as measured: `window` counts from 1. An operation that was not measured in one of
 * several windows has there the law of the nearest one in which it was, and a window in which no
 * computing was measured is left out. The times of units are spread as
 * the tasks of a worker were, where ten or more were measured. Staging has no cost in a platform.
 * Its ports are multi-port with alpha 0 where links were seen to be separate, else two-port.
 * LS_EINVAL: a worker's computing was not measured, or its group has fewer windows; names the
 * first such worker. */
LS_CHECKED enum ls_status ls_calibration_platform(const struct ls_calibration *calibration,
                                                  const struct ls_measurements *measurements,
                                                  size_t window, struct ls_platform *platform,
                                                  struct ls_error *err);

/* Receiving that takes less than a hundredth of computing, in chunks of these sizes, becomes a part
 * of it. */
void ls_calibrated_join_receiving(struct ls_cost *costs, double units_from, double units_to);

/* Fewer chunks in a window leave it as it was: any two are on one line. */
enum { LS_REFINED_CHUNKS_LEAST = 3 };

/* One of several windows of workers of a platform that was renewed. */
struct ls_refined_window {
  double from, to;
  size_t renewed, kept; /* measured workers that had, or had not, chunks enough in it */
};
/* What became of the workers of a platform that was renewed. */
struct ls_refinement {
  size_t renewed, added; /* measured: there before, or not */
  size_t kept;           /* not measured, or in none of their windows often enough */
  size_t scaled;         /* of the renewed: operations of which all chunks had one size */
  struct ls_refined_window windows[LS_WINDOWS_MOST]; /* different ones, as they were met first */
  size_t windows_count;
};
/* New measurements: `platform` is what ls_calibration_platform made of the calibration, and that of
 * `measurements`; `places` says for each of its workers who that is on the platform that is renewed
 * (SIZE_MAX: a new one). */
struct ls_renewal {
  const struct ls_measurements *measurements;
  const struct ls_calibration *calibration;
  const struct ls_platform *platform;
  const size_t *places;
};

/* The workers of `platform` get the laws that were measured. The newest fit takes the place of what
 * an operation cost before.  Where all chunks were of one size, latency and rate keep their share,
 * and both are scaled to what a chunk of that size took.  Of a worker with several windows each
 * gets the law of the chunks that lie in it, of all workers that are alike; where these are fewer
 * than LS_REFINED_CHUNKS_LEAST of an operation, it keeps its own.  All that was not measured stays:
 * other operations and workers, windows, rooms, prices, and the ports unless the links were seen to
 * be otherwise. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_calibration_refine(const struct ls_renewal *renewal,
                                                struct ls_platform *platform,
                                                struct ls_refinement *done, struct ls_error *err);

LS_C_END

#endif
