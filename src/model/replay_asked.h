/* replay_asked.h: plays the chunks of a run again whose workers asked for them.
 *
 * Nobody sends a chunk before its worker has asked for it, and it asked when it had computed so
 * many units.  Which of the workers asks first is what the platform makes of it; the chunks of each
 * keep their order, and the master serves who asked first.
 */
#ifndef LS_MODEL_REPLAY_ASKED_H
#define LS_MODEL_REPLAY_ASKED_H

#include <stdbool.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

/* Not where results take time to come back, where readers wait for a storage, under multi-port, and
 * of plans that repeat or order their returns. */
bool ls_replay_can_ask(const struct ls_plan *plan, const struct ls_platform *platform);
/* Fills times and makespan as ls_replay does. `asked_units`, of each chunk: what its worker had
 * computed in all when it asked for it, ascending for each worker; more than it was sent means all
 * of that. NULL, and where nobody can ask: ls_replay. O(n log p). */
LS_CHECKED enum ls_status ls_replay_asked(struct ls_plan *plan, const struct ls_platform *platform,
                                          const double *asked_units, struct ls_error *err);

#endif
