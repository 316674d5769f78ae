/* ssh_link.h: a process of ssh, and the lines that it carries.
 */
#ifndef LS_RUNTIME_POOL_SSH_SSH_LINK_H
#define LS_RUNTIME_POOL_SSH_SSH_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/os/lines.h"
#include "runtime/os/process.h"

enum { LS_SSH_LINK_LAST_BYTES = 200 };

/* Starts as {0}. */
struct ls_ssh_link {
  struct ls_process process;
  bool is_running;
  int input, output, errors; /* our ends of its standard streams, while it runs; -1: closed */
  int watch;                 /* epoll that says when it is to be looked at */
  struct ls_lines heard, complaints;
  struct ls_bytes said;
  char last[LS_SSH_LINK_LAST_BYTES];    /* line of its standard error; "": none */
  char printed[LS_SSH_LINK_LAST_BYTES]; /* the last text that is none of an agent's; "": none */
  struct ls_process_end end;            /* once it does not run any more */
};

/* Starts the program, in a group of its own, and puts it under watch; `number` is what the watch
 * says. LS_EIO, LS_EBUSY: it cannot be started. */
LS_CHECKED enum ls_status ls_ssh_link_start(struct ls_ssh_link *link, char *const *words, int watch,
                                            uint64_t number, struct ls_error *err);
/* Reads and writes what goes without waiting. False: it has ended, and what it said has been read.
 */
bool ls_ssh_link_pump(struct ls_ssh_link *link);
/* The other end reads the end of its input. */
void ls_ssh_link_hang_up(struct ls_ssh_link *link);
/* Remembers what its standard output has in place of an agent's lines. */
void ls_ssh_link_keep_printed(struct ls_ssh_link *link, struct ls_text text);
/* Why it ended, in words: the last line of its errors, or else its status, and what it printed.
 * Borrowed from `link`, or `room`. */
const char *ls_ssh_link_reason(const struct ls_ssh_link *link, char *room, size_t room_bytes);
/* Ends it at once if it still runs, and forgets all. */
void ls_ssh_link_close(struct ls_ssh_link *link);

#endif
