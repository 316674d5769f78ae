/* pack_spread.h: what a makespan is to be expected, where the times of tasks vary.
 *
 * The work of a shard is a sum of many independent times: a normal law of their mean and variance.
 * The makespan is the largest of the shards; its law comes of draws from a seed.
 */
#ifndef LS_PLANNERS_PACK_SPREAD_H
#define LS_PLANNERS_PACK_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Borrowed. */
struct ls_pack_shards {
  const double *seconds;   /* of work of each, at speed 1 */
  const double *variances; /* of that */
  const double *speeds;
  size_t shards;
};

/* Of the makespan. */
struct ls_pack_spread {
  double expected_s, low_s, high_s; /* mean; four of five runs lie between */
  size_t draws;
};

/* LS_ENOMEM. */
LS_CHECKED enum ls_status ls_pack_spread_draw(const struct ls_pack_shards *shards, uint64_t seed,
                                              struct ls_pack_spread *out);

#endif
