/* scow_rounds.h: plans of identical rounds: a body that repeats, and what is left behind it.
 *
 * What steady-state, asymptotic and periodic have in common: every worker has a share of each
 * round, and all rounds but perhaps the last one are equal.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_ROUNDS_H
#define LS_PLANNERS_SCOW_SCOW_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/plan.h"
#include "planners/scow/scow_star.h"
#include "planners/star/reduced_star.h"

/* One chunk whose size is to be found. */
struct ls_scow_slot {
  double units;       /* wanted, and then found; 0: none */
  double least, most; /* of a chunk that is there */
};
struct ls_scow_slots {
  struct ls_scow_slot *items; /* borrowed */
  size_t count;
  double total;
  bool is_whole; /* sizes and total are */
};
/* Sizes that sum up to the total within the limits, each near to what is wanted; small ones may
 * become none. `*is_found` false: there are none such. */
LS_CHECKED enum ls_status ls_scow_fit_slots(const struct ls_scow_slots *slots, bool *is_found,
                                            struct ls_error *err);

struct ls_scow_rounds {
  const struct ls_scow_star *star; /* borrowed */
  double *shares;                  /* by position, of a round; sum 1 */
  double round_units;              /* wanted */
  bool is_whole;
  bool are_equal; /* the rest is shared by all rounds; else it is a smaller last one */
};
/* Adds the rounds of plan->load units: sizes of rounds change where windows want it. The plan is
 * refused where they leave no size. */
LS_CHECKED enum ls_status ls_scow_add_rounds(struct ls_scow_rounds *rounds, struct ls_plan *plan,
                                             struct ls_error *err);

/* What every planner of the family says of the platform, and `notes`. */
void ls_scow_tell(const struct ls_scow_star *star, struct ls_star_notes *notes,
                  struct ls_plan *plan);
/* The utilizations of one round of these units by position, its period where it is not given
 * (NAN), and the lower bound load / rho. */
LS_CHECKED enum ls_status ls_scow_tell_round(const struct ls_scow_star *star, const double *units,
                                             double period_s, struct ls_plan *plan,
                                             struct ls_error *err);

#endif
