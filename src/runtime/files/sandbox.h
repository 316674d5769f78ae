/* sandbox.h: a fresh folder for one task, in the scratch folder of its run.
 *
 * It is removed when the task has ended, unless it is kept: then it is LS_SCRATCH_KEPT/N of the
 * scratch folder, where N is the number of the task, and stays when the run is over.
 */
#ifndef LS_RUNTIME_FILES_SANDBOX_H
#define LS_RUNTIME_FILES_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/os/scratch.h"

/* Whether commands run in one, and which stay. */
enum ls_sandboxing {
  LS_SANDBOX_NONE,
  LS_SANDBOX_REMOVED,
  LS_SANDBOX_KEPT_FAILED, /* of tasks that failed */
  LS_SANDBOX_KEPT,
  LS_SANDBOXING_COUNT
};
/* A word, such as "kept-failed"; never NULL. */
const char *ls_sandboxing_name(enum ls_sandboxing how);

/* Starts as {.folder = -1}. */
struct ls_sandbox {
  const struct ls_scratch *scratch;
  char *path;
  int folder; /* -1: not open */
};

LS_CHECKED enum ls_status ls_sandbox_open(struct ls_sandbox *sandbox,
                                          const struct ls_scratch *scratch, struct ls_error *err);
/* Keeps the folder of a task (`number` counts from 1), and says where in `*words`. */
void ls_sandbox_keep(struct ls_sandbox *sandbox, uint64_t number, struct ls_bytes *words);
/* Removes it, unless it is kept. */
void ls_sandbox_close(struct ls_sandbox *sandbox);

#endif
