/* fit.h: a plan is brought into the windows and rooms of the workers.
 *
 * A theory sizes chunks as if any size would do.  Where a worker's window or room says otherwise,
 * large chunks become several, sent in rounds of their own, small ones grow to the window's lower
 * end or are left out, and what that takes or leaves goes to the others.  A plan that lies within
 * is not touched.
 */
#ifndef LS_PLANNERS_FIT_H
#define LS_PLANNERS_FIT_H

#include <stdbool.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

/* Has some worker a window or a room? */
bool ls_fit_is_needed(const struct ls_platform *platform);
/* Brings the chunks of `plan`, which are its load, into the windows, and replays it; whole units
 * stay whole, and a plan with returns keeps one chunk for a worker. Refuses the plan, naming
 * worker, window and chunk, when no such chunks are found, and says so when there are none. Where a
 * worker would hold more than its room, chunks become smaller and more, since rooms empty while a
 * plan runs; then such workers get less in all, in the end no more than their room; refuses where
 * that is not possible either. */
LS_CHECKED enum ls_status ls_fit_replay(struct ls_plan *plan, const struct ls_platform *platform,
                                        bool is_whole, struct ls_error *err);
/* The makespan that ls_fit_replay gives chunks like these, rounded first where whole units are
 * wanted, for those who choose among plans, which stay as they are; INFINITY: it refuses, or would
 * have to solve a program of integers. */
LS_CHECKED enum ls_status ls_fit_makespan(const struct ls_plan *plan,
                                          const struct ls_platform *platform, bool is_whole,
                                          double *makespan_s, struct ls_error *err);

#endif
