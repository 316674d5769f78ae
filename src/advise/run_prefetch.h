/* run_prefetch.h: --prefetch auto: how many units may wait at a worker of a run, from what is known
 * before it.
 */
#ifndef LS_ADVISE_RUN_PREFETCH_H
#define LS_ADVISE_RUN_PREFETCH_H

#include "advise/advise.h"
#include "advise/advise_world.h"
#include "base/bytes.h"
#include "base/status.h"

/* The least prefetch whose simulated makespan, with the candidate's policy on all workers of the
 * situation, is within 1 % of the best (simulate/prefetch_choice.h), and why, in one line; where
 * nothing is known that of the situation. */
LS_CHECKED enum ls_status ls_run_advise_prefetch(const struct ls_run_situation *situation,
                                                 const struct ls_candidate *candidate,
                                                 uint64_t *prefetch, struct ls_bytes *reason,
                                                 struct ls_error *err);

#endif
