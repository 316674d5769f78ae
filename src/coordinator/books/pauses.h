/* pauses.h: units that failed, and wait for some time before they are tried again.
 *
 * Every pause of a run is equally long, so the one that began first ends first.  A unit that was
 * settled meanwhile is still listed: who takes one looks at its state.
 */
#ifndef LS_COORDINATOR_BOOKS_PAUSES_H
#define LS_COORDINATOR_BOOKS_PAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_pause {
  uint64_t unit;
  double until_s;
};

/* `count` from `first` on. */
struct ls_pauses {
  struct ls_pause *items;
  size_t first, count, capacity;
};

void ls_pauses_close(struct ls_pauses *pauses);
/* Another iteration begins. */
void ls_pauses_clear(struct ls_pauses *pauses);
/* `until_s` is not before that of any other one. */
LS_CHECKED enum ls_status ls_pauses_add(struct ls_pauses *pauses, uint64_t unit, double until_s);
/* The next one that is over leaves; false: none is. */
bool ls_pauses_take(struct ls_pauses *pauses, double now_s, uint64_t *unit);
/* When the first one is over; HUGE_VAL: there is none. */
double ls_pauses_over_s(const struct ls_pauses *pauses);

#endif
