/* run_situation.h: what is known of a run before it begins, and what follows for its prefetch. */
#ifndef LS_CLI_RUN_SITUATION_H
#define LS_CLI_RUN_SITUATION_H

#include "cli/run/run_policy.h"

/* A resumed run decides on what is left of its tasks. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_situation_keep_left(struct ls_run_policy *policy,
                                                     const struct ls_run_options *options,
                                                     uint64_t units, struct ls_error *err);
/* For advice on the workers that the policy's config has by now; borrows from policy and options.
 * `units`: of the whole run. */
struct ls_run_situation ls_run_situation_of(const struct ls_run_policy *policy,
                                            const struct ls_run_options *options, uint64_t units);
/* --prefetch auto, with the policy that was chosen; else nothing happens. */
LS_CHECKED enum ls_status ls_run_situation_prefetch(struct ls_run_policy *policy,
                                                    const struct ls_run_options *options,
                                                    uint64_t units, struct ls_error *err);
/* Was a prefetch given that no advice may change? */
bool ls_run_keeps_prefetch(const struct ls_run_options *options);

#endif
