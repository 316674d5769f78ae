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

#endif
