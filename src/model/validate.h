/* validate.h: is this plan, is this timeline, possible at all? */
#ifndef LS_MODEL_VALIDATE_H
#define LS_MODEL_VALIDATE_H

#include "base/linkage.h"
#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/timeline.h"

LS_C_BEGIN

/* A replayed plan: load conserved (1e-9 relative), sizes > 0, workers in range, stations in order,
 * each duration that of the platform (1e-9), one chunk at a time per resource, ports respected,
 * returns in their order, chunks within
 * the windows of their workers, no worker with more units than it has room for. LS_EINVAL names the
 * first violation with its numbers. */
LS_CHECKED enum ls_status ls_validate_plan(const struct ls_plan *plan,
                                           const struct ls_platform *platform,
                                           struct ls_error *err);
/* Of a replayed plan whose workers are in range: chunks within the windows of their workers, never
 * more units at a worker (arrived and unfinished, the running chunk included) than it has room for.
 * LS_EINVAL names the first chunk that is not. */
LS_CHECKED enum ls_status ls_validate_limits(const struct ls_plan *plan,
                                             const struct ls_platform *platform,
                                             struct ls_error *err);
/* The same: LS_EINVAL, and `*chunk`, the first one outside; else `*chunk` is left alone. Of a plan
 * that is not replayed only the sizes of the chunks are looked at, beside windows and rooms. */
LS_CHECKED enum ls_status ls_validate_find_outside(const struct ls_plan *plan,
                                                   const struct ls_platform *platform,
                                                   size_t *chunk, struct ls_error *err);
/* A timeline: no resource does two things at once, spans run forwards and within the makespan and
 * the workers' presence. */
LS_CHECKED enum ls_status ls_validate_timeline(const struct ls_timeline *timeline,
                                               struct ls_error *err);

LS_C_END

#endif
