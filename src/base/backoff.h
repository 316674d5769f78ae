/* backoff.h: when to try again what has failed: each time after twice as long, up to a limit.
 */
#ifndef LS_BASE_BACKOFF_H
#define LS_BASE_BACKOFF_H

/* A value. Starts with the waits, which are more than 0, and no tries. */
struct ls_backoff {
  double first_s, most_s;
  unsigned tries; /* in vain, in a row */
};

/* It failed at `now_s`; when to try again: first_s, 2·first_s, 4·first_s, ... later, most_s at
 * most.
 */
double ls_backoff_fail(struct ls_backoff *backoff, double now_s);
/* It went well: the next failure is a first one. */
static inline void ls_backoff_succeed(struct ls_backoff *backoff) {
  backoff->tries = 0;
}

#endif
