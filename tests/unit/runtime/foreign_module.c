/* foreign_module.c: what the module of another version of Loadstar exports. */
#include "runtime/transport/mpi_module.h"

const struct ls_mpi_module ls_mpi_module = {.abi = LS_MPI_MODULE_ABI + 41, .name = "foreign"};
