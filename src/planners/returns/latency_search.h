/* latency_search.h: good pairs of orders where messages have latencies, or workers have limits. */
#ifndef LS_PLANNERS_RETURNS_LATENCY_SEARCH_H
#define LS_PLANNERS_RETURNS_LATENCY_SEARCH_H

#include "base/status.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_plan.h"

enum { LS_LATENCY_SEARCH_ALL_MAX = 4 };
/* With latencies, windows and rooms, from a scenario that is good without: all scenarios of at most
 * 4 workers, else drops, adds and swaps while they help. Sets the verdict's makespan, INFINITY
 * where no sizes within the limits were found, and is_proven. */
LS_CHECKED enum ls_status ls_latency_search_run(const struct ls_returns *returns,
                                                struct ls_scenario *scenario,
                                                struct ls_returns_verdict *verdict,
                                                struct ls_error *err);

#endif
