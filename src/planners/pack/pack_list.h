/* pack_list.h: the algorithms that divide tasks among shards, in the order in which they are tried.
 *
 * Each makes a division of its own, or improves the best that there is, and offers it; those that
 * follow are asked only while the best is not near enough to the bound.
 */
#ifndef LS_PLANNERS_PACK_LIST_H
#define LS_PLANNERS_PACK_LIST_H

#include "planners/pack/packing.h"

struct ls_pack_algorithm {
  const char *name, *summary, *reference;
  bool needs_equal_speeds;
  /* What it will cost at least, in the units of the budget; nobody starts what cannot end. */
  uint64_t (*cost)(const struct ls_pack_problem *problem);
  /* Offers what it finds. LS_ENOMEM. */
  enum ls_status (*divide)(struct ls_pack_search *search);
};

extern const struct ls_pack_algorithm ls_pack_lptf, ls_pack_multifit, ls_pack_differencing,
    ls_pack_pairs, ls_pack_exact;
/* All of them, ended by NULL. */
extern const struct ls_pack_algorithm *const ls_pack_algorithms[];

#endif
