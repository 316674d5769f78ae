/* scow_cells.h: how many workers are full in a period of T seconds, for every T.
 *
 * A worker takes part in a period that is longer than its constant C.  Between two such constants
 * the workers that take part are a set; within a set the number of full workers changes only at the
 * periods T_i of perfect utilization.  docs/theory/scow.md, 3.3 (Theorem 10, corrected).
 */
#ifndef LS_PLANNERS_SCOW_SCOW_CELLS_H
#define LS_PLANNERS_SCOW_SCOW_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "planners/scow/scow_star.h"

/* The workers whose C is below every period of (from_s, to_s). Sending to the first i of them, each
 * full, takes slopes[i] T + constants[i]. */
struct ls_scow_set {
  double from_s, to_s;            /* INFINITY: no end */
  struct ls_scow_worker *workers; /* owned, as all arrays; in activation order */
  size_t count;
  double *slopes, *constants; /* A_i, B_i; count + 1 entries */
  double *production, *lost;  /* sum of 1/c and of C/c; count + 1 entries */
  double *least_s, *most_s;   /* periods that the windows of the first i allow; count + 1 */
  double *cuts;               /* sorted; from_s first, to_s last */
  size_t cuts_count;
};

/* The sets of a star, one after another, by ascending periods. */
struct ls_scow_sets {
  const struct ls_scow_star *star; /* borrowed */
  double *constants;               /* distinct C, ascending */
  size_t constants_count, next;
  size_t stride; /* of many constants so many are taken together, the fewest workers of them */
  struct ls_scow_set set; /* the present one */
};

/* `sets_most` > 0: so many sets, about; SIZE_MAX: all. */
LS_CHECKED enum ls_status ls_scow_sets_open(struct ls_scow_sets *sets,
                                            const struct ls_scow_star *star, size_t sets_most,
                                            struct ls_error *err);
void ls_scow_sets_close(struct ls_scow_sets *sets);
/* The next set, with its cuts; NULL: there is none. Chunks of full workers are at least
 * `units_least`, or what their windows want. O(count log count). */
const struct ls_scow_set *ls_scow_sets_next(struct ls_scow_sets *sets, double units_least);
/* q(T), the full workers of a period within the set. O(log count). */
size_t ls_scow_set_full(const struct ls_scow_set *set, double period_s);
/* A period between two cuts. */
double ls_scow_set_between(const struct ls_scow_set *set, size_t cut);
/* The periods within the set in which the first i workers can be full; false: there are none. */
bool ls_scow_set_range(const struct ls_scow_set *set, size_t i, double *from_s, double *to_s);

/* T_i, in which the first i workers of all are full and the master has no time left; NAN: there is
 * no such period. `periods` has an entry for each worker, T_i at i - 1. */
void ls_scow_pump(const struct ls_scow_star *star, double *periods);

/* q(T) of every period: cells with equal numbers, merged. */
struct ls_scow_cell {
  double from_s, to_s; /* INFINITY: no end */
  size_t full;
};
/* The caller frees `*cells`. */
LS_CHECKED enum ls_status ls_scow_partition(const struct ls_scow_star *star,
                                            struct ls_scow_cell **cells, size_t *count,
                                            struct ls_error *err);

#endif
