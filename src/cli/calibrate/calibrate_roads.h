/* calibrate_roads.h: two roads to a platform, each judged by runs that it did not see.
 *
 * By measurements: the laws of the chunks of other runs.  By makespans: these laws, changed until
 * the replays of the other runs last as long as those did.
 */
#ifndef LS_CLI_CALIBRATE_ROADS_H
#define LS_CLI_CALIBRATE_ROADS_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/makespan_fit.h"
#include "base/bytes.h"
#include "base/status.h"
#include "calibrate/calibration.h"
#include "model/platform.h"

/* Seconds; NAN where the other runs say nothing of its workers. */
struct ls_roads_run {
  const char *path; /* borrowed */
  double happened_s, by_measurements_s, by_makespans_s;
};

struct ls_roads {
  struct ls_roads_run *runs;
  size_t count;
  bool is_held_out;           /* false: there is one run only, which both roads have seen */
  struct ls_makespan_fit fit; /* over all runs */
};

/* Which runs, and how their measurements are fitted. */
struct ls_roads_setup {
  const char *const *paths; /* of journals */
  size_t count;
  const struct ls_calibration_options *options;
  size_t window; /* of each group, from 1; 0: that of least cost */
};

/* `platform` comes by measurements of all runs, and is left with the costs by makespans. LS_EINVAL
 * names a file that is no journal of a run. */
LS_CHECKED enum ls_status ls_roads_compare(const struct ls_roads_setup *setup,
                                           struct ls_platform *platform, struct ls_roads *roads,
                                           struct ls_error *err);
void ls_roads_close(struct ls_roads *roads);
void ls_roads_write_text(const struct ls_roads *roads, struct ls_bytes *out);
void ls_roads_write_json(const struct ls_roads *roads, struct ls_bytes *out);

#endif
