/* pools.h: the pools of a master, as one.
 *
 * The slots of each follow those of the one before.  Requests go to the first pool that has room.
 */
#ifndef LS_RUNTIME_POOL_POOLS_H
#define LS_RUNTIME_POOL_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/pool/pool.h"

struct ls_pools_item {
  const struct ls_pool_kind *kind;
  struct ls_pool *pool;
  uint32_t first;
  size_t slots;
};

/* Starts as {0}: no pool, no slot. */
struct ls_pools {
  struct ls_pools_item *items;
  size_t count;
  size_t slots; /* of all */
  /* To wait for: one each, -1: none. There is room for two of the caller's behind them. `ready`:
   * for the caller, too. */
  int *files;
  bool *ready;
  size_t next; /* the pool that is polled first: each gets its turn */
};

/* Slots of all; what the pools will have when they are open. */
size_t ls_pools_count_slots(const struct ls_pool_choice *choices, size_t count);
/* Of the pool in which this place is, from 1 on; NULL: it is behind all of them. */
const struct ls_pool_kind *ls_pools_find_kind(const struct ls_pool_choice *choices, size_t count,
                                              size_t place);
/* On failure nothing is open. */
LS_CHECKED enum ls_status ls_pools_open(struct ls_pools *pools,
                                        const struct ls_pool_choice *choices, size_t count,
                                        struct ls_error *err);
/* As the functions of a pool (pool.h). Without any pool a request is forgotten: whoever comes,
 * comes by himself. */
void ls_pools_request(struct ls_pools *pools, size_t n);
void ls_pools_kill(struct ls_pools *pools, uint32_t slot);
void ls_pools_limit(struct ls_pools *pools, double seconds);
bool ls_pools_poll(struct ls_pools *pools, struct ls_pool_news *news);
double ls_pools_patience_s(const struct ls_pools *pools);
/* Brings `files` up to date. */
void ls_pools_look_for_files(struct ls_pools *pools);
uint32_t ls_pools_slot(const struct ls_pools *pools, const struct ls_pool_claim *claim);
/* Does the worker in the slot hold a lifeline? */
bool ls_pools_has_lifeline(const struct ls_pools *pools, uint32_t slot);
/* What the worker in the slot costs together with; 0: nothing. */
uint64_t ls_pools_lease(const struct ls_pools *pools, uint32_t slot);
/* The pool that told the last news. */
const struct ls_pool_kind *ls_pools_last(const struct ls_pools *pools);
/* What the master saw of a worker of a pool. */
void ls_pools_see(struct ls_pools *pools, uint32_t slot, enum ls_pool_sight sight);
/* Sums, and the first reason. */
struct ls_pool_counts ls_pools_counts(const struct ls_pools *pools);
/* Does a pool on other machines have workers in its queue that nothing hinders? Those of this
 * machine come at once, or something is wrong with it. */
bool ls_pools_is_pending(const struct ls_pools *pools);
/* Has a pool on other machines workers that wait there, or are about to join? */
bool ls_pools_are_coming(const struct ls_pools *pools);
/* All workers together have so long to end by themselves. */
void ls_pools_close(struct ls_pools *pools, double patience_s);

#endif
