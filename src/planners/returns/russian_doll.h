/* russian_doll.h: the best pair of orders of a few workers. */
#ifndef LS_PLANNERS_RETURNS_RUSSIAN_DOLL_H
#define LS_PLANNERS_RETURNS_RUSSIAN_DOLL_H

#include "base/status.h"
#include "planners/returns/returns.h"

/* The best scenario of at most LS_RUSSIAN_DOLL_MAX workers, without latencies: proven when
 * `*upper_bound` is its throughput. A node is one work of the budget. */
enum { LS_RUSSIAN_DOLL_MAX = 12 };
LS_CHECKED enum ls_status ls_russian_doll_run(const struct ls_returns *returns,
                                              struct ls_scenario *scenario, double *upper_bound,
                                              struct ls_error *err);

#endif
