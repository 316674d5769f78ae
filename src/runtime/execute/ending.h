/* ending.h: how a command is ended that does not end by itself: signals, and waits between them.
 */
#ifndef LS_RUNTIME_EXECUTE_ENDING_H
#define LS_RUNTIME_EXECUTE_ENDING_H

#include <stddef.h>

#include "base/status.h"

enum { LS_ENDING_STEPS_MAX = 16 };

struct ls_ending_step {
  int signal;
  double wait_s; /* before the next one */
};

/* The last signal is always SIGKILL. */
struct ls_ending {
  struct ls_ending_step steps[LS_ENDING_STEPS_MAX + 1];
  size_t count;
};

/* TERM, a second, KILL. */
struct ls_ending ls_ending_default(void);
/* From the first signal to the last. */
double ls_ending_length_s(const struct ls_ending *ending);
/* "TERM,200,KILL,25": names or numbers of signals, milliseconds between them. LS_EINVAL. */
LS_CHECKED enum ls_status ls_ending_read(const char *text, struct ls_ending *ending,
                                         struct ls_error *err);

#endif
