/* surrogate_cut.h: one row that sees all open pairs of workers at once. */
#ifndef LS_PLANNERS_RETURNS_SURROGATE_CUT_H
#define LS_PLANNERS_RETURNS_SURROGATE_CUT_H

#include "planners/returns/relax.h"

/* A row that no solution of the node violates; its excess at the node's vertex, 0 when there is no
 * such row. Improves the node's weights. */
double ls_surrogate_cut(const struct ls_branch *branch, struct ls_branch_node *node, double *row);

#endif
