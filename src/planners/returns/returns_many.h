/* returns_many.h: loads of more workers with latencies than programs of subsets can look at. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_MANY_H
#define LS_PLANNERS_RETURNS_RETURNS_MANY_H

#include <stddef.h>

#include "base/status.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_plan.h"

/* Keeps the workers with the most units in the orders. */
LS_CHECKED enum ls_status ls_returns_keep_largest(struct ls_scenario *scenario, size_t limit,
                                                  struct ls_error *err);
/* The loads with latencies of a compact scenario, good without them; what is sent, whole units
 * where those are wanted, is compared. The verdict says how they were found. Windows and rooms are
 * not looked at. */
LS_CHECKED enum ls_status ls_returns_load_many(const struct ls_returns *returns,
                                               struct ls_scenario *scenario,
                                               struct ls_returns_verdict *verdict,
                                               struct ls_error *err);

#endif
