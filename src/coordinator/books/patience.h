/* patience.h: how long workers are waited for that come, go, stop and vanish.
 *
 * h: a worker says at least so often that it lives.  r: it answers within this, as the driver
 * measures it.  Q = 3h + r: who is not heard for so long is silent.  g: from the request of a
 * worker to its first own request, the median of the last nine.  e: what a unit is expected to
 * take. Rent or buy: what may come back is waited for as long as having it anew would cost, which
 * is at most twice the best choice in hindsight.  What the user told takes the place of a derived
 * limit; without a heartbeat nothing is derived, and nobody is silent.
 *
 * A driver that stood still itself finds everybody silent: it is late for the TIMER that it was
 * asked for, and everybody gets another Q.
 */
#ifndef LS_COORDINATOR_BOOKS_PATIENCE_H
#define LS_COORDINATOR_BOOKS_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* r, while nothing is known of it. */
#define LS_PATIENCE_ANSWER_S 1.0

enum { LS_PATIENCE_GRANTS = 9, LS_PATIENCE_ASKS = 32 };

/* So many workers were asked for at one time. */
struct ls_patience_ask {
  double time_s;
  uint64_t workers;
};

/* The oldest first; what finds no room joins the last. */
struct ls_patience_asks {
  struct ls_patience_ask items[LS_PATIENCE_ASKS];
  size_t count;
};

struct ls_patience {
  double heartbeat_s, first_grant_s; /* h, and g before the first grant; 0: not told */
  double silence_s, patience_s;      /* in place of Q, and of the limit of absence; 0: derived */
  double grants[LS_PATIENCE_GRANTS]; /* a ring */
  size_t grants_count;               /* of the run */
  struct ls_patience_asks asked;
  uint64_t granted;     /* and not come */
  double granted_s;     /* since then none of them has come */
  unsigned refusals;    /* since the last worker came */
  double ask_again_s;   /* 0: nobody waits for that */
  double put_off_s;     /* nobody was asked for, as the run was to end before; 0: not so */
  double judged_from_s; /* nobody was silent before */
};

/* Q, where `answer_s` was told of the worker; 0: nothing was. HUGE_VAL: there is no limit. */
double ls_patience_silence(const struct ls_patience *patience, double answer_s);
/* g; 0: nothing is known of it, and no replacement is asked for. */
double ls_patience_grant(const struct ls_patience *patience);
/* A worker is lost when it was away for so long, where what it runs takes `expected_s` (NAN: not
 * known); HUGE_VAL: never. */
double ls_patience_loss(const struct ls_patience *patience, double silence_s, double expected_s);
/* A worker that is away tries to come back for so long, at most; HUGE_VAL: for ever. */
double ls_patience_homing(const struct ls_patience *patience, double silence_s);
/* What runs at a worker that is away goes back after so long: as long as it takes or, where that
 * is not known, as it had run before. */
double ls_patience_return(double silence_s, double expected_s, double ran_s);

/* Workers are asked for; one came and asked for work. */
void ls_patience_ask(struct ls_patience *patience, uint64_t workers, double now_s);
/* One of `expected` workers comes; when it was asked for, NAN: it was not.  Who was not granted, as
 * far as such ones are expected, comes first. */
double ls_patience_join(struct ls_patience *patience, uint64_t expected, double now_s);
void ls_patience_come(struct ls_patience *patience, double waited_s);
void ls_patience_grant_workers(struct ls_patience *patience, uint64_t workers, double now_s);
/* Workers that were granted so long ago that they will not come; they are awaited no more. */
uint64_t ls_patience_give_up(struct ls_patience *patience, double now_s);
/* When that is to be looked at; HUGE_VAL: never. */
double ls_patience_give_up_s(const struct ls_patience *patience);
/* Nobody is asked for, since the run is expected to end within g; after g it is looked at again. */
void ls_patience_put_off(struct ls_patience *patience, double now_s);
/* It was put off for g, and the run goes on: that it ends is believed no longer. */
bool ls_patience_is_overdue(const struct ls_patience *patience, double now_s);
/* When workers may be asked for next, or be given up; HUGE_VAL: at no time. */
double ls_patience_ask_s(const struct ls_patience *patience, double now_s);
/* Workers were refused: the next ones are asked for after g, 2g, 4g, ..., at most a minute. */
void ls_patience_refuse(struct ls_patience *patience, uint64_t workers, double now_s);

/* An event comes now; `wished_s`: when a TIMER was to come at the latest (HUGE_VAL: never). */
void ls_patience_judge_from(struct ls_patience *patience, double wished_s, double now_s);
static inline void ls_patience_hear(struct ls_patience *patience, double wished_s, double now_s) {
  if (now_s > wished_s) ls_patience_judge_from(patience, wished_s, now_s);
}
bool ls_patience_is_sound(const struct ls_patience *patience);

#endif
