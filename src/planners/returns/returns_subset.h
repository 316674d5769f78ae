/* returns_subset.h: the best subset of the workers of a pair of orders. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_SUBSET_H
#define LS_PLANNERS_RETURNS_RETURNS_SUBSET_H

#include "base/status.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_plan.h"

/* As ls_returns_program, with the rows of the enrolled only: the best over the subsets of
 * the listed workers (all subsets to 12 workers, else by dropping and adding). Compact. Sets the
 * verdict's makespan and is_proven; stopped, it is the best so far. */
LS_CHECKED enum ls_status ls_returns_enrolled(const struct ls_returns *returns,
                                              struct ls_scenario *scenario,
                                              struct ls_returns_verdict *verdict,
                                              struct ls_error *err);
/* The same with latencies, windows and rooms; the makespan is INFINITY where no subset within them
 * was found. Of more than 12 workers those that have units are the start, if any. */
LS_CHECKED enum ls_status ls_returns_affine_enrolled(const struct ls_returns *returns,
                                                     struct ls_scenario *scenario,
                                                     struct ls_returns_verdict *verdict,
                                                     struct ls_error *err);

#endif
