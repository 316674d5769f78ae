/* prefetch_choice.h: the prefetch of a simulation by itself.
 *
 * Units that wait at a worker hide the way of its next request, and are bound to it when another
 * could do them.  So the least prefetch is chosen whose makespan is within 1 % of the best: more
 * would gain nothing worth the freedom.  All that are tried play the same draws.
 */
#ifndef LS_SIMULATE_PREFETCH_CHOICE_H
#define LS_SIMULATE_PREFETCH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "simulate/simulate.h"

/* Where it is tried. `draw` writes draw number `draw` into the zeroed setup: all but the prefetch.
 * Its pointers stay valid until the next call. */
struct ls_prefetch_trial {
  void *context;
  enum ls_status (*draw)(void *context, size_t draw, struct ls_simulation *setup,
                         struct ls_error *err);
  size_t draws; /* >= 1 */
  bool (*stop)(
      void *context); /* asked before each simulation; true: no time is left; may be NULL */
  void *stop_context;
};

struct ls_prefetch_choice {
  uint64_t prefetch, best;   /* the least within 1 % of the best, and the best */
  double makespan_s, best_s; /* the mean over the draws of each */
  size_t simulations;        /* 0: no time for any; the prefetch is then 1 */
};

/* Of 0 to 8, 10, 12, 16, 20, 24, 32, 48, 64, 96 and 128.  1 is played first, and what there was no
 * time for does not count.  A refusal of the simulator is forwarded. */
LS_CHECKED enum ls_status ls_prefetch_choose(const struct ls_prefetch_trial *trial,
                                             struct ls_prefetch_choice *choice,
                                             struct ls_error *err);
/* "2: 130.9 s expected in 38 simulations, within 1 % of the best (4: 130.2 s)". */
void ls_prefetch_explain(const struct ls_prefetch_choice *choice, struct ls_bytes *out);

#endif
