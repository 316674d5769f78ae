/* pack_relaxation.h: a bound by search: how long the longest tasks take with all others as sand.
 *
 * Where few long tasks meet workers of few speeds, no formula says that they do not fit; a search
 * over these tasks alone does.
 */
#ifndef LS_PLANNERS_PACK_RELAXATION_H
#define LS_PLANNERS_PACK_RELAXATION_H

#include "planners/pack/packing.h"

/* Raises `search->bound_s`, up to the best division at most, within so much of the budget.
 * LS_ENOMEM. */
LS_CHECKED enum ls_status ls_pack_relax(struct ls_pack_search *search, uint64_t work_max);

#endif
