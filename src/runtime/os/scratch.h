/* scratch.h: the folder of a run on one machine: TMPDIR/loadstar-RUN-UID, or one of the user's
 * choice.
 *
 * All workers of a run on a machine share it: sandboxes and, where files are staged, their cache.
 * A shared lock on it says that a worker lives; the last one to close it removes it, and so does
 * the next worker, or run, of the same user with what dead ones have left.  Only what is kept on
 * purpose stays.
 */
#ifndef LS_RUNTIME_OS_SCRATCH_H
#define LS_RUNTIME_OS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* The entry that outlives its run: sandboxes that the user wants to see. */
#define LS_SCRATCH_KEPT "kept"

/* The files of the cache, which stay where somebody has marked the folder so. */
#define LS_SCRATCH_FILES "files"

enum { LS_SCRATCH_RUN_BYTES = 16 };

struct ls_scratch_setup {
  unsigned char run[LS_SCRATCH_RUN_BYTES];
  const char *path; /* of the folder; NULL: in TMPDIR, by its run */
  bool keeps_files; /* the cache stays, for runs to come */
};

/* Starts as {.folder = -1}. */
struct ls_scratch {
  char *path;
  int folder; /* carries the lock; -1: not open */
};

/* Opens or makes that of a run, and removes those of runs that nobody works for any more. LS_EIO:
 * it cannot be made, or somebody else has made it. */
LS_CHECKED enum ls_status ls_scratch_open(struct ls_scratch *scratch,
                                          const struct ls_scratch_setup *setup,
                                          struct ls_error *err);
/* Removes those that no worker lives for any more. */
void ls_scratch_sweep(void);
/* The last one removes it. */
void ls_scratch_close(struct ls_scratch *scratch);

#endif
