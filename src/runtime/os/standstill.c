#include "runtime/os/standstill.h"

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

bool ls_standstill_needs_delay(const struct ls_standstill *standstill, double now_s,
                               int continuations) {
  return continuations != standstill->continuations || now_s >= standstill->read_s + LOOK_LEAST_S;
}

/* It stopped somewhere between the look and the time when the next one was due. */
struct ls_stop ls_standstill_look(struct ls_standstill *standstill,
                                  const struct ls_standstill_look *look) {
  assert(look->due_s >= look->now_s);
  bool was_continued = look->continuations != standstill->continuations;
  bool is_late = look->now_s > standstill->due_s, is_read = !isnan(look->delayed_s);
  double slack_s = (standstill->due_s - standstill->mark_s) / 2;
  double delay_s = is_read ? fmax(0, look->delayed_s - standstill->delayed_s) : 0;
  struct ls_stop stop = {0};
  if (was_continued && is_late)
    stop = (struct ls_stop){fmax(0, look->now_s - standstill->due_s + slack_s - delay_s), slack_s};
  standstill->mark_s = look->now_s;
  standstill->due_s = look->due_s;
  standstill->continuations = look->continuations;
  if (is_read) standstill->delayed_s = look->delayed_s;
  if (is_read) standstill->read_s = look->now_s;
  return stop;
}
