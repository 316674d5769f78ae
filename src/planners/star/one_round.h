/* one_round.h: the sizes of one round of messages.
 *
 * Workers stand in the order in which the master sends to them.  Formulas: docs/theory/umr.md, 3.7.
 */
#ifndef LS_PLANNERS_STAR_ONE_ROUND_H
#define LS_PLANNERS_STAR_ONE_ROUND_H

#include <stddef.h>

#include "base/status.h"
#include "model/plan.h"
#include "planners/star/reduced_star.h"

/* One round (3.7): units by worker, 0 for those that were dropped; how many are used. `scratch` has
 * room for 4 * count numbers. No worker may have both per_unit costs 0. O(count) for identical
 * workers, else O(count * (1 + dropped)). */
size_t ls_one_round_sizes(const struct ls_star_worker *workers, size_t count, double load,
                          double *scratch, double *units);

/* Adds the chunks of one round (3.7). */
LS_CHECKED enum ls_status ls_one_round_add(const struct ls_reduced_star *workers,
                                           struct ls_star_notes *notes, struct ls_plan *plan,
                                           struct ls_error *err);

#endif
