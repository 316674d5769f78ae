/* pack_bags.h: bags of tasks for machines whose speeds are not known yet.
 *
 * Tasks are put into b bags before, the bags onto at most m machines once their speeds are known.
 * How much longer that may last than if the speeds had been known is a number of the bags alone,
 * whatever the speeds will be.
 */
#ifndef LS_PLANNERS_PACK_BAGS_H
#define LS_PLANNERS_PACK_BAGS_H

#include "planners/pack/packing.h"

/* The best ratio of load that is infinitely divisible (sand), m^b / (m^b - (m - 1)^b). */
double ls_pack_sand_ratio(size_t bags, size_t machines);
/* The shares of the load, the largest first, that attain it; their sum is 1. */
void ls_pack_sand_shares(size_t bags, size_t machines, double *shares);
/* The worst ratio of the makespan of bags of these sizes (the largest first, sum > 0) to that of
 * the same load as sand, over all speeds of at most so many machines: attained, and never passed
 * when each bag, the largest first, goes where it ends first. */
double ls_pack_bags_ratio(const double *sizes, size_t bags, size_t machines);

/* Owned. */
struct ls_pack_bags {
  uint32_t *bag_of; /* each task; bag 0 is the largest */
  double *sizes;    /* of bags, the largest first */
  double ratio;     /* no speeds make it longer than so many times the best */
  const char *made; /* "sand", "bricks", "rocks" or "alone" */
};

/* `seconds` of tasks, the longest first, not all 0. LS_ENOMEM: there is nothing to close. */
LS_CHECKED enum ls_status ls_pack_bags_make(const double *seconds, size_t tasks, size_t bags,
                                            size_t machines, struct ls_pack_bags *out);
void ls_pack_bags_close(struct ls_pack_bags *bags);

#endif
