/* replay_private.h: the pieces of the replay that stand in their own files. */
#ifndef LS_MODEL_REPLAY_PRIVATE_H
#define LS_MODEL_REPLAY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/platform.h"

/* One message on a network that several share: it waits for `ready_s`, spends `latency_s` without
 * using bandwidth, then moves `work_s` seconds' worth of data (at full rate). */
struct ls_shared_transfer {
  double ready_s, latency_s, work_s;
  double start_s, end_s; /* found */
};

/* Plays `count` transfers that start in the order of the array (a later one never before an earlier
 * one), at most `limit` (0: any number) at once from start to end, of which those that move data
 * run at 1/k^alpha of their rate each.  O(n log n). */
LS_CHECKED enum ls_status ls_replay_share(struct ls_shared_transfer *transfers, size_t count,
                                          double alpha, uint64_t limit, struct ls_error *err);

#endif
