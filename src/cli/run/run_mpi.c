#include "cli/run/run_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/run_pools.h"

bool ls_run_mpi_is_follower(void) {
  struct ls_launcher launcher = ls_launcher_find();
  return launcher.mpi != NULL && launcher.rank > 0;
}

static enum ls_status refuse_to_start(const struct ls_launcher *launcher,
                                      const struct ls_run_options *options, struct ls_error *err) {
  bool is_named = options->transport != LS_RUN_MPI;
  const char *option = is_named ? "--mpi " : "--transport mpi",
             *name = is_named ? options->mpi : "";
  if (launcher->is_srun)
    return ls_fail(err, LS_EINVAL,
                   "%s%s under srun needs its --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)", option,
                   name);
  return ls_fail(err, LS_EINVAL,
                 "%s%s needs a launcher of MPI: start with mpirun -n 4 ..., or srun --mpi=pmix -n "
                 "4 ...",
                 option, name);
}

enum ls_status ls_run_mpi_choose(struct ls_run_mpi *mpi, const struct ls_run_options *options,
                                 struct ls_error *err) {
  struct ls_launcher *launcher = &mpi->rank.launcher;
  *launcher = ls_launcher_find();
  bool is_launched = launcher->mpi != NULL;
  if (options->transport == LS_RUN_LOCAL) {
    if (options->mpi == NULL) return LS_OK;
    return ls_fail(err, LS_EINVAL, "--mpi %s is not for --transport local, which speaks no MPI",
                   options->mpi);
  }
  bool is_open = options->transport == LS_RUN_AUTO && options->mpi == NULL;
  if (is_open && (!is_launched || launcher->processes < 2)) return LS_OK;
  if (!is_launched) return refuse_to_start(launcher, options, err);
  enum ls_status status = ls_mpi_rank_load(&mpi->rank, options->mpi, err);
  if (status != LS_OK)
    return ls_fail(err, status, "%u processes of %s: %.300s%s", launcher->processes, launcher->mpi,
                   err != NULL ? err->text : "",
                   options->mpi == NULL ? "; --transport local would run each by itself" : "");
  mpi->is_wanted = true;
  return LS_OK;
}

int ls_run_mpi_work(struct ls_run_mpi *mpi, const char *name, const struct ls_app *app) {
  struct ls_worker_options worker = {.speed = 1, .app = app};
  return ls_mpi_rank_work(&mpi->rank, name, &worker);
}

/* Before the ranks are counted nobody knows how many speeds are too many. */
static enum ls_status check_speeds(const struct ls_run_options *options, size_t ranks,
                                   struct ls_error *err) {
  size_t workers = ranks + options->workers;
  if (workers == 0 || options->speeds_count <= workers) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--speeds has %zu values for %zu workers", options->speeds_count,
                 workers);
}

/* Speeds go by slot: the ranks have the first ones, those behind them are of local workers. */
static enum ls_status share_speeds(struct ls_run_options *options, double *speeds, size_t ranks,
                                   struct ls_error *err) {
  size_t given = options->speeds_count, local = options->workers;
  double *own = calloc(local + 1, sizeof *own);
  if (own == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", local);
  for (size_t i = 0; i < ranks; i++) speeds[i] = given > 0 ? options->speeds[i % given] : 1;
  for (size_t i = 0; i < local; i++) own[i] = given > 0 ? options->speeds[(ranks + i) % given] : 1;
  free(options->speeds);
  options->speeds = own;
  options->speeds_count = given > 0 ? local : 0;
  return LS_OK;
}

enum ls_status ls_run_mpi_reckon(struct ls_run_mpi *mpi, struct ls_run_options *options,
                                 struct ls_error *err) {
  uint32_t processes = mpi->rank.launcher.processes;
  size_t ranks = mpi->is_wanted && processes > 0 ? processes - 1 : 0;
  enum ls_status status = check_speeds(options, ranks, err);
  if (status != LS_OK || !mpi->is_wanted) return status;
  bool has_others = options->workers > 0 || ls_run_pools_is_remote(options);
  if (ranks == 0 && !has_others)
    return ls_fail(err, LS_EINVAL,
                   "one process of MPI is the master, and there is no worker: expected mpirun -n 2 "
                   "or more, --workers N or --listen ADDRESS");
  double *speeds = calloc(ranks + 1, sizeof *speeds);
  if (speeds == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu ranks", ranks);
  status = share_speeds(options, speeds, ranks, err);
  if (options->workers == 0) options->has_no_local = true;
  options->elsewhere.ranks = ranks;
  const struct ls_run_pool pool = {"mpi", ranks, speeds};
  if (status == LS_OK) status = ls_run_pools_add(options, &pool, err);
  /* A rank does not know what its run was begun with. */
  mpi->speeds = speeds;
  return status;
}

enum ls_status ls_run_mpi_open(struct ls_run_mpi *mpi, struct ls_site *site, struct ls_error *err) {
  if (!mpi->is_wanted) return LS_OK;
  enum ls_status status = ls_mpi_rank_start(&mpi->rank, err);
  if (status != LS_OK) return status;
  if (site->doors_count == LS_SITE_DOORS_MAX)
    return ls_fail(err, LS_EINVAL, "a run has %d listeners at most", LS_SITE_DOORS_MAX);
  site->doors[site->doors_count++] =
      (struct ls_site_door){.transport = mpi->rank.transport, .address = LS_MPI_ADDRESS};
  return LS_OK;
}

void ls_run_mpi_warn(const struct ls_run_mpi *mpi, const char *name,
                     const struct ls_run_options *options) {
  const struct ls_launcher *launcher = &mpi->rank.launcher;
  if (options->is_quiet) return;
  if (launcher->is_srun && launcher->mpi == NULL && launcher->rank == 0 &&
      options->transport == LS_RUN_AUTO)
    fprintf(stderr,
            "%s: srun started %u processes, and each is a run of its own: --mpi=pmix or pmi2 of "
            "srun makes one run of them (--transport local says that this is meant)\n",
            name, launcher->processes);
  if (!mpi->is_wanted) return;
  bool can_recover = strcmp(launcher->mpi, "openmpi") == 0 && !launcher->is_srun;
  if (options->journal == NULL && !launcher->goes_on)
    fprintf(stderr,
            "%s: a process that dies ends all of them, and what was done is lost: --journal FILE "
            "keeps it%s\n",
            name, can_recover ? "; mpirun --enable-recovery goes on without it" : "");
  if (options->workers > ls_run_pools_cores())
    fprintf(stderr, "%s: %zu workers and the master have %zu of the cores of this machine\n", name,
            options->workers, ls_run_pools_cores());
}
