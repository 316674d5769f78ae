/* command_files.h: where a command runs, with its inputs before it and its outputs behind it.
 *
 * Outputs are regular files inside the sandbox; what is a link, leads out of it or is missing fails
 * the command by its name.
 */
#ifndef LS_RUNTIME_FILES_COMMAND_FILES_H
#define LS_RUNTIME_FILES_COMMAND_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "model/outcome.h"
#include "runtime/files/cache.h"
#include "runtime/files/sandbox.h"

/* How commands run. Borrowed. */
struct ls_command_rooms {
  enum ls_sandboxing sandboxing;
  const struct ls_scratch *scratch; /* of their sandboxes */
  const struct ls_cache *cache;     /* of their inputs */
};

/* An output. */
struct ls_command_output {
  int file; /* read with pread; -1: not there, or empty */
  uint64_t bytes;
  uint32_t mode; /* its permissions */
  bool is_there;
};

struct ls_command_files {
  struct ls_sandbox sandbox; /* not open: the command runs in the folder of the run */
  enum ls_sandboxing sandboxing;
  struct ls_command_output outputs[LS_STAGED_OUTPUTS_MAX];
  size_t outputs_count; /* of the last command */
};

/* A command has ended. */
struct ls_command_end {
  enum ls_outcome outcome; /* changes where an output fails it */
  uint64_t number;         /* of its task, from 1 */
  struct ls_bytes words;   /* what its error output is to say besides */
};

struct ls_command_files ls_command_files_make(void);
/* Opens a sandbox, if commands run in one, with the inputs in it. LS_EIO, LS_EINVAL: the command
 * cannot run; what was opened stays so until it is left. */
LS_CHECKED enum ls_status ls_command_files_enter(struct ls_command_files *files,
                                                 const struct ls_command_rooms *rooms,
                                                 const struct ls_staging *staging,
                                                 struct ls_error *err);
/* Takes the outputs, whose descriptors are the caller's, and removes or keeps the sandbox. */
void ls_command_files_leave(struct ls_command_files *files, const struct ls_staging *staging,
                            struct ls_command_end *end);
/* Nobody wants the command any more. */
void ls_command_files_close(struct ls_command_files *files);

#endif
