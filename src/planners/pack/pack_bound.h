/* pack_bound.h: makespans that no division of tasks into shards can beat.
 *
 * Sizes stand in falling order, as in struct ls_pack_problem.
 */
#ifndef LS_PLANNERS_PACK_BOUND_H
#define LS_PLANNERS_PACK_BOUND_H

#include "planners/pack/packing.h"

/* The best of: all work over all speeds, the k longest tasks over the k fastest workers, and, on
 * equal workers, the pigeonhole's: of the i K + 1 longest tasks i + 1 share a shard.  Where all
 * times are whole numbers of a second, or of a tenth, ... a millionth of one, so is the work of
 * each shard. O(tasks + shards). */
double ls_pack_bound(const struct ls_pack_problem *problem);

/* How many bins of this capacity the sizes need at least (no size is above it): Martello and Toth's
 * L2. O(count). */
size_t ls_pack_bins_least(const double *sizes, size_t count, double capacity);

/* On equal workers: the largest makespan between `from_s` and `to_s` below which the sizes need
 * more bins than there are shards; `from_s` where there is none. */
double ls_pack_bound_of_bins(const struct ls_pack_problem *problem, double from_s, double to_s);

#endif
