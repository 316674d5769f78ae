#include "runtime/master/guests/gathering.h"

#include <assert.h>
#include <math.h>

/* Once one has asked, the others may take so long. */
static const double PATIENCE_S = 0.05;

void ls_gathering_open(struct ls_gathering *gathering, size_t awaited) {
  *gathering =
      (struct ls_gathering){.is_open = awaited > 1, .awaited = awaited, .until_s = HUGE_VAL};
}

void ls_gathering_hold(struct ls_gathering *gathering) {
  if (!gathering->is_open) *gathering = (struct ls_gathering){.is_open = true};
  gathering->is_held = true;
}

void ls_gathering_let_go(struct ls_gathering *gathering) {
  gathering->is_held = false;
}

void ls_gathering_add(struct ls_gathering *gathering, double now_s) {
  assert(gathering->is_open);
  if (++gathering->asked == 1) gathering->until_s = now_s + PATIENCE_S;
}

void ls_gathering_withdraw(struct ls_gathering *gathering) {
  assert(gathering->asked > 0);
  --gathering->asked;
}

bool ls_gathering_is_over(const struct ls_gathering *gathering, double now_s) {
  if (!gathering->is_open || gathering->is_held) return false;
  return gathering->asked >= gathering->awaited || now_s >= gathering->until_s;
}

void ls_gathering_close(struct ls_gathering *gathering) {
  gathering->is_open = gathering->is_held = false;
}
