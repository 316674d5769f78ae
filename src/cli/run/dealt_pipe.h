/* dealt_pipe.h: the standard input of one process that is given block after block.
 *
 * Both ends of its pipe stay here: a process that ends early breaks no pipe, and the blocks of
 * which it has read nothing can be had back.  A small pipe takes the next block when the last one
 * has been read, a large one when a sixteenth of a block is left of it, so blocks go to those that
 * are free.
 */
#ifndef LS_CLI_RUN_DEALT_PIPE_H
#define LS_CLI_RUN_DEALT_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/pattern.h"

/* Blocks that came back, first in, first out. Starts as {0}. */
struct ls_returned_blocks {
  struct ls_bytes bytes;
  size_t *lengths;
  size_t count, capacity;
  size_t next, at; /* the first one that is there, and its place in the bytes */
};

bool ls_returned_blocks_has(const struct ls_returned_blocks *blocks);
/* The first one, which is there; borrowed until the next call. */
struct ls_subject ls_returned_blocks_take(struct ls_returned_blocks *blocks);
void ls_returned_blocks_close(struct ls_returned_blocks *blocks);

struct ls_dealt_pipe {
  int ends[2];          /* to read, to write; -1: closed */
  struct ls_bytes left; /* what did not fit into the pipe, from `at` on */
  size_t at;
  uint64_t written; /* bytes in all */
  uint64_t *told;   /* where another process finds that number; borrowed */
  uint64_t *begins; /* of the blocks that it may not have read to the end, in those */
  size_t begins_count, begins_capacity;
};

/* For blocks of about so many bytes; what is written is counted in `*told`. Neither end waits.
 * LS_EIO. */
LS_CHECKED enum ls_status ls_dealt_pipe_open(struct ls_dealt_pipe *pipe, size_t block_bytes,
                                             uint64_t *told, struct ls_error *err);
/* Is all that was given in the pipe? */
bool ls_dealt_pipe_has_room(const struct ls_dealt_pipe *pipe);
/* Gives a block to a pipe that has room; a header before the first one. LS_ENOMEM, LS_EIO. */
LS_CHECKED enum ls_status ls_dealt_pipe_give(struct ls_dealt_pipe *pipe, struct ls_subject header,
                                             struct ls_subject block, struct ls_error *err);
/* Writes what fits of what is left. LS_EIO. */
LS_CHECKED enum ls_status ls_dealt_pipe_push(struct ls_dealt_pipe *pipe, struct ls_error *err);
/* Nothing more is given: the process finds the end of its input behind what it was given. */
void ls_dealt_pipe_finish(struct ls_dealt_pipe *pipe);
/* The process has ended: the blocks of which it has read nothing are appended, and the pipe is
 * closed. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_dealt_pipe_end(struct ls_dealt_pipe *pipe,
                                            struct ls_returned_blocks *blocks,
                                            struct ls_error *err);
void ls_dealt_pipe_close(struct ls_dealt_pipe *pipe);

#endif
