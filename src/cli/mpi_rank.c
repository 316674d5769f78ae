#include "cli/mpi_rank.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/interrupts.h"
#include "runtime/os/limits.h"
#include "runtime/os/program.h"
#include "runtime/transport/mpi_module.h"

/* Rank 0 may read its inputs for hours; if it dies, so does the job. */
static const double WAIT_S = 1e9;

enum ls_status ls_mpi_rank_load(struct ls_mpi_rank *rank, const char *mpi, struct ls_error *err) {
  const struct ls_mpi_module *module = NULL;
  const struct ls_launcher *launcher = &rank->launcher;
  enum ls_status status = ls_mpi_module_load(mpi != NULL ? mpi : launcher->mpi, &module, err);
  if (status != LS_OK) return status;
  /* It would end the process, with words of its own in each. */
  if (launcher->is_srun && strcmp(launcher->mpi, "mpich") == 0 &&
      strcmp(module->name, "openmpi") == 0)
    return ls_fail(err, LS_EINVAL, "Open MPI starts under srun's --mpi=pmix, not --mpi=pmi2");
  rank->transport = module->transport;
  return LS_OK;
}

enum ls_status ls_mpi_rank_start(struct ls_mpi_rank *rank, struct ls_error *err) {
  rank->is_started = true;
  return rank->transport->start(rank->launcher.processes, err);
}

void ls_mpi_rank_end(struct ls_mpi_rank *rank) {
  if (rank->transport == NULL) return;
  bool is_well = rank->is_started || ls_mpi_rank_start(rank, NULL) == LS_OK;
  if (is_well) rank->transport->end(rank->has_lost_master);
  rank->transport = NULL;
}

int ls_mpi_rank_work(struct ls_mpi_rank *rank, const char *name, struct ls_worker_options *worker) {
  char host[48] = "", own[80], place[24], program[LS_PROGRAM_BYTES];
  struct ls_error err = {0};
  ls_limits_raise();
  /* What concerns all of them rank 0 says. */
  if (ls_mpi_rank_start(rank, &err) != LS_OK) return LS_EXIT_OK;
  ls_launcher_clean();
  (void)gethostname(host, sizeof host - 1);
  (void)snprintf(own, sizeof own, "%.40s-%u", host, rank->launcher.rank);
  (void)snprintf(place, sizeof place, "mpi:%u", rank->launcher.rank);
  ls_program_describe(program);
  worker->transport = rank->transport;
  worker->address = LS_MPI_ADDRESS;
  worker->name = own;
  worker->place = place;
  worker->program = program;
  worker->lifeline = -1;
  worker->wait_s = WAIT_S;
  /* Launchers send signals to all their processes; what to do about them rank 0 decides. */
  (void)signal(SIGINT, SIG_IGN);
  (void)signal(SIGTERM, SIG_IGN);
  (void)signal(SIGHUP, SIG_IGN);
  struct ls_worker_signals signals = ls_interrupts_start_worker(name, true);
  worker->suspensions = signals.suspensions;
  worker->returns = signals.returns;
  enum ls_status status = ls_worker_run(worker, &err);
  if (status != LS_OK && status != LS_EINTERRUPTED)
    fprintf(stderr, "%s: rank %u, at %s: %s\n", name, rank->launcher.rank, host, err.text);
  rank->has_lost_master = status == LS_EIO;
  ls_mpi_rank_end(rank);
  return LS_EXIT_OK;
}
