/* compare_policies.h: what `loadstar compare` does with policies and with numbers of workers.
 */
#ifndef LS_CLI_COMPARE_POLICIES_H
#define LS_CLI_COMPARE_POLICIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/simulate_policies.h"

/* "1-50", "8": numbers of workers, the fastest first. */
struct ls_worker_range {
  size_t least, most; /* 0: not given */
};

/* LS_EINVAL: no such range. */
LS_CHECKED enum ls_status ls_worker_range_read(struct ls_worker_range *range, const char *text,
                                               struct ls_error *err);
/* Prints the cases of the run, the least mean makespan first; draws them as well. `picture`: the
 * file, "-" for standard output, or NULL. */
LS_CHECKED enum ls_status ls_compare_policies(const struct ls_policy_run *run, bool wants_json,
                                              const char *picture, struct ls_error *err);
/* Prints time, efficiency and EER of the first policy on so many of the fastest workers of the
 * first platform, with the perfect number and the ideal and the usable set. */
LS_CHECKED enum ls_status ls_compare_workers(const struct ls_policy_run *run,
                                             const struct ls_worker_range *range, bool wants_json,
                                             struct ls_error *err);

#endif
