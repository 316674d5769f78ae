/* plan_request.h: what `loadstar plan` is asked for beside platform and output: an analysis, and
 * named parameters of it or of a planner.
 */
#ifndef LS_CLI_PLAN_REQUEST_H
#define LS_CLI_PLAN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/planner_options.h"
#include "model/platform.h"
#include "planners/planner.h"

enum { LS_PLAN_SETTINGS_MAX = 64 };

/* One parameter on the command line. Borrowed texts. */
struct ls_plan_setting {
  const char *option; /* that gave it: "--set" */
  const char *name;   /* NULL: what stands in `text` before the '=' */
  const char *text, *value;
};

struct ls_plan_request {
  const char *analysis;  /* NULL: none */
  const char *arguments; /* a file in JSON; NULL: none */
  struct ls_plan_setting settings[LS_PLAN_SETTINGS_MAX];
  size_t settings_count;
  struct ls_planner_limits limits;
  bool wants_json;
};

/* Puts the parameters into a setup whose arguments are the planner's defaults; the command line
 * overrides the file. */
LS_CHECKED enum ls_status ls_plan_settings_apply(const struct ls_plan_request *request,
                                                 const struct ls_planner *planner,
                                                 struct ls_planner_setup *setup,
                                                 struct ls_error *err);
/* Prints what the analysis finds; `*exit_status` where its theory does not cover the platform. */
LS_CHECKED enum ls_status ls_plan_analyse(const struct ls_plan_request *request,
                                          const struct ls_platform *platform, int *exit_status,
                                          struct ls_error *err);

#endif
