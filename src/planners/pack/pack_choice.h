/* pack_choice.h: the best division that the algorithms of pack_list.h find within a budget.
 */
#ifndef LS_PLANNERS_PACK_CHOICE_H
#define LS_PLANNERS_PACK_CHOICE_H

#include "planners/pack/packing.h"

/* Looks at tasks and shards: some tenths of a second. */
#define LS_PACK_WORK UINT64_C(50000000)

/* Owned. */
struct ls_pack_result {
  struct ls_packing packing;
  const char *algorithm; /* that found it */
  double bound_s;        /* no division is shorter; the makespan itself where it is the optimum */
  bool is_optimal;       /* proven, but for rounding */
  bool is_cut;           /* the budget ended the search */
};

/* (makespan - bound) / bound; 0 where there is nothing to do. */
double ls_pack_gap(const struct ls_pack_result *result);

/* The same for the same problem and budget, on every machine, where the budget asks no clock.
 * LS_ENOMEM: there is nothing to close. */
LS_CHECKED enum ls_status ls_pack_choose(const struct ls_pack_problem *problem,
                                         const struct ls_budget *budget,
                                         struct ls_pack_result *result, struct ls_error *err);
void ls_pack_result_close(struct ls_pack_result *result);

#endif
