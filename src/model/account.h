/* account.h: where the makespan went: the time of each worker in parts, averaged over the workers.
 *
 * Every instant of a worker between 0 and the makespan belongs to exactly one part, so the parts of
 * a worker, and their means over the workers, add up to the makespan.  Start-up, port waits,
 * imbalance and tail are those of the certificate of a plan (certificate.h), there weighted by the
 * speed of the workers.  Who was never there is no worker of the account.  An account is a value;
 * so is one of a worker, which is told what happened while it happens.
 */
#ifndef LS_MODEL_ACCOUNT_H
#define LS_MODEL_ACCOUNT_H

#include <stdbool.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/platform.h"
#include "model/timeline.h"

LS_C_BEGIN

enum ls_account_part {
  LS_ACCOUNT_WORK,      /* receiving and computing units that counted, but for */
  LS_ACCOUNT_LATENCY,   /* the fixed costs of their chunks, as the platform has them */
  LS_ACCOUNT_LOSSES,    /* receiving and computing that did not count: in vain, or twice */
  LS_ACCOUNT_START_UP,  /* doing nothing before its first chunk */
  LS_ACCOUNT_PORT_WAIT, /* between its chunks */
  LS_ACCOUNT_IMBALANCE, /* from its last chunk to the end of all computing */
  LS_ACCOUNT_TAIL,      /* from there to the makespan: returns */
  LS_ACCOUNT_AWAY,      /* suspended, or nobody there in between */
  LS_ACCOUNT_ABSENT,    /* before it joined, and after it left for good */
  LS_ACCOUNT_PARTS
};

struct ls_account {
  double makespan_s;
  double parts_s[LS_ACCOUNT_PARTS]; /* >= 0; their sum is the makespan, if there are workers */
  double workers;                   /* that were there; a mean of several runs may be no integer */
};

/* What was predicted for a run, beside what happened in it. */
struct ls_comparison {
  struct ls_account predicted, happened;
  bool has_happened; /* the run came to its end */
  char basis[160];   /* "wf2 on the platform c.json": what the prediction was made of, in words */
};

/* "start_up": the name in files. */
const char *ls_account_part_name(enum ls_account_part part);
/* "start-up", and "before a worker's first chunk": for people. */
const char *ls_account_part_label(enum ls_account_part part);
const char *ls_account_part_meaning(enum ls_account_part part);

/* `platform`, of the same workers in the same order, says the fixed costs of chunks of the sizes
 * that the timeline's decisions tell; NULL: they are not told apart from the work.  The timeline is
 * not a summed one.  Its seconds of suspension lie where its absences say; what these do not tell
 * is taken from the port waits, then imbalance, start-up and tail. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_account_of(const struct ls_timeline *timeline,
                                        const struct ls_platform *platform,
                                        struct ls_account *account, struct ls_error *err);

LS_C_END

#endif
