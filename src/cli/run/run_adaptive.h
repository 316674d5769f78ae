/* run_adaptive.h: how many workers a run wants, which tasks run twice, and the declared times of
 * tasks: --sizing, --replication, --extra, --loss-rate, --times.
 */
#ifndef LS_CLI_RUN_ADAPTIVE_H
#define LS_CLI_RUN_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/run/run_options.h"
#include "coordinator/coordinator.h"

/* Owns its times; the coordinator's configuration points at its arguments. */
struct ls_run_adaptive {
  const struct ls_sizing *sizing;           /* NULL: as many workers as were asked for */
  const struct ls_replication *replication; /* NULL: none */
  size_t extra;                             /* of the workers, kept for replicas */
  struct ls_arguments sizing_arguments, replication_arguments;
  double *times; /* declared seconds by task; NULL: none */
  uint64_t times_count;
};

/* Of what the names of sizing and replication say by themselves. LS_EINVAL names the option. */
LS_CHECKED enum ls_status ls_run_adaptive_check(const struct ls_run_options *options,
                                                struct ls_error *err);
/* LS_EINVAL names the option, or the file and the line, at fault. `units`: of the first iteration;
 * `workers`: of the run, extra ones included. */
LS_CHECKED enum ls_status ls_run_adaptive_choose(struct ls_run_adaptive *adaptive,
                                                 const struct ls_run_options *options,
                                                 uint64_t units, size_t workers,
                                                 struct ls_error *err);
void ls_run_adaptive_close(struct ls_run_adaptive *adaptive);
/* Is NAME of --set a parameter of the sizing or the replication? Sets it then; `*is_known` says. */
LS_CHECKED enum ls_status ls_run_adaptive_set(struct ls_run_adaptive *adaptive, const char *name,
                                              const char *text, bool *is_known,
                                              struct ls_error *err);
/* Fills the coordinator's configuration; `adaptive` stays where it is as long as that is used. */
void ls_run_adaptive_apply(const struct ls_run_adaptive *adaptive,
                           const struct ls_run_options *options,
                           struct ls_coordinator_config *config);

#endif
