/* replay.h: plays a plan exactly on a platform.
 *
 * Every station is a resource that serves one chunk at a time, first come first served: master
 * (prepare + send), network outwards, delay, the worker's reader (stage), worker (receive +
 * compute), network inwards.  A reader begins a chunk while fewer than `stage_ahead` that it has
 * staged are not begun; with 0, when nothing is computed.  At a shared storage readers are served
 * by the time at which they could begin, equal ones by the number of the chunk.  With one-port,
 * sends and replies share one network, which serves what was ready first; with multi-port, k
 * transfers that move data run at 1/k^alpha of their rate each, latencies overlap and use no
 * bandwidth, and at most `limit` transfers are in progress, in each direction by itself.  In the
 * returns' order a result is held until it is its turn; a reply is ready when its chunk's compute
 * ends.  Ties on a shared port, but for rounding: a transfer outwards before a reply.  The replay
 * is the truth about a plan: the makespan is what it says, never what a formula promised.
 */
#ifndef LS_MODEL_REPLAY_H
#define LS_MODEL_REPLAY_H

#include <stdbool.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/timeline.h"

LS_C_BEGIN

/* From when on a result that is ready at `time_s` is behind a transfer outwards that becomes ready:
 * later by what a hundred thousand sums may lose by rounding, so that a tie is one however its
 * times were summed. */
static inline double ls_reply_turn_s(double time_s) {
  return time_s + 1e-11 * time_s;
}

/* A plan that repeats is played by its increment: the time of a few plays of its body where the
 * stations settle (under multi-port its chunks are written out for the replay).
 *
 * Fills the times of the chunks and plan->makespan_s; a plan whose replay fails has neither, also
 * when it had them before. LS_EINVAL: a worker out of range, a return
 * listed twice, an order of returns that can never be played. O(n) for two-port (O(n log n) with
 * replies in computing order). */
LS_CHECKED enum ls_status ls_replay(struct ls_plan *plan, const struct ls_platform *platform,
                                    struct ls_error *err);
/* The makespan alone, without writing times into the plan: the fast path of searches. Same digits
 * as ls_replay. */
LS_CHECKED enum ls_status ls_replay_makespan(const struct ls_plan *plan,
                                             const struct ls_platform *platform, double *makespan_s,
                                             struct ls_error *err);
/* Turns a replayed plan into a timeline with spans. */
LS_CHECKED enum ls_status ls_replay_timeline(const struct ls_plan *plan,
                                             const struct ls_platform *platform,
                                             struct ls_timeline *timeline, struct ls_error *err);

LS_C_END

#endif
