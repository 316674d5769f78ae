/* compare_ways.h: what `loadstar compare --front` and `--sites` try: planners, or policies with
 * their orders.
 */
#ifndef LS_CLI_COMPARE_WAYS_H
#define LS_CLI_COMPARE_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/compare_front.h"
#include "cli/planner_options.h"
#include "cli/simulate_policies.h"
#include "planners/planner.h"

/* Does `--front' try this planner where none is named?  Not one that asks others or solves many
 * linear programs: each is asked for hundreds of crews. */
bool ls_front_tries(const struct ls_planner *planner);
/* Completes the request by the ways, and shows it. */
LS_CHECKED enum ls_status ls_front_of_planners(struct ls_front_request *request,
                                               const struct ls_policy_words *labels,
                                               const struct ls_planner_limits *limits, bool *holds,
                                               struct ls_error *err);
/* LS_EINVAL: the run has several platforms. */
LS_CHECKED enum ls_status ls_front_of_policies(struct ls_front_request *request,
                                               const struct ls_policy_run *run, bool *holds,
                                               struct ls_error *err);

#endif
