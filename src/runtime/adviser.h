/* adviser.h: advice during a run, computed by a forked child so that the master never waits.
 *
 * The child calls a function of the command line's with what the master has seen; the answer comes
 * back through a pipe and enters as the event ADVICE.  One question at a time.
 */
#ifndef LS_RUNTIME_ADVISER_H
#define LS_RUNTIME_ADVISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "model/room.h"
#include "policies/chunking.h"

/* What was seen of a present worker. */
struct ls_adviser_worker {
  double busy_s;     /* with all units that ended here, well or not */
  double latency_s;  /* one way of a message; 0: not known */
  uint64_t units;    /* that ended here */
  double squares;    /* sum of their squared seconds */
  double overhead_s; /* of a chunk, beside its units and its way */
};

struct ls_adviser_facts {
  double now_s;
  double left_s;       /* that the iteration will last if it goes on as it did */
  uint64_t units_left; /* of this iteration, or of a whole one where others may follow */
  uint64_t prefetch;   /* in use */
  const struct ls_chunking *chunking; /* in use */
  const struct ls_adviser_worker *workers;
  const struct ls_room *rooms; /* of these workers; NULL: any */
  size_t workers_count;
  size_t workers_most; /* that the run could have */
};

/* 0: no advice. */
struct ls_adviser_answer {
  uint64_t prefetch, workers;
  uint64_t policy;  /* 1 + its index in the choices of the coordinator's configuration */
  char reason[200]; /* in words; "": none */
};

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
