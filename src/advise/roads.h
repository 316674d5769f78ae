/* roads.h: two roads from runs to a platform, each judged by runs that it did not see.
 *
 * By measurements: the laws of the chunks of other runs.  By makespans: these laws, changed until
 * the replays of the other runs last as long as those did.
 */
#ifndef LS_ADVISE_ROADS_H
#define LS_ADVISE_ROADS_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/makespan_fit.h"
#include "base/status.h"
#include "calibrate/calibration.h"
#include "model/platform.h"
#include "model/run_course.h"

/* Which runs, and how their measurements are fitted. Borrowed. */
struct ls_roads_setup {
  const struct ls_run_course *courses;
  size_t count;
  const struct ls_calibration_options *options;
  size_t window; /* of each group, from 1; 0: that of least cost */
};

/* Seconds; NAN where the other runs say nothing of its workers. */
struct ls_roads_run {
  double happened_s, by_measurements_s, by_makespans_s;
};

struct ls_roads {
  struct ls_roads_run *runs; /* of the first courses, at most LS_ROADS_HELD_OUT_MAX */
  size_t count;
  bool is_held_out;           /* false: there is one run only, which both roads have seen */
  struct ls_makespan_fit fit; /* over all runs */
};

enum { LS_ROADS_HELD_OUT_MAX = 16 };

/* The platform that the chunks of all runs but `without` (SIZE_MAX: of all) make. LS_EINVAL:
 * nothing was measured, or no platform comes of it (calibration.h); LS_ENOMEM. */
LS_CHECKED enum ls_status ls_roads_by_measurements(const struct ls_roads_setup *setup,
                                                   size_t without, struct ls_platform *platform,
                                                   struct ls_error *err);
/* `platform` comes by measurements of all runs, and is left with the costs by makespans. LS_EINVAL:
 * a run computed nothing, or its workers are not on the platform. */
LS_CHECKED enum ls_status ls_roads_compare(const struct ls_roads_setup *setup,
                                           struct ls_platform *platform, struct ls_roads *roads,
                                           struct ls_error *err);
void ls_roads_close(struct ls_roads *roads);

#endif
