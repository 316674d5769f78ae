/* run_rehearse.h: --dry-run=cost: what the run will cost, in words, before it.
 */
#ifndef LS_CLI_RUN_REHEARSE_H
#define LS_CLI_RUN_REHEARSE_H

#include <stdint.h>

#include "advise/run_cost.h"
#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_account.h"

/* The text of --dry-run; NULL: it has none. LS_EINVAL. */
LS_CHECKED enum ls_status ls_run_rehearse_read(struct ls_run_options *options, const char *text,
                                               struct ls_error *err);
/* Of the units, by the account's policy and options. LS_EINVAL says what is missing where nothing
 * is known of the times; else as ls_run_cost_find. The caller closes. */
LS_CHECKED enum ls_status ls_run_rehearse_cost(struct ls_run_account *account, uint64_t units,
                                               struct ls_run_cost *cost, struct ls_error *err);
/* The lines: tasks, duration, core hours, workers, and the one for Slurm, which begins the run
 * again by `name` ("loadstar run"), with as many workers as pay. */
void ls_run_rehearse_write(const struct ls_run_account *account, const char *name, uint64_t units,
                           const struct ls_run_cost *cost, struct ls_bytes *out);
/* The same as one JSON object: seconds. */
void ls_run_rehearse_write_json(const struct ls_run_account *account, const char *name,
                                uint64_t units, const struct ls_run_cost *cost,
                                struct ls_bytes *out);

#endif
