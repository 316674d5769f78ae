/* splitting.h: which units of a task that failed are guilty: the runs that tell.
 *
 * A task of several units failed as a whole.  Its first half runs; where that is well, the second
 * half holds a guilty unit and is halved without a run as a whole; where it fails, the halves
 * become smaller, and all that lies behind runs as one once the guilty unit is known.  So one
 * guilty unit of n costs at most log2 n + 2 runs.  A single unit always runs before anything is
 * said of it.  The worker's driver runs what `next` says and tells how it ended.
 */
#ifndef LS_COORDINATOR_BOOKS_SPLITTING_H
#define LS_COORDINATOR_BOOKS_SPLITTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range.h"

/* Units before `first` have ended. */
struct ls_splitting {
  uint64_t first, guilty_end; /* these hold a guilty unit; none: guilty_end == first */
  uint64_t end;               /* of those behind nothing is known */
  struct ls_range running;    /* count 0: nothing runs */
};

/* These units, two or more, have failed together. */
void ls_splitting_begin(struct ls_splitting *splitting, struct ls_range failed);
/* Are there units that have not ended? */
bool ls_splitting_goes_on(const struct ls_splitting *splitting);
/* The units that run next, together; some are left, and none runs. */
struct ls_range ls_splitting_next(struct ls_splitting *splitting);
/* So many of the units of `next` run: the first ones. */
void ls_splitting_take(struct ls_splitting *splitting, uint64_t units);
/* They have ended, well or not. True: this is their end; false: they failed together, and some of
 * them run again. */
bool ls_splitting_end(struct ls_splitting *splitting, bool is_well);

#endif
