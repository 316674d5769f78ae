/* branch.h: the best pair of orders of a few workers, by branch and bound. */
#ifndef LS_PLANNERS_RETURNS_BRANCH_H
#define LS_PLANNERS_RETURNS_BRANCH_H

#include "planners/returns/relax.h"

/* Improves branch->best and best_value until they are optimal, or the budget is spent, with
 * open_bound. */
void ls_branch_solve(struct ls_branch *branch);

#endif
