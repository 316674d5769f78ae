/* reduced_star.h: what the planners of the UMR family share: a platform reduced to the stations of
 * the theory, the sets of workers that are tried, and chunks of uniform rounds.
 *
 * The master's and the network's stations become one (the slower per unit), receiving and computing
 * become one, replies are left out.  The replay charges everything; on a platform where nothing is
 * left out (`is_exact`) it agrees with the theory.
 */
#ifndef LS_PLANNERS_STAR_REDUCED_STAR_H
#define LS_PLANNERS_STAR_REDUCED_STAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "planners/planner.h"

/* A worker as the theory sees it: a message of x units occupies the master for send_latency_s +
 * send_per_unit_s x (nLat, 1/B), arrives delay_s later (tLat), and is computed in
 * compute_latency_s + compute_per_unit_s x (cLat, 1/S). */
struct ls_star_worker {
  double send_latency_s, send_per_unit_s;
  double delay_s;
  double compute_latency_s, compute_per_unit_s;
  uint32_t number; /* in the platform */
  double ratio;    /* S/B, by which workers are sorted; nothing in this file reads it */
};

/* All costs equal (the numbers differ)? */
bool ls_star_is_identical(const struct ls_star_worker *workers, size_t count);

struct ls_reduced_star {
  struct ls_star_worker *items; /* owned; in send order */
  size_t count;
  bool is_exact;      /* the reduction leaves nothing out */
  bool is_multi_port; /* the theory plans for one transfer at a time all the same */
};

/* Sets of workers, with their send order. */
enum ls_star_set {
  LS_STAR_PLATFORM, /* (a) all, in the platform's order */
  LS_STAR_SORTED,   /* (b) all, by S/B ascending, ties in the platform's order */
  LS_STAR_SELECTED, /* (c) 3.6: of (b) the longest prefix with sum S/B < 1; identical: all */
  LS_STAR_SETS
};

/* The platform's workers in its order. The caller closes them. */
LS_CHECKED enum ls_status ls_reduced_star_init(struct ls_reduced_star *workers,
                                               const struct ls_platform *platform,
                                               struct ls_error *err);
void ls_reduced_star_close(struct ls_reduced_star *workers);
/* Orders and cuts workers that stand in the platform's order. */
void ls_reduced_star_take(struct ls_reduced_star *workers, enum ls_star_set set);
/* The same workers in the same order? */
bool ls_reduced_star_are_equal(const struct ls_reduced_star *a, const struct ls_reduced_star *b);

/* The sets to be tried: those that differ from every earlier one, in the order of enum ls_star_set.
 * The caller closes `sets[0 .. *count - 1]`. */
LS_CHECKED enum ls_status ls_star_sets_init(struct ls_reduced_star sets[LS_STAR_SETS],
                                            size_t *count, const struct ls_platform *platform,
                                            struct ls_error *err);
void ls_star_sets_close(struct ls_reduced_star sets[LS_STAR_SETS], size_t count);

/* Does sending to these workers cost anything per unit, as uniform rounds need it? */
bool ls_reduced_star_has_theta(const struct ls_reduced_star *workers);
/* What a theory needs of a platform, for ls_planner's applicable: computing costs something per
 * unit on every worker; sending does on some; either does on every worker; the workers are
 * identical. */
bool ls_reduced_star_keeps_busy(const struct ls_platform *platform, struct ls_planner_reason *why);
bool ls_reduced_star_grows(const struct ls_platform *platform, struct ls_planner_reason *why);
bool ls_reduced_star_takes_time(const struct ls_platform *platform, struct ls_planner_reason *why);
bool ls_reduced_star_is_alike(const struct ls_platform *platform, struct ls_planner_reason *why);

/* Makes room for all chunks of a plan at once. */
LS_CHECKED enum ls_status ls_star_reserve(struct ls_plan *plan, size_t chunks,
                                          struct ls_error *err);

/* The remarks on a plan, for its parameter "why". Starts as {0}. */
struct ls_star_notes {
  char text[256];
};
void ls_star_note(struct ls_star_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes the parameter, if anything was noted; adds what every planner of the family says of the
 * platform. */
void ls_star_tell(struct ls_star_notes *notes, const struct ls_reduced_star *workers,
                  struct ls_plan *plan);

#endif
