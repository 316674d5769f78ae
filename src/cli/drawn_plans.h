/* drawn_plans.h: plans that are played beside policies, under the same drawn times.
 *
 * A plan is one that stands in a file, or that a planner makes for the platform.  The coordinator
 * pushes its chunks, so they are of whole units; under certain times that is the plan's exact
 * replay.
 */
#ifndef LS_CLI_DRAWN_PLANS_H
#define LS_CLI_DRAWN_PLANS_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/planner_options.h"
#include "cli/simulate_policies.h"
#include "model/plan.h"

/* Starts as {0}. */
struct ls_drawn_plans {
  struct ls_plan *plans; /* owned, as all that follows */
  const char **names;    /* of the file or the planner, by plan */
  size_t count;
  struct ls_bytes refusals;         /* "umr: not applicable: why" of planners, in lines */
  const char **all_names;           /* those of policies, then those of plans */
  const struct ls_plan **all_plans; /* NULL for each policy, then the plans */
};

/* LS_EINVAL: the file has no plan for this platform, of whole units and of this load; < 0: of any.
 */
LS_CHECKED enum ls_status ls_drawn_plans_add_file(struct ls_drawn_plans *plans, const char *path,
                                                  const struct ls_platform *platform, double load,
                                                  struct ls_error *err);
/* Takes over a plan that was read and replayed, under this name; a failure closes it. LS_EINVAL as
 * above. */
LS_CHECKED enum ls_status ls_drawn_plans_add(struct ls_drawn_plans *plans, const char *name,
                                             struct ls_plan *plan, double load,
                                             struct ls_error *err);
/* Asks the planner, with the limits and for whole units. LS_EINVAL: there is none of this name. */
LS_CHECKED enum ls_status ls_drawn_plans_add_planner(struct ls_drawn_plans *plans,
                                                     const char *label,
                                                     const struct ls_platform *platform,
                                                     const struct ls_planner_limits *limits,
                                                     struct ls_error *err);
/* The cases of the run are those of its policies, if any were asked for, and the plans. */
LS_CHECKED enum ls_status ls_drawn_plans_join(struct ls_drawn_plans *plans, bool has_policies,
                                              struct ls_policy_run *run, struct ls_error *err);
void ls_drawn_plans_close(struct ls_drawn_plans *plans);

#endif
