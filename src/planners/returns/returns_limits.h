/* returns_limits.h: windows and rooms of workers whose results return.
 *
 * A worker gets one chunk, so its window and its room are two limits of it.  Throughputs know
 * nothing of them: they hold for any load.  Where the loads of a scenario lie outside, the program
 * that has a load, and the searches over it, keep the limits as bounds of its columns.
 */
#ifndef LS_PLANNERS_RETURNS_RETURNS_LIMITS_H
#define LS_PLANNERS_RETURNS_RETURNS_LIMITS_H

#include <stdbool.h>

#include "base/status.h"
#include "planners/planner.h"
#include "planners/returns/returns.h"

/* Units of the chunk of a worker that gets one; whole where whole units are wanted. None at all:
 * `most` is below `least`. */
struct ls_returns_limits {
  double least, most;
};

/* By worker, into `*limits`; NULL where no worker has any. The caller frees. */
LS_CHECKED enum ls_status ls_returns_limits_read(const struct ls_planner_setup *setup,
                                                 struct ls_returns_limits **limits,
                                                 struct ls_error *err);
/* Do the scenario's units, scaled to the load, lie within the limits? */
bool ls_returns_fits(const struct ls_returns *returns, const struct ls_scenario *scenario);
/* Can all listed workers together, each with a chunk, be given the load? */
bool ls_returns_can_hold(const struct ls_returns *returns, const struct ls_scenario *scenario);
/* Units that are the load but for rounding, and within the limits but for rounding, become both. */
void ls_returns_settle(const struct ls_returns *returns, struct ls_scenario *scenario);
/* Begins with the listed workers that are enrolled, and enrols and dismisses single ones until they
 * can hold the load, each with a chunk; false: none can, or they were not found. A start for a
 * search: no program, O(p^2) steps and a fixed number more. */
bool ls_returns_enrol(const struct ls_returns *returns, const struct ls_scenario *listed,
                      bool *is_enrolled);

#endif
