/* run_auto.h: --policy auto: what the knowledge before a run decides: policy, prefetch, and which
 * workers to take.
 */
#ifndef LS_CLI_RUN_AUTO_H
#define LS_CLI_RUN_AUTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/run/run_policy.h"

/* Without --policy the choice is ours. */
bool ls_run_auto_is_asked(const struct ls_run_options *options);
/* Chooses; with --deadline or --price-max the workers first. LS_EINVAL: nothing is known of the
 * tasks, or something else decides on policy or workers, too. */
LS_CHECKED enum ls_status ls_run_auto_choose(struct ls_run_policy *policy,
                                             const struct ls_run_options *options, uint64_t units,
                                             struct ls_error *err);

#endif
