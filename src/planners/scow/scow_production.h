/* scow_production.h: the most units in one period of T seconds (MP).
 *
 * In closed form for identical workers and for a bus, greedily with a bound, and exactly by a
 * mixed-integer program.  docs/theory/scow.md, 3.1.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_PRODUCTION_H
#define LS_PLANNERS_SCOW_SCOW_PRODUCTION_H

#include <stddef.h>

#include "base/status.h"
#include "planners/budget.h"
#include "planners/scow/scow_star.h"

/* What one period produces. */
struct ls_scow_production {
  double total;    /* units */
  size_t full;     /* workers that compute all the period */
  size_t position; /* of the partial worker; SIZE_MAX: none */
  double partial;  /* its units */
  double bound;    /* no period produces more than total + bound; NAN: not known */
};

/* Theorem 7, corrected: full workers in activation order while all that is sent fits, `full_most`
 * at most, then one partial worker with what is left. Units by position into `units` (NULL: only
 * the sums). O(count). */
struct ls_scow_production ls_scow_produce(const struct ls_scow_worker *workers, size_t count,
                                          double period_s, size_t full_most, double *units);
/* Theorem 4: the exact most of identical workers. */
struct ls_scow_production ls_scow_produce_identical(const struct ls_scow_worker *worker,
                                                    size_t count, double period_s);
/* The exact most of any workers, by Cbc unless a closed form holds (identical workers, a bus):
 * (4.4) to (4.10), linearised and corrected. `units` by position; `budget` as of searches: its
 * limit of work is that of nodes. LS_EINVAL: stopped before there was a solution; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_scow_produce_exactly(const struct ls_scow_star *star, double period_s,
                                                  struct ls_budget *budget, double *units,
                                                  struct ls_error *err);

#endif
