/* staffing.h: the workers that a master has asked its pools for, and what became of it.
 *
 * The coordinator wants workers; a few of them it takes for granted: those of the beginning, and
 * those that were granted and die before they join.  When such a worker does not come, another one
 * is asked for here, later each time.  All others it asks for itself, so it is told what was
 * granted and refused.  A failure is a fact, and never ends the run as long as somebody is there.
 */
#ifndef LS_RUNTIME_MASTER_STAFFING_H
#define LS_RUNTIME_MASTER_STAFFING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"
#include "runtime/pool/pools.h"

enum { LS_STAFFING_WHY_BYTES = 320 };

/* Starts as {0}. */
struct ls_staffing {
  size_t asked;   /* by the coordinator, and neither granted nor refused yet */
  size_t owed;    /* taken for granted by it, and to be asked for again */
  double again_s; /* when, if any are owed */
  struct ls_backoff backoff;
  bool is_final;   /* a refusal for good was the last answer */
  double barred_s; /* since when no process is to be had; 0: one was, or none was asked for */
  size_t untimely; /* workers that ended by themselves before they had said anything, in a row */
  size_t unfit; /* workers that left, with a failure, before any unit had ended at one, in a row */
  char why[LS_STAFFING_WHY_BYTES];    /* the last worker did not come; "": no reason to complain */
  bool is_able;                       /* some worker has said what it wants */
  char unable[LS_STAFFING_WHY_BYTES]; /* the first that cannot work, and why; "": there is none */
};

/* The coordinator asks for so many more: at once, or after a while where those before have ended
 * before they had said anything, or left before they had done anything. */
void ls_staffing_request(struct ls_staffing *staffing, struct ls_pools *pools, size_t workers,
                         double now_s);
/* News GRANTED or REFUSED: how many of its workers the coordinator is to be told of. */
size_t ls_staffing_grant(struct ls_staffing *staffing);
size_t ls_staffing_refuse(struct ls_staffing *staffing, const struct ls_pool_news *news,
                          double now_s);
/* Has no process been to be had for so long, and no worker ever been there? */
bool ls_staffing_is_barred(const struct ls_staffing *staffing, double now_s, double patience_s);
/* A granted worker ended before it joined. */
void ls_staffing_lose(struct ls_staffing *staffing, const struct ls_pool_news *news, double now_s);
/* A worker that has joined ended before it said anything more; the coordinator knows that it is
 * gone. */
void ls_staffing_miss(struct ls_staffing *staffing, const struct ls_pool_news *news);
/* A worker that has joined says what it wants: all is well. */
void ls_staffing_join(struct ls_staffing *staffing);
/* A worker that has joined cannot do the work of this run, since its application does not open
 * there, for example. */
void ls_staffing_hear_unable(struct ls_staffing *staffing, const char *worker, const char *why);
/* Why nobody can do it, as the first one said, if all who came have said so; NULL: not so. */
const char *ls_staffing_unable(const struct ls_staffing *staffing);
/* A worker that left has ended before a unit had at it: no news where it ended well. */
void ls_staffing_leave(struct ls_staffing *staffing, const struct ls_pool_news *news);
/* A unit has ended at a worker: so they are fit. */
void ls_staffing_serve(struct ls_staffing *staffing);
/* When to ask again; HUGE_VAL: nobody is owed. */
double ls_staffing_until_s(const struct ls_staffing *staffing);
/* Asks again, if it is time. */
void ls_staffing_retry(struct ls_staffing *staffing, struct ls_pools *pools, double now_s);

#endif
