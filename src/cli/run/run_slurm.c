#include "cli/run/run_slurm.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/console.h"
#include "cli/run/run_pools.h"
#include "runtime/os/process.h"

/* Each processor of a node has a worker, where nothing else is said. */
static enum ls_status choose_workers(const struct ls_slurm_wish *wish, uint64_t *workers,
                                     struct ls_error *err) {
  *workers = wish->workers > 0 ? wish->workers : wish->cpus;
  return *workers > 0 ? LS_OK : ls_slurm_count_cpus(wish->partition, workers, err);
}

enum ls_status ls_run_slurm_prepare(struct ls_run_options *options, struct ls_slurm_setup *slurm,
                                    struct ls_error *err) {
  if (!options->has_slurm) return LS_OK;
  slurm->wish = options->slurm;
  slurm->more = options->slurm_extra;
  char *sbatch = ls_process_find("sbatch");
  if (sbatch == NULL)
    return ls_fail(err, LS_ENOWORKERS,
                   "--slurm: there is no sbatch in PATH: Slurm is not "
                   "installed here");
  free(sbatch);
  enum ls_status status = choose_workers(&slurm->wish, &slurm->workers, err);
  if (status != LS_OK) return status;
  const struct ls_run_pool pool = {.name = "slurm", .workers = ls_run_slurm_workers(slurm)};
  return ls_run_pools_add(options, &pool, err);
}

size_t ls_run_slurm_workers(const struct ls_slurm_setup *slurm) {
  return (size_t)(slurm->wish.nodes * slurm->workers);
}

int ls_run_slurm_rehearse(const char *name, const struct ls_slurm_setup *slurm) {
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  enum ls_status status = ls_slurm_rehearse(slurm, &text, &err);
  fputs(ls_bytes_text(&text), stderr);
  ls_bytes_close(&text);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(name, &err);
}
