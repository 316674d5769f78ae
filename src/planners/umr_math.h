/* umr_math.h: the closed forms of uniform rounds and their kin, on plain arrays.
 *
 * What the planners umr, umr-best, one-round and mi compute before they build a plan: the number of
 * rounds, the sizes of the rounds, of the last round, of one round, of installments.  Workers stand
 * in the order in which the master sends to them; one message follows another without pause.
 * Nothing here allocates: the caller gives the arrays.  Formulas: section 3 of the project's
 * specification of UMR (yang2002, corrected).
 */
#ifndef LS_PLANNERS_UMR_MATH_H
#define LS_PLANNERS_UMR_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LS_UMR_ROUNDS_MAX = 50 };

/* A worker as the theory sees it: a message of x units occupies the master for send_latency_s +
 * send_per_unit_s x (nLat, 1/B), arrives delay_s later (tLat), and is computed in
 * compute_latency_s + compute_per_unit_s x (cLat, 1/S). */
struct ls_umr_worker {
  double send_latency_s, send_per_unit_s;
  double delay_s;
  double compute_latency_s, compute_per_unit_s;
  uint32_t number; /* in the platform */
  double ratio;    /* S/B, by which workers are sorted; nothing in this file reads it */
};

/* All costs equal (the numbers differ)? */
bool ls_umr_is_identical(const struct ls_umr_worker *workers, size_t count);

/* What uniform rounds of `load` units on some workers depend on. Plain data. */
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
void ls_umr_init(struct ls_umr *umr, const struct ls_umr_worker *workers, size_t count,
                 double load);
/* `count` workers like this one. O(1). */
void ls_umr_init_identical(struct ls_umr *umr, const struct ls_umr_worker *worker, size_t count,
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
double ls_umr_chunk(const struct ls_umr *umr, const struct ls_umr_worker *worker,
                    double round_units);
/* The last of two or more rounds (3.5): its units, by worker, so that all end together; workers
 * that must get nothing have 0. `round_first`, `round_last`: units of the first and the last
 * uniform round. True when some worker gets nothing (water-filling). */
bool ls_umr_last_round(const struct ls_umr *umr, const struct ls_umr_worker *workers,
                       double round_first, double round_last, double *units);

/* One round (3.7): units by worker, 0 for those that were dropped; how many are used. `scratch` has
 * room for 4 * count numbers. No worker may have both per_unit costs 0. O(count) for identical
 * workers, else O(count * (1 + dropped)). */
size_t ls_one_round_sizes(const struct ls_umr_worker *workers, size_t count, double load,
                          double *scratch, double *units);
/* When one round ends: latencies and units of the first worker with units decide. */
double ls_one_round_end_s(const struct ls_umr_worker *workers, const double *units);

/* Installments (3.8): sizes of all messages in send order, round-robin over `count` workers, in the
 * first `count * installments` entries of `units`; it has room for `count` more, which are used on
 * the way. `ratio` = S/B >= 0. */
void ls_mi_sizes(double ratio, size_t count, size_t installments, double load, double *units);

#endif
