/* command.h: a command to run, as bytes: the input of one unit of `loadstar run`.
 *
 * One MessagePack array of the words [argv0, argv1, ...] per unit, one after the other: plain data
 * that the worker executes as given, directly, never through a shell of ours.  The words may hold
 * any byte but zero.  Behind the words of a command with files stands one array more of three: its
 * inputs (name, content, bytes and mode of each; mode 1: executable), the names of its outputs, and
 * whether those of a failed task are wanted.  Last stands the block of a command that gets one
 * (block.h), an array that is longer than that.
 */
#ifndef LS_PROTOCOL_COMMAND_H
#define LS_PROTOCOL_COMMAND_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/block.h"
#include "protocol/staging.h"

/* What goes with a command; NULL: nothing of that kind. */
struct ls_command_goods {
  const struct ls_staging *staging;
  const struct ls_block *block;
};
/* Appends one command (argv_count >= 1 words) to a chunk's input; `goods` may be NULL: nothing. */
void ls_command_encode(const char *const *argv, size_t argv_count,
                       const struct ls_command_goods *goods, struct ls_bytes *out);

/* The words of one command, NULL-terminated for exec, and its files; storage is kept between calls.
 * Starts as {0}. */
struct ls_command {
  char **argv;
  size_t argv_count, argv_capacity;
  struct ls_bytes words; /* and names, each followed by a zero byte */
  struct ls_staging staging;
  bool is_staged; /* it has files, though perhaps none of some kind */
  struct ls_staged_input *inputs;
  const char **outputs;
  size_t inputs_capacity, outputs_capacity;
  bool has_block;
  struct ls_block block; /* its header and data are the input's */
};

/* Decodes the command at `*offset` of a chunk's input and moves the offset behind it. LS_ECORRUPT:
 * truncated, a word with a zero byte, no words. */
LS_CHECKED enum ls_status ls_command_decode(struct ls_command *command, const void *input,
                                            size_t length, size_t *offset, struct ls_error *err);
void ls_command_close(struct ls_command *command);

#endif
