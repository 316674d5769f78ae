/* iterated_search.h: good pairs of orders of any number of workers. */
#ifndef LS_PLANNERS_RETURNS_ITERATED_SEARCH_H
#define LS_PLANNERS_RETURNS_ITERATED_SEARCH_H

#include "base/status.h"
#include "planners/returns/returns.h"

/* Which local optima are looked at. */
struct ls_iterated_search {
  uint64_t starts; /* random starts */
  uint64_t seed;
};
/* A good scenario of any number of workers, without latencies; never worse than the best FIFO and
 * the best LIFO. */
LS_CHECKED enum ls_status ls_iterated_search_run(const struct ls_returns *returns,
                                                 const struct ls_iterated_search *search,
                                                 struct ls_scenario *scenario,
                                                 struct ls_error *err);

#endif
