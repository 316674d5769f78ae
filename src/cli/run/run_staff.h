/* run_staff.h: `-j FILE`: the file that says how many local workers there are while a run goes on.
 */
#ifndef LS_CLI_RUN_STAFF_H
#define LS_CLI_RUN_STAFF_H

#include "cli/run/run_policy.h"

struct ls_run_staff {
  const char *file; /* borrowed; NULL: their number stays as it is */
  size_t most;      /* local workers that there is room for */
  uint64_t wanted;  /* by the last look that could read the file */
  bool is_wrong;    /* the last look could not */
};

/* Only where the number of workers is the user's alone: no worker has a speed, a plan or a machine
 * of its own. */
struct ls_run_staff ls_run_staff_of(const struct ls_run_options *options,
                                    const struct ls_run_policy *policy);
/* So many places are to be kept for local workers, of which there are `slots` at first. */
size_t ls_run_staff_places(const struct ls_run_staff *staff, size_t slots);
/* Reads the file, in which 0 means as many as there are tasks (UINT64_MAX: not known).
 * LS_EINVAL, the first time only: it says no number, and what it said before stays. */
LS_CHECKED enum ls_status ls_run_staff_look(struct ls_run_staff *staff, uint64_t tasks,
                                            struct ls_error *err);

#endif
