/* plan_crew.h: a plan for those workers of a platform that keep a deadline or a limit of price.
 */
#ifndef LS_CLI_PLAN_CREW_H
#define LS_CLI_PLAN_CREW_H

#include <stdbool.h>

#include "advise/offers.h"
#include "base/bytes.h"
#include "base/status.h"
#include "cli/crew_judges.h"
#include "model/plan.h"

struct ls_crew_choice {
  bool is_met;           /* else the terms cannot be kept, and this is the best that can be had */
  struct ls_bytes words; /* what was chosen; the caller closes them, also after a failure */
};

/* The plan on the whole platform of the crew that the terms choose; the others get nothing. Where
 * no crew has a plan, it is that of the whole platform, with its refusal. `plan` is initialised
 * here; the caller closes it, also after a failure. `*choice` is empty before. */
LS_CHECKED enum ls_status ls_plan_by_crew(const struct ls_planner_judge *judge,
                                          const struct ls_terms *terms, struct ls_plan *plan,
                                          struct ls_crew_choice *choice, struct ls_error *err);

#endif
