/* feeder.h: writes what a command is to read, at the command's pace.
 *
 * The bytes go from files to a pipe, a named pipe or a file inside the kernel.  What is in memory
 * and a pipe has room for is written at once; the rest is for a thread: the worker's loop goes on
 * meanwhile, and may stop it at any time.  A reader that closes its end has read enough.
 */
#ifndef LS_RUNTIME_EXECUTE_FEEDER_H
#define LS_RUNTIME_EXECUTE_FEEDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_feed_part {
  int file;
  uint64_t offset, length;
};

/* What goes where. All of it is borrowed until the feeder is closed, but for the target. */
struct ls_feed {
  const void *head; /* goes first */
  size_t head_length;
  const struct ls_feed_part *parts;
  size_t parts_count;
  const char *fifo; /* a named pipe, opened when it has a reader; NULL: the target is `target` */
  int target;       /* a file, or the end of a pipe, which the feeder closes when all is written */
};

enum ls_feed_end {
  LS_FEED_WHOLE,    /* all is written */
  LS_FEED_ENOUGH,   /* the reader is gone, or the feeder was closed before */
  LS_FEED_SHORT,    /* a file has fewer bytes than it should */
  LS_FEED_BROKEN,   /* a file cannot be read; `number` says why */
  LS_FEED_UNWRITTEN /* the target cannot be written; `number` says why */
};

struct ls_feed_result {
  enum ls_feed_end end;
  size_t part; /* of LS_FEED_SHORT and LS_FEED_BROKEN */
  uint64_t at; /* the place in its file */
  int number;  /* errno */
};

struct ls_feeder;

/* LS_EIO, LS_ENOMEM: the target is closed.  Of a pipe the caller has the other end open. */
LS_CHECKED enum ls_status ls_feeder_open(const struct ls_feed *feed, struct ls_feeder **out,
                                         struct ls_error *err);
/* Readable when all is done. */
int ls_feeder_file(const struct ls_feeder *feeder);
/* Stops the thread, if it is not done; what it came to. Closes nothing of the feed's parts. */
struct ls_feed_result ls_feeder_close(struct ls_feeder *feeder);

#endif
