/* run_labels.h: `--needs LABEL`: only workers with that label do the tasks of a run.
 *
 * With replacement strings each task says what it needs, and all workers are started. Else a pool,
 * or host, whose workers lack the label is not asked for any: the run goes on as if it had
 * not been named.  Others say what they have when they join, and the master looks at it.
 */
#ifndef LS_CLI_RUN_LABELS_H
#define LS_CLI_RUN_LABELS_H

#include <stddef.h>

#include "base/status.h"
#include "cli/run/run_options.h"
#include "protocol/host_list.h"

/* Before the pools are counted: whether Slurm is asked. LS_EINVAL: the label cannot be needed with
 * other options, or by the ranks of MPI, which are there (`has_ranks`). */
LS_CHECKED enum ls_status ls_run_labels_begin(struct ls_run_options *options, bool has_ranks,
                                              struct ls_error *err);
/* When it is known whether each unit has needs of its own. LS_EINVAL: other options say who does
 * what. */
LS_CHECKED enum ls_status ls_run_labels_check(const struct ls_run_options *options,
                                              struct ls_error *err);
/* When the hosts are read: which of them are asked, and whether workers start here. LS_ENOWORKERS:
 * nobody is left, and nobody else can come. */
LS_CHECKED enum ls_status ls_run_labels_narrow(struct ls_run_options *options,
                                               struct ls_host_list *hosts, struct ls_error *err);

/* The labels of the workers of pools, by place, as far as they are known; owned, its texts are
 * not. Starts as {0}. */
struct ls_run_labels {
  const char **items;
  size_t count, capacity;
};
/* The next workers all have these. */
LS_CHECKED enum ls_status ls_run_labels_add(struct ls_run_labels *labels, size_t workers,
                                            const char *text, struct ls_error *err);
void ls_run_labels_close(struct ls_run_labels *labels);

#endif
