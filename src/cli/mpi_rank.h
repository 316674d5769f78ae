/* mpi_rank.h: this process as one of those that a launcher of MPI has started. */
#ifndef LS_CLI_MPI_RANK_H
#define LS_CLI_MPI_RANK_H

#include "base/status.h"
#include "runtime/os/launcher.h"
#include "runtime/transport/transport.h"
#include "runtime/worker/worker.h"

#define LS_MPI_ADDRESS "mpi:"

struct ls_mpi_rank {
  struct ls_launcher launcher;
  const struct ls_transport *transport; /* of the MPI; NULL: none is loaded */
  bool is_started;
  bool has_lost_master; /* it was silent for too long */
};

/* Loads the module of this MPI (NULL: of the launcher's) for the transport. LS_EINVAL: there is no
 * such module, in words. */
LS_CHECKED enum ls_status ls_mpi_rank_load(struct ls_mpi_rank *rank, const char *mpi,
                                           struct ls_error *err);
/* All processes of the launcher come together. LS_EINVAL: the MPI is another one than the
 * launcher's. */
LS_CHECKED enum ls_status ls_mpi_rank_start(struct ls_mpi_rank *rank, struct ls_error *err);
/* Starts as well if that was not done yet: the others wait for all. Nothing without a transport. */
void ls_mpi_rank_end(struct ls_mpi_rank *rank);
/* A rank but 0, as a worker until the run is over. The exit status is 0 whatever happens: any other
 * one makes launchers end the whole job; what fails is said. */
int ls_mpi_rank_work(struct ls_mpi_rank *rank, const char *name, struct ls_worker_options *worker);

#endif
