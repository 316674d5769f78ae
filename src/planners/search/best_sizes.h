/* best_sizes.h: the sizes of any sequence of messages.
 *
 * A sequence is the order in which messages are sent, by index into a list of workers.  Its sizes
 * are those with which no worker waits after its first message and all end together:
 * docs/theory/umr.md, 3.9, for any sequence instead of rounds.  One backward pass serves every
 * suffix of the sequence.
 */
#ifndef LS_PLANNERS_SEARCH_BEST_SIZES_H
#define LS_PLANNERS_SEARCH_BEST_SIZES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "planners/search/best_changes.h"
#include "planners/star/reduced_star.h"

/* Sizes of a sequence, as p x + q with one unknown x; arrays by message, by worker. */
struct ls_best_sizes {
  double *p, *q;
  double *next_p, *next_q; /* by worker: what is sent after its next message */
  bool *is_seen;           /* by worker: has a later message */
  size_t workers_count;
};

LS_CHECKED enum ls_status ls_best_sizes_init(struct ls_best_sizes *sizes, size_t workers_count,
                                             size_t count_max, struct ls_error *err);
void ls_best_sizes_close(struct ls_best_sizes *sizes);

/* The suffix of a sequence that ends first. */
struct ls_best_suffix {
  size_t first; /* its first message */
  double x;
  double makespan_s; /* of the theory */
};

/* False: no suffix of `sequence` (send order, at most count_max) can be played without waiting.
 * Every compute_per_unit_s must be > 0. O(count). */
bool ls_best_sizes_find(struct ls_best_sizes *sizes, const struct ls_reduced_star *workers,
                        const struct ls_best_order *sequence, double load,
                        struct ls_best_suffix *suffix);
/* Units of message `index` >= suffix->first of the sequence found last. */
double ls_best_sizes_units(const struct ls_best_sizes *sizes, const struct ls_best_suffix *suffix,
                           size_t index);

#endif
