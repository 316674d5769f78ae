/* consultation.h: when an adviser is asked during a run, and what it is told.
 */
#ifndef LS_RUNTIME_MASTER_CONSULTATION_H
#define LS_RUNTIME_MASTER_CONSULTATION_H

#include <stdbool.h>

#include "coordinator/coordinator.h"
#include "runtime/master/adviser.h"
#include "runtime/master/guests/connections.h"
#include "runtime/master/master.h"

struct ls_consultation {
  struct ls_adviser adviser;
  double after_s; /* as in the options of the master */
  double next_s;  /* when to ask next */
};

/* What a question is made of. Borrowed. */
struct ls_consultation_facts {
  const struct ls_master_options *options;
  const struct ls_connections *connections;
  const struct ls_coordinator_totals *totals;
  uint64_t prefetch; /* in use */
  double now_s;
};

/* `after_s` 0: the default. */
void ls_consultation_init(struct ls_consultation *consultation, double after_s);
/* Never waits: true when an answer has come. */
bool ls_consultation_poll(struct ls_consultation *consultation, struct ls_adviser_answer *answer);
/* No question is open, and it is time for the next one. */
bool ls_consultation_is_due(const struct ls_consultation *consultation, double now_s);
/* Asks, or puts it off where it is too early for advice or too late. */
void ls_consultation_ask(struct ls_consultation *consultation,
                         const struct ls_consultation_facts *facts);
void ls_consultation_stop(struct ls_consultation *consultation);

#endif
