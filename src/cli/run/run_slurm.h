/* run_slurm.h: --slurm: jobs of Slurm as a pool of the run.
 */
#ifndef LS_CLI_RUN_SLURM_H
#define LS_CLI_RUN_SLURM_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_options.h"
#include "runtime/pool/slurm/pool_slurm.h"

/* Before the site is assembled: how many workers the jobs have, and that the run reckons with them.
 * Nothing happens without --slurm. LS_ENOWORKERS: there is no sbatch here; LS_EINVAL: they are too
 * many, or nobody knows how many; LS_EIO: sinfo fails. May ask sinfo. */
LS_CHECKED enum ls_status ls_run_slurm_prepare(struct ls_run_options *options,
                                               struct ls_slurm_setup *slurm, struct ls_error *err);
/* Workers of all its jobs. */
size_t ls_run_slurm_workers(const struct ls_slurm_setup *slurm);
/* --dry-run: the script of the jobs and what sbatch says of it, on standard error; `name` stands in
 * front. The exit status. */
int ls_run_slurm_rehearse(const char *name, const struct ls_slurm_setup *slurm);

#endif
