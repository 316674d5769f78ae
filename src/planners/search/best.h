/* best.h: what planner `best` keeps while it searches. */
#ifndef LS_PLANNERS_SEARCH_BEST_H
#define LS_PLANNERS_SEARCH_BEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/planner.h"

/* A plan that is better by a smaller share is only rounded otherwise. */
extern const double ls_best_least_gain;

/* The best plan so far, and the work that it took. */
struct ls_best {
  const struct ls_planner_setup *setup;
  struct ls_plan plan;
  double makespan_s;        /* INFINITY: no plan yet */
  char winner[32];          /* the planner that made it */
  struct ls_budget *budget; /* with a limit; a replay is one work */
};

/* Replays a candidate (after rounding where whole units are wanted), counts the work, and takes it
 * when it is better than the best so far; `candidate` may be built anew afterwards. Its makespan;
 * INFINITY when rounding left it other units than the load. */
LS_CHECKED enum ls_status ls_best_offer(struct ls_best *best, struct ls_plan *candidate,
                                        const char *who, double *makespan_s, struct ls_error *err);

#endif
