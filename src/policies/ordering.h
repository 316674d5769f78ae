/* ordering.h: which units go first?  The interface of orders. */
#ifndef LS_POLICIES_ORDERING_H
#define LS_POLICIES_ORDERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/status.h"
#include "policies/predictor.h"

/* The facts that an order may know when an iteration begins. */
struct ls_ordering_view {
  uint64_t units;
  uint32_t iteration;
  uint64_t seed;
  const double *expected; /* seconds by unit, as declared, the same for all iterations; NULL */
  const double *actual;   /* their times in this iteration (simulation); NULL: unknown */
  const struct ls_task_history *history; /* of earlier iterations and runs; NULL: none is kept */
  struct ls_arguments arguments;
};

struct ls_ordering {
  const char *name, *summary, *reference;
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none */
  bool learns;                           /* makes use of a history */
  bool needs_times; /* beforehand: `actual` or `expected`, else it is refused */
  /* Writes the permutation of the unit numbers below view->units into `order`.  NULL: as given,
   * and no memory is spent on a permutation.  Deterministic in the view.  LS_EINVAL: it lacks a
   * fact that it cannot do without. */
  enum ls_status (*arrange)(uint64_t *order, const struct ls_ordering_view *view,
                            struct ls_error *err);
};

extern const struct ls_ordering *const ls_orderings[]; /* NULL-terminated; ordering/list.h */
const struct ls_ordering *ls_ordering_find(const char *name);

/* A shuffle of its own for each iteration: what `random` is. */
void ls_ordering_shuffle(uint64_t *order, const struct ls_ordering_view *view);

#endif
