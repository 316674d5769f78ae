/* run_platform.h: the knowledge of a run's workers that --platform gives: how many there are, their
 * speeds, rooms and prices, by slot.
 */
#ifndef LS_CLI_RUN_PLATFORM_H
#define LS_CLI_RUN_PLATFORM_H

#include "cli/run/run_policy.h"

/* Reads it; it says how many workers there are, unless another option does. */
LS_CHECKED enum ls_status ls_run_platform_read(struct ls_run_policy *policy,
                                               const struct ls_run_options *options,
                                               struct ls_error *err);
/* Without weights, the policy knows the speeds that the user gave, or those of the platform. */
LS_CHECKED enum ls_status ls_run_platform_weigh(struct ls_run_policy *policy,
                                                const struct ls_run_options *options,
                                                struct ls_error *err);
/* The first `count` workers in another order: a permutation of 0 .. count - 1. */
LS_CHECKED enum ls_status ls_run_platform_reorder(struct ls_platform *platform,
                                                  const uint64_t *order, size_t count,
                                                  struct ls_error *err);
/* Rooms and prices of the workers that are chosen. */
LS_CHECKED enum ls_status ls_run_platform_take(struct ls_run_policy *policy, struct ls_error *err);

#endif
