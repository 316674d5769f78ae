#include "runtime/standstill.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* More often would cost more than a stop between two looks. */
static const double LOOK_LEAST_S = 0.02, LOOK_MOST_S = 1, LOOK_SHARE = 0.01;

void ls_standstill_begin(struct ls_standstill *standstill, double now_s) {
  standstill->since_s = now_s;
}

double ls_standstill_patience_s(const struct ls_standstill *standstill, double now_s) {
  double share_s = LOOK_SHARE * (now_s - standstill->since_s);
  return fmin(fmax(share_s, LOOK_LEAST_S), LOOK_MOST_S);
}

/* It stopped somewhere between the look and the time when the next one was due. */
struct ls_stop ls_standstill_look(struct ls_standstill *standstill, double now_s, double due_s,
                                  int continuations) {
  assert(due_s >= now_s);
  bool was_continued = continuations != standstill->continuations;
  bool is_late = now_s > standstill->due_s;
  double slack_s = (standstill->due_s - standstill->mark_s) / 2;
  struct ls_stop stop = {0};
  if (was_continued && is_late)
    stop = (struct ls_stop){now_s - standstill->due_s + slack_s, slack_s};
  standstill->mark_s = now_s;
  standstill->due_s = due_s;
  standstill->continuations = continuations;
  return stop;
}
