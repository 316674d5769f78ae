/* umr_theory.h: the closed forms of uniform rounds, on plain arrays.
 *
 * What the planners umr and umr-best compute before they build a plan: the number of rounds, the
 * sizes of the rounds and of the last round.  Workers stand in the order in which the master sends
 * to them; one message follows another without pause. Nothing here allocates: the caller gives the
 * arrays.  Formulas: docs/theory/umr.md, 3 (yang2002, corrected).
 */
#ifndef LS_PLANNERS_ROUNDS_UMR_THEORY_H
#define LS_PLANNERS_ROUNDS_UMR_THEORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planners/star/reduced_star.h"

enum { LS_UMR_ROUNDS_MAX = 50 };

/* The quantities on which uniform rounds of `load` units on some workers depend. Plain data. */
struct ls_umr {
  size_t workers_count;
  bool is_identical;
  double load;
  double speed;             /* SS: sum of S_i */
  double theta, log_theta;  /* 1 and 0 when |SB - 1| < 1e-12 */
  double growth;            /* theta - 1 */
  double eta;               /* NAN when theta is 1 */
  double compute_latency_s; /* cbar: mean of cLat, weighted by S */
  double send_per_unit_s;   /* A: of a round */
  double send_latency_s;    /* H: of a round */
  double round_step;        /* D: round_{j+1} = theta round_j + D */
  double delay_s;           /* of the last worker */
  double round_least;       /* in a round of fewer units some chunk is negative */
};

/* Needs `count` >= 1, load > 0, every compute_per_unit_s > 0 and some send_per_unit_s > 0 (else
 * theta is infinite). O(count); identical workers get the forms of 3.1 with the digits that
 * ls_umr_init_identical gives. */
void ls_umr_init(struct ls_umr *umr, const struct ls_star_worker *workers, size_t count,
                 double load);
/* `count` workers like this one. O(1). */
void ls_umr_init_identical(struct ls_umr *umr, const struct ls_star_worker *worker, size_t count,
                           double load);

/* round_0 and Ex (Eq. 17) and dEx/dM when there are `rounds` >= 1 rounds (a real number). */
double ls_umr_round_first(const struct ls_umr *umr, double rounds);
double ls_umr_predict(const struct ls_umr *umr, double rounds);
double ls_umr_slope(const struct ls_umr *umr, double rounds);

/* The number of rounds (3.4). */
struct ls_umr_choice {
  double rounds_real; /* M* */
  size_t rounds;      /* M */
  bool is_clamped;    /* by W/eta, after rounding */
  bool is_lowered;    /* because a uniform chunk would be negative */
};
void ls_umr_choose(const struct ls_umr *umr, struct ls_umr_choice *choice);
/* choice.rounds alone: a few signs of the slope at half-integers. */
size_t ls_umr_choose_rounds(const struct ls_umr *umr);

/* Would every chunk of `rounds` uniform rounds be >= 0 (but for 1e-12 of the load)? */
bool ls_umr_is_possible(const struct ls_umr *umr, size_t rounds);
/* Units of round 0 .. rounds-1 into `sizes`. */
void ls_umr_round_sizes(const struct ls_umr *umr, size_t rounds, double *sizes);
/* chunk_{j,i} of a uniform round of `round_units` units; what is negative by rounding is 0. */
double ls_umr_chunk(const struct ls_umr *umr, const struct ls_star_worker *worker,
                    double round_units);
/* The last of two or more rounds (3.5): its units, by worker, so that all end together; workers
 * that must get nothing have 0. `round_first`, `round_last`: units of the first and the last
 * uniform round. True when some worker gets nothing (water-filling). */
bool ls_umr_last_round(const struct ls_umr *umr, const struct ls_star_worker *workers,
                       double round_first, double round_last, double *units);

#endif
