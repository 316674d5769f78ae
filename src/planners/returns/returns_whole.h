/* returns_whole.h: whole units of a scenario made better by replay.
 *
 * Rounding keeps the workers and the orders that are best for parts of units.  With few units
 * others are better: single units and whole chunks move between workers, and workers change their
 * places in the orders, as far as the planner may choose them, while the plan ends sooner.
 */
#ifndef LS_PLANNERS_RETURNS_RETURNS_WHOLE_H
#define LS_PLANNERS_RETURNS_RETURNS_WHOLE_H

#include "base/status.h"
#include "planners/returns/returns.h"

/* `units`, by worker, whole and within the limits, and the orders of the scenario become better or
 * stay. The scenario's own units stay; workers without whole units stand in no order then. */
LS_CHECKED enum ls_status ls_returns_improve_whole(const struct ls_returns *returns,
                                                   struct ls_scenario *scenario, double *units,
                                                   struct ls_error *err);

#endif
