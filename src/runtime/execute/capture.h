/* capture.h: what a command writes to one of its outputs, whole or known not to be.
 *
 * The command gets a pipe, and its worker takes what comes out of it: little stays in memory, more
 * goes to a nameless file in TMPDIR.  So where that folder is full it is the worker whose write
 * fails, not that of a command which may not look.  Nor can a command cut off or overwrite what it
 * has written: to open /dev/stderr again is to open the pipe.
 */
#ifndef LS_RUNTIME_EXECUTE_CAPTURE_H
#define LS_RUNTIME_EXECUTE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

enum ls_capture_state {
  LS_CAPTURE_IDLE,  /* no command has it */
  LS_CAPTURE_OPEN,  /* a command may write */
  LS_CAPTURE_WHOLE, /* it has ended, and all that it wrote is here */
  LS_CAPTURE_BROKEN /* something that it wrote is not here: the machine's fault, `why` says it */
};

enum { LS_CAPTURE_SURVIVORS_MAX = 32 };

struct ls_capture {
  enum ls_capture_state state;
  int source, target;   /* the ends of the pipe, ours and the command's; -1: none */
  size_t inline_max;    /* so much stays in memory */
  struct ls_bytes text; /* all of it, while there is no file */
  int file;             /* read with pread; -1: none */
  uint64_t bytes;       /* in the file */
  struct ls_error why;
  /* Pipes of processes that have outlived their command: what they still write goes nowhere. */
  int survivors[LS_CAPTURE_SURVIVORS_MAX];
  size_t survivors_count;
};

/* An idle one, without a pipe. */
struct ls_capture ls_capture_make(size_t inline_max);
/* Empty, for the next command. `is_alone`: nobody else can hold the pipe of the last one. LS_EIO:
 * there is no pipe to be had. */
LS_CHECKED enum ls_status ls_capture_begin(struct ls_capture *capture, bool is_alone,
                                           struct ls_error *err);
/* Takes what is there, and never waits. */
void ls_capture_drain(struct ls_capture *capture);
/* The command has ended: takes what it has left in the pipe, and is whole or broken. */
void ls_capture_end(struct ls_capture *capture);
/* Appends words of the worker's own. */
void ls_capture_add(struct ls_capture *capture, const void *data, size_t length);
/* What is here so far: how much, and from `offset` on as much as there is room for. */
uint64_t ls_capture_length(const struct ls_capture *capture);
size_t ls_capture_read(const struct ls_capture *capture, uint64_t offset, char *block, size_t room);
/* The file, which is the caller's from now on; -1: all is in memory. */
int ls_capture_take(struct ls_capture *capture);
void ls_capture_close(struct ls_capture *capture);

#endif
