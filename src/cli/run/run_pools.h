/* run_pools.h: the workers that a run reckons with, and where they come from.
 *
 * Local ones, unless --no-local forbids them, have the first slots; those of pools on other
 * machines follow.  Without local ones they come first, and guests that the user reckons with
 * follow.
 */
#ifndef LS_CLI_RUN_POOLS_H
#define LS_CLI_RUN_POOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_options.h"

/* The number of processors that this process may use, at least 1 (runtime/os/parallel_map.h). */
size_t ls_run_pools_cores(void);
/* Workers of one pool. */
struct ls_run_pool {
  const char *name; /* "ssh" */
  size_t workers;
  const double *speeds; /* one each; NULL: all 1 */
};
/* The next slots are those of a pool on other machines. LS_EINVAL: there are too many in all. */
LS_CHECKED enum ls_status ls_run_pools_add(struct ls_run_options *options,
                                           const struct ls_run_pool *pool, struct ls_error *err);
/* There will be a pool on other machines, so the master listens for its workers: at this machine's
 * own end of a tunnel, or where they connect to directly. Before the site is assembled. */
void ls_run_pools_need_door(struct ls_run_options *options, bool is_direct);
/* Did the user say, in some way, how many workers there are? */
bool ls_run_pools_is_sized(const struct ls_run_options *options);
/* All workers that the run reckons with: those that were asked for, else the cores. */
size_t ls_run_pools_workers(const struct ls_run_options *options);
/* Those that the user started, or asked for, without a pool elsewhere. */
size_t ls_run_pools_own(const struct ls_run_options *options);
/* Do some speeds differ from 1? */
bool ls_run_pools_has_speeds(const struct ls_run_options *options);
/* The speed of the worker in a slot, from 0. */
double ls_run_pools_speed(const struct ls_run_options *options, size_t slot);
/* "2 local, 13 ssh": where the workers come from, if pools elsewhere are there; else nothing. */
void ls_run_pools_describe(const struct ls_run_options *options, struct ls_bytes *out);
/* Can workers be on other machines? Known as soon as the options are. */
bool ls_run_pools_is_remote(const struct ls_run_options *options);

#endif
