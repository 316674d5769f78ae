/* block_input.h: the blocks of one task become what its command reads.
 *
 * It is always a pipe, wherever the bytes lie, or the pipe that a block is itself: what a command
 * makes of a regular file (gzip writes its time into the header, wc aligns by its size) would
 * differ from run to run.  A file that others may change is looked at before and behind: another
 * size, time of change or inode fails the task by its name.
 */
#ifndef LS_RUNTIME_EXECUTE_BLOCK_INPUT_H
#define LS_RUNTIME_EXECUTE_BLOCK_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/block.h"
#include "runtime/execute/feeder.h"

/* A file that blocks lie in. */
struct ls_block_file {
  char *path;
  int file;
  bool is_checked;
  struct ls_block_source source; /* as it must be */
};

/* Starts as {0}; storage is kept from task to task. */
struct ls_block_input {
  enum ls_block_form form;
  struct ls_bytes name; /* of the file or named pipe */
  struct ls_bytes head; /* the header, and blocks that came with the command */
  struct ls_block_file *files;
  size_t files_count, files_capacity;
  struct ls_feed_part *parts;
  size_t *file_of_part;
  size_t parts_count, parts_capacity, file_of_part_capacity;
  int input;     /* standard input of the command; 0: empty */
  bool is_named; /* the file or pipe of that name was made */
  struct ls_feeder *feeder;
};

/* Adds a block, the first one with form, name and header. LS_EINVAL: its file is another one than
 * it was; LS_EIO, LS_ENOMEM; LS_EBUSY: there is no room for what the command should read. */
LS_CHECKED enum ls_status ls_block_input_add(struct ls_block_input *input,
                                             const struct ls_block *block, struct ls_error *err);
/* All blocks are there: makes what the command reads. */
LS_CHECKED enum ls_status ls_block_input_open(struct ls_block_input *input, struct ls_error *err);
/* Readable when the command may begin: its file is written; -1: now. */
int ls_block_input_file(const struct ls_block_input *input);
/* Its file is written as far as it can be. LS_EIO, LS_EINVAL, LS_EBUSY: it is not what the command
 * should read, which must not begin. */
LS_CHECKED enum ls_status ls_block_input_finish(struct ls_block_input *input, struct ls_error *err);
/* The command has its input: nobody else keeps it open. */
void ls_block_input_pass(struct ls_block_input *input);
/* The command has ended, or will not begin. LS_EIO, LS_EINVAL: it has not read what it should. */
LS_CHECKED enum ls_status ls_block_input_leave(struct ls_block_input *input, struct ls_error *err);
void ls_block_input_close(struct ls_block_input *input);

#endif
