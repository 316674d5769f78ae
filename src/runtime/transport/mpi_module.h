/* mpi_module.h: the transport over MPI, of which there is one for each MPI, loaded at run time.
 *
 * The two MPIs cannot be linked into one program, and a program of one of them, started by the
 * other one's mpirun, is as many runs of one process.  So a module is chosen by what the launcher
 * says.  A module is never unloaded: MPI cannot be started twice.
 */
#ifndef LS_RUNTIME_TRANSPORT_MPI_MODULE_H
#define LS_RUNTIME_TRANSPORT_MPI_MODULE_H

#include "base/status.h"
#include "runtime/transport/transport.h"

/* Rises when struct ls_transport, what it names, or struct ls_mpi_module changes. */
enum { LS_MPI_MODULE_ABI = 2 };

/* What a module exports under LS_MPI_MODULE_SYMBOL. */
struct ls_mpi_module {
  unsigned abi;     /* first for ever: what follows depends on it */
  const char *name; /* "openmpi" */
  const struct ls_transport *transport;
};

#define LS_MPI_MODULE_SYMBOL "ls_mpi_module"
extern const struct ls_mpi_module ls_mpi_module; /* of the module itself */

/* Loads loadstar-NAME.so, or a file of this path (with a slash). It is sought in the folders of
 * LOADSTAR_MODULES, which colons separate, then beside the program and above it, then where
 * packages put it. LS_EINVAL: it is nowhere, or not one for this program, in words. */
LS_CHECKED enum ls_status ls_mpi_module_load(const char *name, const struct ls_mpi_module **out,
                                             struct ls_error *err);

#endif
