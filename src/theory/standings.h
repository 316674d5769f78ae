/* standings.h: how algorithms stand against each other over many platforms.
 *
 * The metrics of the UMR paper (yang2002, 6): the makespan over that of the first algorithm, the
 * rank (how many others are shorter, from 0), the degradation from the best (makespan over the
 * shortest one, less 1), and which of two is shorter how often.  Makespans that agree to 1e-9 are
 * a tie.  An algorithm that does not apply to a platform has the makespan INFINITY there: it is
 * behind all that apply, and ratios leave it out.
 */
#ifndef LS_THEORY_STANDINGS_H
#define LS_THEORY_STANDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"
#include "base/status.h"

/* Of ratios: how many, their sum and that of their squares. */
struct ls_ratios {
  uint64_t count;
  struct ls_sum sum, squares;
};

/* Adds above / below, unless one of them is INFINITY. */
void ls_ratios_add(struct ls_ratios *ratios, double above, double below);
/* NAN when there is none. */
double ls_ratios_mean(const struct ls_ratios *ratios);
/* Of all of them, not of a sample. */
double ls_ratios_deviation(const struct ls_ratios *ratios);

struct ls_standing {
  uint64_t applied; /* platforms to which it applies */
  struct ls_ratios to_first, to_best;
  struct ls_ratios behind; /* to_best - 1, where another one is shorter */
};

struct ls_standings {
  size_t count; /* of algorithms */
  uint64_t platforms;
  struct ls_standing *items; /* owned, by algorithm */
  uint64_t *shorter;         /* owned: [row * count + column], where the row is shorter */
  /* Ties count for the first algorithm, as the paper counts those of UMR; else half for each.
   * Between others they always are half for each. */
  bool ties_for_first;
};

/* The makespans of some platforms: of algorithm i from at + i * stride on, seconds, > 0. */
struct ls_makespans {
  const double *at;
  size_t stride, count;
};

/* `count` >= 1 algorithms; the caller closes. */
LS_CHECKED enum ls_status ls_standings_init(struct ls_standings *standings, size_t count,
                                            struct ls_error *err);
void ls_standings_close(struct ls_standings *standings);
/* Adds platforms; in how many calls does not change the digits. */
void ls_standings_add(struct ls_standings *standings, const struct ls_makespans *makespans);
/* The platforms on which neither is shorter. */
uint64_t ls_standings_ties(const struct ls_standings *standings, size_t row, size_t column);
/* On how many percent of the platforms the row beats the column. */
double ls_standings_wins(const struct ls_standings *standings, size_t row, size_t column);
/* The mean rank, 0 to count - 1: a tie that is half each counts as half. */
double ls_standings_rank(const struct ls_standings *standings, size_t row);
/* The rank on the first of some platforms, whose mean that is. */
double ls_standings_rank_on(const struct ls_standings *standings,
                            const struct ls_makespans *makespans, size_t row);
/* On how many percent of the platforms it applies and no other one is shorter. */
double ls_standings_best(const struct ls_standings *standings, size_t row);
/* The shortest makespan of platform `index`; INFINITY when nothing applies. */
double ls_makespans_best(const struct ls_makespans *makespans, size_t algorithms, size_t index);

#endif
