/* planner_options.h: named arguments of a planner, from the command line, a file or a vector.
 *
 * Every planner takes these arguments beside its own parameters: `whole_units` (`integer` is its
 * synonym) and `work`, the replays that a search may spend.
 */
#ifndef LS_CLI_PLANNER_OPTIONS_H
#define LS_CLI_PLANNER_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

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

/* What is to be planned and how far a search may go, as options: --load, --whole-units, --work,
 * --budget. Filled by ls_planner_limits_argp, a child parser: its input. Starts as {0}. */
struct ls_planner_limits {
  bool has_load, is_whole;
  double load;       /* units */
  uint64_t work_max; /* 0: the planner's default */
  double budget_s;   /* 0: none */
};
extern const struct argp ls_planner_limits_argp;
/* One of the options given beside --load, all of which concern planners alone; NULL: none. */
const char *ls_planner_limits_extra(const struct ls_planner_limits *limits);

/* The clock's part of a setup: `stop` says true once the budget is spent. */
struct ls_planner_clock {
  double until_s; /* of ls_clock_s */
};
/* Puts the limits into a setup, and the planner's own argument `time_limit` where it has one;
 * `clock` starts now and must live as long as the setup. */
void ls_planner_limits_apply(const struct ls_planner_limits *limits,
                             const struct ls_planner *planner, struct ls_planner_clock *clock,
                             struct ls_planner_setup *setup);

#endif
