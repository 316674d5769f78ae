/* staging.h: the files of a task, as its command carries them to a worker.
 *
 * An input is named by its content, so that a machine has it once whatever it is called, and by the
 * name that it has in the sandbox.
 */
#ifndef LS_PROTOCOL_STAGING_H
#define LS_PROTOCOL_STAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LS_CONTENT_BYTES = 32,     /* of the name of a content: BLAKE2b-256 of its bytes */
  LS_PIECE_BYTES = 32 << 10, /* a content travels in pieces of so many; the last may be shorter */
  LS_PIECES_AHEAD = 8,       /* that are on their way to a machine, at most */
  LS_STAGED_OUTPUTS_MAX = 64 /* of a task */
};

struct ls_staged_input {
  const char *name; /* in the sandbox: relative, folders separated by slashes */
  unsigned char content[LS_CONTENT_BYTES];
  uint64_t bytes;
  bool is_executable;
};

/* Borrowed. */
struct ls_staging {
  const struct ls_staged_input *inputs;
  size_t inputs_count;
  const char *const *outputs; /* names in the sandbox */
  size_t outputs_count;       /* at most LS_STAGED_OUTPUTS_MAX */
  bool returns_failed;        /* what a failed task has made of them comes back, too */
};

#endif
