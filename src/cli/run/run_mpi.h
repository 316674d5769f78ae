/* run_mpi.h: `loadstar run` under a launcher of MPI: rank 0 is the master, all others are workers.
 *
 * Ranks have the first slots, rank r the r-th; local workers beside the master follow.
 */
#ifndef LS_CLI_RUN_RUN_MPI_H
#define LS_CLI_RUN_RUN_MPI_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/mpi_rank.h"
#include "cli/run/run_options.h"
#include "runtime/application.h"
#include "runtime/master/site.h"

/* Starts as {0}. */
struct ls_run_mpi {
  struct ls_mpi_rank rank;
  bool is_wanted; /* and its module is loaded */
  double *speeds; /* at rank 0, of the others; owned */
};

/* Before the options are read: is this a process whose mistakes another one tells? */
bool ls_run_mpi_is_follower(void);
/* By the launcher and the user's choice. LS_EINVAL: the choice cannot be, in words. */
LS_CHECKED enum ls_status ls_run_mpi_choose(struct ls_run_mpi *mpi,
                                            const struct ls_run_options *options,
                                            struct ls_error *err);
/* A rank but 0: its exit status when the run is over. */
int ls_run_mpi_work(struct ls_run_mpi *mpi, const char *name, const struct ls_app *app);
/* Rank 0: the workers that the run reckons with. LS_EINVAL: there are none, or too many speeds. */
LS_CHECKED enum ls_status ls_run_mpi_reckon(struct ls_run_mpi *mpi, struct ls_run_options *options,
                                            struct ls_error *err);
/* Rank 0: starts MPI, and adds its door to the site. Says to `name`'s user what the run risks. */
LS_CHECKED enum ls_status ls_run_mpi_open(struct ls_run_mpi *mpi, struct ls_site *site,
                                          struct ls_error *err);
void ls_run_mpi_warn(const struct ls_run_mpi *mpi, const char *name,
                     const struct ls_run_options *options);

#endif
