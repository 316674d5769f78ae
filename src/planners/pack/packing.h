/* packing.h: tasks of known times divided among shards: the problem, a division, a search for one.
 *
 * Each task goes to one shard, each shard to a worker of a known speed: a shard takes its seconds
 * of work over its speed, and the makespan is that of the longest.  Tasks stand in the order of
 * their times, shards in that of their speeds; who calls arranges both (ls_pack_arrange).
 * All of it is the same on every machine: + - x / and comparisons only.
 */
#ifndef LS_PLANNERS_PACKING_H
#define LS_PLANNERS_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "planners/budget.h"

enum { LS_PACK_SHARDS_MAX = 1 << 20 };

/* Two times that differ by less are equal but for rounding. */
#define LS_PACK_ROUNDING 1e-9

/* Borrowed. */
struct ls_pack_problem {
  const double *seconds; /* of each task, the longest first, finite, >= 0 */
  size_t tasks;          /* 1 to 2^32 - 1 */
  const double *speeds;  /* of each shard's worker, the fastest first, finite, > 0 */
  size_t shards;         /* 1 to LS_PACK_SHARDS_MAX */
};

/* Owned. */
struct ls_packing {
  uint32_t *shard_of; /* each task */
  double *seconds;    /* of work of each shard, at speed 1 */
  double makespan_s;
};

/* What the algorithms of pack_list.h share. */
struct ls_pack_search {
  const struct ls_pack_problem *problem;
  struct ls_packing best, trial; /* the best so far; room for the next one */
  const char *found_by;          /* name of the algorithm; NULL: there is no division yet */
  double bound_s;                /* no division is shorter */
  double tolerance;              /* a makespan within this share of the bound needs no search */
  struct ls_budget budget;       /* in looks at a task or at a shard */
};

/* The places of `count` numbers >= 0, the largest first, equal ones in the order of `ties`, then of
 * their places. `ties` may be NULL. O(count). LS_ENOMEM. */
LS_CHECKED enum ls_status ls_pack_arrange(const double *numbers, const uint64_t *ties, size_t count,
                                          uint32_t *places);

/* Is the task longer than nothing, so that it matters where it goes, and are all speeds equal? */
bool ls_pack_is_uniform(const struct ls_pack_problem *problem);
/* Adds up the work of the shards in the order of the tasks, and sets the makespan. */
void ls_packing_measure(struct ls_packing *packing, const struct ls_pack_problem *problem);
/* LS_ENOMEM; then there is nothing to close. */
LS_CHECKED enum ls_status ls_packing_init(struct ls_packing *packing,
                                          const struct ls_pack_problem *problem);
void ls_packing_copy(struct ls_packing *to, const struct ls_packing *from,
                     const struct ls_pack_problem *problem);
void ls_packing_close(struct ls_packing *packing);

/* Measures the trial, which becomes the best where it is shorter. */
void ls_pack_offer(struct ls_pack_search *search, const char *name);
/* Is the best within the tolerance of the bound, or, with a tolerance of 0, at it? */
bool ls_pack_is_enough(const struct ls_pack_search *search);

#endif
