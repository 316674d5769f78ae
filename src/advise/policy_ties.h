/* policy_ties.h: which cases of a grid are as good as the best one, for all that the seeds tell.
 *
 * All cases meet the same chance, so two are compared seed by seed: the differences vary much less
 * than the makespans do, and small ones that hold with every seed are clear of chance.  What only
 * rounding tells apart is equal.
 */
#ifndef LS_ADVISE_POLICY_TIES_H
#define LS_ADVISE_POLICY_TIES_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/policy_grid.h"

struct ls_policy_tie {
  bool is_best; /* the least mean makespan of its platform, the first of equals */
  bool is_tied; /* not the best, but 0 is in the 95 % interval of how much longer it takes */
  struct ls_policy_figure behind_s; /* how much longer than the best, seed by seed */
  size_t same_as; /* the first case of the platform in the list that lasts as long with every seed,
                     with as many chunks; SIZE_MAX: none before it */
};

/* Of a case of the list, whose makespans were wanted; in the order of the list, ranked or not. */
struct ls_policy_tie ls_policy_tie_find(const struct ls_policy_grid *grid,
                                        const struct ls_policy_case *cases, size_t index);

#endif
