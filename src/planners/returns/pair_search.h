/* pair_search.h: local search over pairs of orders of a few workers. */
#ifndef LS_PLANNERS_RETURNS_PAIR_SEARCH_H
#define LS_PLANNERS_RETURNS_PAIR_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "planners/returns/dual_simplex.h"

/* Swaps and moves in one order, exchanges of two names in both,
 * first improvement, until none helps. Improves *pair, whose value is returned. A program is one
 * work of the budget. */
double ls_pair_climb(const struct ls_small *small, struct ls_pair *pair, struct ls_budget *budget);

#endif
