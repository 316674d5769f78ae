/* gathering.h: the first requests wait for each other.
 *
 * Chance decides who asks first, and must not decide who gets the largest chunk: the requests are
 * kept until all awaited workers have asked or a short time has passed; then they are handled in
 * the order of the slots, or the fastest worker's first where it is to have the head of a list.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_GATHERING_H
#define LS_RUNTIME_MASTER_GUESTS_GATHERING_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}: nothing is gathered. */
struct ls_gathering {
  bool is_open;
  bool is_held; /* it is not over, whoever has asked */
  size_t asked, awaited;
  double until_s; /* HUGE_VAL: nobody has asked */
};

/* From now on requests are gathered, if more than one worker is awaited. */
void ls_gathering_open(struct ls_gathering *gathering, size_t awaited);
/* One of them has asked for the first time. */
void ls_gathering_add(struct ls_gathering *gathering, double now_s);
/* One that had asked is gone. */
void ls_gathering_withdraw(struct ls_gathering *gathering);
/* Requests are kept until it is let go, however long; nothing is handed out meanwhile. */
void ls_gathering_hold(struct ls_gathering *gathering);
/* Goes on as if it had not been held; one that was not open before is over. */
void ls_gathering_let_go(struct ls_gathering *gathering);
/* Open, not held, and all have asked or the time is over. */
bool ls_gathering_is_over(const struct ls_gathering *gathering, double now_s);
void ls_gathering_close(struct ls_gathering *gathering);

#endif
