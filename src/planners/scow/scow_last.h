/* scow_last.h: the last and the auxiliary round, in which all workers end together.
 *
 * Workers 1..m get a full chunk in the last round and the rest of their work in an auxiliary one,
 * the others all they get in the last round; so nobody waits while the last chunks are sent.
 * docs/theory/scow.md, 5 ((5.13) to (5.19), corrected).
 */
#ifndef LS_PLANNERS_SCOW_SCOW_LAST_H
#define LS_PLANNERS_SCOW_SCOW_LAST_H

#include <stddef.h>

#include "planners/scow/scow_star.h"

/* What is left after the identical rounds. */
struct ls_scow_rest {
  const struct ls_scow_worker *workers; /* those with units in every round */
  size_t count;                         /* >= 1 */
  const double *units;                  /* Y_i > 0, by position */
  double period_s;                      /* P */
  double load;                          /* units left */
  double spacing_s;                     /* K: so far apart do the workers end */
  double send_s;                        /* D of every worker; NAN: h_i(Y_i) */
};

/* m, the workers that get an auxiliary chunk, and Z_i by position into `sizes` (of the auxiliary
 * round for i < m, else of the last round). Where the work left is too small for all of them some
 * sizes are negative. `*end_s`: P + A after worker 1 starts its last chunk. */
size_t ls_scow_last_round(const struct ls_scow_rest *rest, double *sizes, double *end_s);
/* The same for a given m. */
void ls_scow_last_sizes(const struct ls_scow_rest *rest, size_t auxiliary, double *sizes,
                        double *end_s);

#endif
