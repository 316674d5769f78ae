/* brute_force.h: every start vector of a range is tried. */
#ifndef MOTIF_BRUTE_FORCE_H
#define MOTIF_BRUTE_FORCE_H

#include <loadstar.h>

#include "alignment.h"

/* The best of the start vectors of these numbers, of which there is at least one. Vectors that
 * follow each other differ in their last positions, and only these are counted anew. */
enum ls_status brute_force(const struct space *space, struct ls_range vectors, struct best *best,
                           struct ls_error *err);

#endif
