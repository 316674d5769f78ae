/* load.h: the one rounding function.
 *
 * Largest remainder: rescale the shares to the total, floor all, +1 to the largest fractions
 * (ties: the larger share first, then the lower index); a zero share gets nothing; all zero counts
 * as all equal.  floor(x) means floor(x + 1e-9).  The sum is preserved.  Source:
 * docs/theory/online.md, 1; docs/model.md says it, too.
 */
#ifndef LS_MODEL_LOAD_H
#define LS_MODEL_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"

LS_C_BEGIN

/* A whole number of units that doubles can count: from 0 to 2^53. */
bool ls_load_is_whole(double units);
/* LS_EINVAL names a load that whole units cannot be. */
LS_CHECKED enum ls_status ls_load_check_whole(double load, struct ls_error *err);

/* `count` shares >= 0 (finite) of `total` into `units` (same length). O(n log n). */
LS_CHECKED enum ls_status ls_load_round(const double *shares, size_t count, uint64_t total,
                                        uint64_t *units, struct ls_error *err);

/* A share on its way to whole units: scratch memory of the rounding. */
struct ls_load_candidate {
  double fraction; /* in steps */
  double share;
  size_t index;
};

/* The same for callers that must not allocate: `scratch` has room for `count`; what ls_load_round
 * refuses is asserted not to come. */
void ls_load_round_within(const double *shares, size_t count, uint64_t total,
                          struct ls_load_candidate *scratch, uint64_t *units);

LS_C_END

#endif
