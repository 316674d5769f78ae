/* planner.h: computes the whole schedule ahead: platform x load -> plan.  The interface of
 * planners.
 *
 * One file per published algorithm, one line each in list.h.  "The theory does not cover this
 * platform" is an answer (ls_plan_refuse), not an error.
 */
#ifndef LS_PLANNERS_PLANNER_H
#define LS_PLANNERS_PLANNER_H

#include <stdbool.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

struct ls_planner {
  const char *name;      /* "umr" */
  const char *summary;   /* one line */
  const char *reference; /* key in docs/references.bib, with equations */
  /* Adds the chunks of a schedule for `load` > 0 units to the empty `plan`, or refuses. */
  enum ls_status (*plan)(const struct ls_platform *platform, double load, struct ls_plan *plan,
                         struct ls_error *err);
};

extern const struct ls_planner *const ls_planners[]; /* NULL-terminated; list.h */
const struct ls_planner *ls_planner_find(const char *name);

#endif
