/* crews.h: which workers of a platform do the work at what time and price: a search over crews.
 *
 * A crew is some of a platform's workers.  Equal workers (costs, price, windows, room) stand for
 * each other, so a crew is a number of each kind.  Where there are few such crews all are tried.
 * Else those of the first n workers are, in three orders: the fastest first, the least price of a
 * unit first, the least price of a second first; then, as long as tries are left, what is on the
 * front of time and price gets one worker more, one less, or one of another kind; when that finds
 * nothing new, so do those behind the front.  A caller's judge tells time and price, for many crews
 * at once, all under the same chance.
 */
#ifndef LS_ADVISE_CREWS_H
#define LS_ADVISE_CREWS_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/offers.h"
#include "base/status.h"
#include "model/platform.h"

struct ls_crew {
  size_t *workers; /* of the platform, ascending; owned */
  size_t count;
  struct ls_offer offer;
};

struct ls_crew_search {
  const struct ls_platform *platform;
  size_t least, most; /* workers of a crew; most 0: all */
  size_t tries_max;   /* >= 1: crews */
  /* Writes the offer of each; one that has none: INFINITY. */
  enum ls_status (*judge)(void *context, struct ls_crew *crews, size_t count, struct ls_error *err);
  void *context;
  /* Asked between batches; true: enough. NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
};

struct ls_crews {
  struct ls_crew *items; /* all that were tried; owned */
  size_t count, capacity;
  bool is_complete; /* there is no other crew */
};

/* The caller closes `*crews`, which is empty before, also after a failure. */
LS_CHECKED enum ls_status ls_crews_search(const struct ls_crew_search *search,
                                          struct ls_crews *crews, struct ls_error *err);
void ls_crews_close(struct ls_crews *crews);
/* The platform with the crew's workers only, in the platform's order; `workers` has room for them.
 * Borrows everything else. */
struct ls_platform ls_crew_platform(const struct ls_platform *platform, const struct ls_crew *crew,
                                    struct ls_worker_model *workers);

#endif
