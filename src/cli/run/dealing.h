/* dealing.h: the run's side of --round-robin: the dealer's process, and what is known of it.
 *
 * A unit of the run is a process that the dealer wants; its input is a pipe of the dealer, which a
 * worker of this machine opens by its name in /proc.  What a process has read cannot be read again,
 * so a unit is handed out once.
 */
#ifndef LS_CLI_RUN_DEALING_H
#define LS_CLI_RUN_DEALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "runtime/application.h"

struct ls_blocks;

/* Starts as {0}. */
struct ls_dealing {
  pid_t dealer; /* 0: there is none */
  int orders, reports;
  struct ls_dealt_unit *units;
  size_t count, capacity;
  bool is_ended;   /* no unit follows */
  bool is_stopped; /* the dealer was told */
  uint64_t unread; /* blocks that nobody has read */
  uint64_t *given; /* bytes, by unit; the dealer counts them there */
  size_t processes;
  struct ls_bytes path;
};

struct ls_dealing_setup {
  struct ls_blocks *blocks; /* which are cut in the dealer's process alone */
  int file;                 /* the data, which stay open here */
  const char *name;         /* of them, in messages */
  size_t processes;         /* at most so many */
};

/* Starts the dealer. LS_EIO. */
LS_CHECKED enum ls_status ls_dealing_start(struct ls_dealing *dealing,
                                           const struct ls_dealing_setup *setup,
                                           struct ls_error *err);
/* For the application's `more`: the units that have come. What the dealer failed for; LS_EIO: it
 * has died. */
LS_CHECKED enum ls_status ls_dealing_more(struct ls_dealing *dealing, struct ls_more *more,
                                          struct ls_error *err);
/* The name under which a worker of this machine opens the unit's input; borrowed until the next
 * call. LS_EIO: it was handed out before. */
LS_CHECKED enum ls_status ls_dealing_hand_out(struct ls_dealing *dealing, uint64_t unit,
                                              const char **path, struct ls_error *err);
/* Bytes that the unit's process was given, so far. */
uint64_t ls_dealing_measure(const struct ls_dealing *dealing, uint64_t unit);
/* The processes of these units have ended. */
void ls_dealing_settle(struct ls_dealing *dealing, struct ls_range units);
/* No more of the data is dealt out; what runs finds the end of its input. */
void ls_dealing_stop(struct ls_dealing *dealing);
/* All processes have ended: so does the dealer. How many blocks nobody has read. */
uint64_t ls_dealing_finish(struct ls_dealing *dealing);
void ls_dealing_close(struct ls_dealing *dealing);

#endif
