/* latency_search.h: good pairs of orders where messages have latencies. */
#ifndef LS_PLANNERS_RETURNS_LATENCY_SEARCH_H
#define LS_PLANNERS_RETURNS_LATENCY_SEARCH_H

#include "base/status.h"
#include "planners/returns/returns.h"

enum { LS_LATENCY_SEARCH_ALL_MAX = 4 };
/* With latencies, from a scenario that is good without: all scenarios of at most 4 workers
 * (*is_proven), else drops, adds and swaps while they help. */
LS_CHECKED enum ls_status ls_latency_search_run(const struct ls_returns *returns,
                                                struct ls_scenario *scenario, double *makespan_s,
                                                struct ls_error *err);

#endif
