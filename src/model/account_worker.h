/* account_worker.h: the account of one worker, which is told what happens while it happens.
 *
 * A value of fixed size, however long the run: what lies behind has its part.  What is told late
 * changes it: seconds of work that do not fit behind what was told before were no waiting there.
 *
 * The account that a journal gives (runtime/journal/past/history.h, account.h) is the same but for
 * what a journal does not keep: work that settled nothing and did not fail (cancelled, or done
 * elsewhere) is a wait in it, and when a worker was suspended, or its slot empty, is not known, so
 * that these seconds are taken from all its port waits, then its start-up, and here from the wait
 * that they lay in.
 */
#ifndef LS_MODEL_ACCOUNT_WORKER_H
#define LS_MODEL_ACCOUNT_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"
#include "model/account.h"
#include "model/platform.h"

/* Starts as {0}: a worker that has not joined. */
struct ls_account_worker {
  bool is_there, was_there;
  double joined_s, left_s; /* at first; at last, while it is not there */
  double cursor_s;         /* what is before has its part */
  double away_s;           /* behind the cursor */
  double away_since_s;     /* of a worker that is away now */
  double away_known_s;     /* in all, of ls_account_know_away */
  bool is_away, has_worked;
  uint64_t chunk;            /* the last that it worked at */
  double fixed_left_s;       /* of that one's fixed cost */
  enum ls_account_part last; /* what its last work was */
  double late_s;             /* it worked while it was taken for away, or not there */
  struct ls_sum parts_s[LS_ACCOUNT_PARTS];
};

/* Times never go back.  A worker that joins again was away since it had left. */
void ls_account_join(struct ls_account_worker *worker, double now_s);
void ls_account_leave(struct ls_account_worker *worker, double now_s);
void ls_account_suspend(struct ls_account_worker *worker, double now_s);
void ls_account_resume(struct ls_account_worker *worker, double now_s);
/* In place of these: so many seconds it was suspended, since it first joined. */
void ls_account_know_away(struct ls_account_worker *worker, double seconds);
/* Seconds that receiving and computing of a chunk of so many units cost beside its units, as the
 * platform has them for its worker; 0 without a platform, or for a worker beyond it. */
double ls_account_fixed_s(const struct ls_platform *platform, size_t worker, double units);
/* What it worked until `end_s`: a span, of which counts what lies behind the last end and was no
 * suspension (work around one counts as done behind it); or `seconds` that its executor counted,
 * which counts none.  Of these, what finds no place behind the last end is taken back from the port
 * waits before it, then from the start-up.  What finds none there, either, was worked by one that
 * was cut off, or lost: it is taken back from the seconds away, and is late in any case. */
struct ls_account_work {
  double start_s, end_s;
  double seconds; /* 0: a span; start_s counts only then */
  uint64_t chunk;
  bool is_useful;
  double fixed_s; /* of its chunk, once: ls_account_fixed_s */
};
void ls_account_work(struct ls_account_worker *worker, const struct ls_account_work *work);
/* The mean over the workers; what they worked beyond the makespan does not count. */
void ls_account_average(const struct ls_account_worker *workers, size_t count, double makespan_s,
                        struct ls_account *account);

#endif
