/* planner_options.h: named arguments of a planner, from the command line, a file or a vector.
 *
 * What every planner takes stands beside its own parameters: `whole_units` (`integer` is its
 * synonym) and `work`, the replays that a search may spend.
 */
#ifndef LS_CLI_PLANNER_OPTIONS_H
#define LS_CLI_PLANNER_OPTIONS_H

#include "base/json.h"
#include "base/status.h"
#include "planners/planner.h"

/* Sets NAME to the value in `text`; LS_EINVAL names the argument, the value and what was expected.
 */
LS_CHECKED enum ls_status ls_planner_options_set(const struct ls_planner *planner,
                                                 struct ls_planner_setup *setup, const char *name,
                                                 const char *text, struct ls_error *err);
/* Sets every member of an object. */
LS_CHECKED enum ls_status ls_planner_options_read(const struct ls_planner *planner,
                                                  struct ls_planner_setup *setup,
                                                  const struct ls_json *object,
                                                  struct ls_error *err);

/* Lets a search stop by the clock: `ls_planner_budget_is_spent` is a setup's `stop`, the budget its
 * `stop_context`. */
struct ls_planner_budget {
  double until_s; /* of ls_clock_s */
};
struct ls_planner_budget ls_planner_budget_start(double seconds);
bool ls_planner_budget_is_spent(void *context);

#endif
