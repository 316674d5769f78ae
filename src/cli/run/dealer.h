/* dealer.h: the process of --round-robin that deals standard input out to the processes of tasks.
 *
 * It cuts blocks off what arrives, and gives each to the process that has been waiting for one for
 * the longest time; while there are fewer processes than there may be, to a new one.  So a slow
 * process gets less, and one that reads nothing holds nobody up.  Nobody can have a block twice:
 * when a process ends, those that it had not begun to read go to others, the rest is gone with it.
 *
 * The run is told of each process that is wanted, and of the end; it tells which ones have ended.
 */
#ifndef LS_CLI_RUN_DEALER_H
#define LS_CLI_RUN_DEALER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/run/blocks.h"

struct ls_dealer_setup {
  struct ls_blocks *blocks; /* cuts, and has the header */
  int file;                 /* the data */
  const char *name;         /* of them, in messages */
  size_t processes;         /* at most so many */
  int orders, reports;      /* what the dealer is told, and a pipe for what it tells */
  uint64_t *given;          /* bytes, by process; shared with the run */
};

/* An order is one uint32_t: the number of a process that has ended, or one of these. */
#define LS_DEALER_STOP  (UINT32_MAX - 1) /* nothing more is read; what was given is written */
#define LS_DEALER_LEAVE UINT32_MAX       /* all is over */

enum ls_dealer_news {
  LS_DEALER_WANTS,  /* the next process; `number` is the descriptor that its input has here */
  LS_DEALER_ENDS,   /* all blocks are with processes: none follows */
  LS_DEALER_UNREAD, /* `number` blocks were read by nobody, since all processes had ended */
  LS_DEALER_FAILS   /* a struct ls_error follows */
};

/* So small that all of them fit into a pipe: the dealer never waits for the run. */
struct ls_dealer_report {
  uint32_t news, number;
};

/* Returns when it may leave, or the run is gone. */
void ls_dealer_run(const struct ls_dealer_setup *setup);

#endif
