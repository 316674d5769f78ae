/* crew_judges.h: what a crew takes and costs: by the exact replay of a planner's plan, or by
 * simulations of a policy.
 */
#ifndef LS_CLI_CREW_JUDGES_H
#define LS_CLI_CREW_JUDGES_H

#include <stddef.h>

#include "advise/crews.h"
#include "advise/policy_grid.h"
#include "base/status.h"
#include "cli/plan_request.h"
#include "cli/planner_options.h"
#include "model/plan.h"

/* A planner that does not apply to a crew, or refuses it, has no offer. */
struct ls_planner_judge {
  const struct ls_platform *platform;
  const struct ls_planner_limits *limits;
  const char *label;                      /* "mi:3" */
  const struct ls_plan_request *settings; /* NULL: those of the label alone */
};
LS_CHECKED enum ls_status ls_judge_by_planner(void *judge, struct ls_crew *crews, size_t count,
                                              struct ls_error *err);
/* Its plan for one crew. `plan` is initialised here; the caller closes it, also after a failure. */
LS_CHECKED enum ls_status ls_plan_for_crew(const struct ls_planner_judge *judge,
                                           const struct ls_platform *crew, struct ls_plan *plan,
                                           struct ls_error *err);

/* The first platform of the grid is searched; all crews meet the same seeds. */
struct ls_policy_judge {
  const struct ls_policy_grid *grid; /* of one policy and one order */
};
LS_CHECKED enum ls_status ls_judge_by_policy(void *judge, struct ls_crew *crews, size_t count,
                                             struct ls_error *err);

#endif
