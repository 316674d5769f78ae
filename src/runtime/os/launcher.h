/* launcher.h: who started this process, as its environment tells: mpirun of an MPI, or Slurm's
 * srun.
 */
#ifndef LS_RUNTIME_OS_LAUNCHER_H
#define LS_RUNTIME_OS_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

struct ls_launcher {
  const char *mpi; /* "openmpi" or "mpich", by what the launcher speaks; NULL: it speaks none */
  uint32_t processes, rank; /* processes: 0: it does not say */
  bool is_srun;             /* it is srun. Without `mpi`: of several processes */
  bool goes_on;             /* the others, when one that is not rank 0 dies */
};

struct ls_launcher ls_launcher_find(void);
/* Takes what a launcher added out of the environment of this process and of all that it starts: a
 * command that is an MPI program itself would take itself for one of the launcher's processes.
 * What the user set stays. Not before MPI has started here. Without a launcher nothing changes. */
void ls_launcher_clean(void);

#endif
