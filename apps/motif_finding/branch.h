/* branch.h: branch and bound over the prefixes of start vectors.
 *
 * Each row that is missing adds at most l to the score.  So a prefix of i rows, and all that begins
 * with it, is left out when its score + (t - i) l is less than that of a vector that is known: the
 * bound.  It is less, not as much: every vector of the best score is met.
 */
#ifndef MOTIF_BRANCH_H
#define MOTIF_BRANCH_H

#include <loadstar.h>

#include "alignment.h"

/* What the children of a prefix came to. */
struct branching {
  uint64_t bound;
  struct best best; /* of all children so far */
};

/* Scores the children of a prefix of `depth` rows, one for each position of the next sequence, and
 * sets in `kept` the bits of those that may lead to the bound; NULL: they are whole vectors. */
void branch_expand(const struct space *space, uint64_t prefix, size_t depth,
                   struct branching *branching, uint8_t *kept);
/* Completes a prefix: each further row is the first one that adds most. */
void branch_complete(const struct space *space, uint64_t prefix, size_t depth, struct best *best);
/* The best vector that begins in these positions of the first sequence, in one process: the tree is
 * walked depth first, as published. `visited`: prefixes and vectors that were scored. */
enum ls_status branch_serially(const struct space *space, struct ls_range starts, struct best *best,
                               uint64_t *visited, struct ls_error *err);

#endif
