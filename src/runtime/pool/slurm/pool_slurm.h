/* pool_slurm.h: workers in jobs of Slurm.
 *
 * sbatch, squeue and scancel are children that nobody waits for, one of each at a time; what they
 * say goes into a queue (slurm_queue.h), which decides.  The jobs of a run are known by their name,
 * loadstar-RUN, so that a run that goes on finds those of its former master.  Script, logs and the
 * key file, where the user named none, lie in a folder of the same name, which the nodes must
 * reach; it goes at the end, but for the logs of jobs that failed.
 */
#ifndef LS_RUNTIME_POOL_SLURM_POOL_SLURM_H
#define LS_RUNTIME_POOL_SLURM_POOL_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/slurm_wish.h"
#include "runtime/pool/pool.h"

/* The pool's own part of its setup (ls_pool_setup.own). Borrowed until the pool is closed. */
struct ls_slurm_setup {
  struct ls_slurm_wish wish;
  uint64_t workers;      /* of a node */
  const char *more;      /* further words for sbatch; NULL: none */
  const char *program;   /* whose subcommand `worker` the jobs run: an absolute path */
  const char *directory; /* where the folder is made */
  double heartbeat_s;
  bool takes_over; /* an earlier session of the run may have jobs */
  /* What the user should know. May be NULL. */
  void (*warn)(void *context, const char *text);
  void *context;
};

extern const struct ls_pool_kind ls_pool_slurm;

/* --dry-run: the words of sbatch, the script, and what sbatch --test-only says of them. LS_EINVAL:
 * it refuses them, and `out` has its words; LS_EIO: it cannot be asked. Waits for sbatch. */
LS_CHECKED enum ls_status ls_slurm_rehearse(const struct ls_slurm_setup *setup,
                                            struct ls_bytes *out, struct ls_error *err);
/* The processors of the smallest node of a partition ("": the default one). LS_EIO: sinfo does not
 * say. Waits for it. */
LS_CHECKED enum ls_status ls_slurm_count_cpus(const char *partition, uint64_t *cpus,
                                              struct ls_error *err);

#endif
