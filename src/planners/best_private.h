/* best_private.h: the pieces of planner `best`: what it keeps, sizes for any sequence, the search.
 *
 * A sequence is the order in which messages are sent, by index into a list of workers.  Its sizes
 * are those with which no worker waits after its first message and all end together: section 3.9
 * of the project's specification, for any sequence instead of rounds.  One backward pass serves
 * every suffix of the sequence.
 */
#ifndef LS_PLANNERS_BEST_PRIVATE_H
#define LS_PLANNERS_BEST_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "planners/planner.h"
#include "planners/umr_private.h"

/* What is better by a smaller share is only rounded otherwise. */
extern const double ls_best_least_gain;

/* The best plan so far, and the work that it took. */
struct ls_best {
  const struct ls_planner_setup *setup;
  struct ls_plan plan;
  double makespan_s; /* INFINITY: no plan yet */
  char winner[32];   /* who made it */
  uint64_t work, work_max;
  bool is_stopped; /* by the caller's clock or the limit of work */
};

/* Is there work left, and time? */
bool ls_best_goes_on(struct ls_best *best);
/* Replays a candidate (after rounding where whole units are wanted), counts the work, and takes it
 * when it is better than what there is; `candidate` may be built anew afterwards. Its makespan;
 * INFINITY when rounding left it other units than the load. */
LS_CHECKED enum ls_status ls_best_offer(struct ls_best *best, struct ls_plan *candidate,
                                        const char *who, double *makespan_s, struct ls_error *err);

/* A list of workers (by index), with room for more. */
struct ls_best_order {
  uint32_t *items; /* owned */
  size_t count, capacity;
};

LS_CHECKED enum ls_status ls_best_order_init(struct ls_best_order *order, size_t capacity,
                                             struct ls_error *err);
void ls_best_order_copy(struct ls_best_order *to, const struct ls_best_order *from);

/* Rounds: the order of the last one (tail), and of all before (body), in which workers of the tail
 * may be missing or stand twice. */
struct ls_best_pattern {
  struct ls_best_order tail, body;
};

/* What decides about random changes. */
struct ls_best_chance {
  struct ls_random random;
  size_t workers_count;
  bool is_identical; /* then the order does not matter */
};

/* Makes one change; false: the one that was drawn is not possible, and the pattern (the order) may
 * be broken. Neither tail nor order is empty. */
bool ls_best_pattern_change(struct ls_best_pattern *pattern, struct ls_best_chance *chance);
bool ls_best_order_change(struct ls_best_order *messages, struct ls_best_chance *chance);

/* Sizes of a sequence, as p x + q with one unknown x; arrays by message, by worker. */
struct ls_best_sizes {
  double *p, *q;
  size_t count_max;
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
bool ls_best_sizes_find(struct ls_best_sizes *sizes, const struct ls_umr_workers *workers,
                        const struct ls_best_order *sequence, double load,
                        struct ls_best_suffix *suffix);
/* Units of message `index` >= suffix->first of the sequence found last. */
double ls_best_sizes_units(const struct ls_best_sizes *sizes, const struct ls_best_suffix *suffix,
                           size_t index);

/* Local search over sequences until the work is spent or nothing more is found. */
LS_CHECKED enum ls_status ls_best_search(struct ls_best *best, struct ls_error *err);

#endif
