/* ordering.h: which units go first?  The interface of orders. */
#ifndef LS_POLICIES_ORDERING_H
#define LS_POLICIES_ORDERING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ls_ordering {
  const char *name, *summary, *reference;
  /* Writes the permutation of `units` unit numbers for iteration `iteration` into `order`.  NULL:
   * as given, and no memory is spent on a permutation. Deterministic in its arguments. */
  void (*arrange)(uint64_t *order, uint64_t units, uint32_t iteration, uint64_t seed);
};

extern const struct ls_ordering *const ls_orderings[]; /* NULL-terminated; ordering/list.h */
const struct ls_ordering *ls_ordering_find(const char *name);

#endif
