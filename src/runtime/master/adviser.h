/* adviser.h: advice during a run, computed by a forked child so that the master never waits.
 *
 * The child calls a function of the command line's with what the master has seen; the answer comes
 * back through a pipe and enters as the event ADVICE.  One question at a time.
 */
#ifndef LS_RUNTIME_MASTER_ADVISER_H
#define LS_RUNTIME_MASTER_ADVISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "coordinator/observation.h"

/* Called in the child; false: nothing to say. */
typedef bool (*ls_adviser_fn)(void *context, const struct ls_adviser_facts *facts,
                              struct ls_adviser_answer *answer);

struct ls_adviser {
  pid_t child; /* 0: no question is open */
  int file;
};

/* Asks; LS_EBUSY while a question is open. */
LS_CHECKED enum ls_status ls_adviser_ask(struct ls_adviser *adviser, ls_adviser_fn function,
                                         void *context, const struct ls_adviser_facts *facts,
                                         struct ls_error *err);
/* Without waiting: true once an answer is there. A child that says nothing or dies ends the
 * question without one. */
bool ls_adviser_poll(struct ls_adviser *adviser, struct ls_adviser_answer *answer);
/* Ends the child, if there is one. */
void ls_adviser_stop(struct ls_adviser *adviser);

#endif
