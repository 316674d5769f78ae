/* umr_private.h: what the planners of the UMR family share: a platform reduced to the stations of
 * the theory, the sets of workers that are tried, and chunks of uniform rounds.
 *
 * The master's and the network's stations become one (the slower per unit), receiving and computing
 * become one, replies are left out.  The replay charges everything; on a platform where nothing is
 * left out (`is_exact`) it agrees with the theory.
 */
#ifndef LS_PLANNERS_UMR_PRIVATE_H
#define LS_PLANNERS_UMR_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "planners/umr_math.h"

struct ls_umr_workers {
  struct ls_umr_worker *items; /* owned; in send order */
  size_t count;
  bool is_exact;      /* the reduction leaves nothing out */
  bool is_multi_port; /* the theory plans for one transfer at a time all the same */
};

/* Sets of workers, with their send order. */
enum ls_umr_set {
  LS_UMR_PLATFORM, /* (a) all, in the platform's order */
  LS_UMR_SORTED,   /* (b) all, by S/B ascending, ties in the platform's order */
  LS_UMR_SELECTED, /* (c) 3.6: of (b) the longest prefix with sum S/B < 1; identical: all */
  LS_UMR_SETS
};

/* The platform's workers in its order. The caller closes them. */
LS_CHECKED enum ls_status ls_umr_workers_init(struct ls_umr_workers *workers,
                                              const struct ls_platform *platform,
                                              struct ls_error *err);
void ls_umr_workers_close(struct ls_umr_workers *workers);
/* Orders and cuts workers that stand in the platform's order. */
void ls_umr_workers_take(struct ls_umr_workers *workers, enum ls_umr_set set);
/* The same workers in the same order? */
bool ls_umr_workers_are_equal(const struct ls_umr_workers *a, const struct ls_umr_workers *b);

/* The sets to be tried: those that differ from every earlier one, in the order of enum ls_umr_set.
 * The caller closes `sets[0 .. *count - 1]`. */
LS_CHECKED enum ls_status ls_umr_sets_init(struct ls_umr_workers sets[LS_UMR_SETS], size_t *count,
                                           const struct ls_platform *platform,
                                           struct ls_error *err);
void ls_umr_sets_close(struct ls_umr_workers sets[LS_UMR_SETS], size_t count);

/* Does sending to these workers cost anything per unit, as uniform rounds need it? */
bool ls_umr_has_theta(const struct ls_umr_workers *workers);
/* Refuses where computing costs nothing per unit; with `needs_theta` also where sending does.
 * False: the plan may be made. */
bool ls_umr_refuses(const struct ls_umr_workers *workers, bool needs_theta, struct ls_plan *plan);

/* Makes room for all chunks of a plan at once. */
LS_CHECKED enum ls_status ls_umr_reserve(struct ls_plan *plan, size_t chunks, struct ls_error *err);

/* What there is to say of a plan, for its parameter "why". Starts as {0}. */
struct ls_umr_notes {
  char text[256];
};
void ls_umr_note(struct ls_umr_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The theory's parameters: theta, eta (unless theta is 1), predicted_makespan for these rounds. */
void ls_umr_tell_theory(const struct ls_umr *umr, size_t rounds, struct ls_plan *plan);
/* Writes the parameter, if anything was noted; adds what every planner of the family says of the
 * platform. */
void ls_umr_tell(struct ls_umr_notes *notes, const struct ls_umr_workers *workers,
                 struct ls_plan *plan);

/* So many rounds for these workers. Borrows both. */
struct ls_umr_rounds {
  const struct ls_umr_workers *workers;
  const struct ls_umr *theory; /* of these workers; one round does without */
  size_t count;                /* >= 1 */
};
/* Adds their chunks: one round by 3.7, more as uniform rounds, of which the last one by 3.5. */
LS_CHECKED enum ls_status ls_umr_add_rounds(const struct ls_umr_rounds *rounds,
                                            struct ls_umr_notes *notes, struct ls_plan *plan,
                                            struct ls_error *err);
/* Which of many different workers ls_one_round_sizes would drop, in less time: fills `is_dropped`,
 * `count` entries. Where chunks are 0 but for rounding, ls_one_round_sizes has the last word. */
LS_CHECKED enum ls_status ls_one_round_drop(const struct ls_umr_worker *workers, size_t count,
                                            double load, bool *is_dropped, struct ls_error *err);
/* Adds the chunks of one round (3.7). */
LS_CHECKED enum ls_status ls_one_round_add(const struct ls_umr_workers *workers,
                                           struct ls_umr_notes *notes, struct ls_plan *plan,
                                           struct ls_error *err);

#endif
