#include "cli/run/run_pools.h"

#include <assert.h>
#include <stdlib.h>

#include "runtime/os/parallel_map.h"

size_t ls_run_pools_cores(void) {
  return ls_parallel_processes();
}

void ls_run_pools_need_door(struct ls_run_options *options, bool is_direct) {
  if (is_direct || options->elsewhere.door == NULL)
    options->elsewhere.door = is_direct ? "tcp://*:*" : "tcp://127.0.0.1:*";
}

enum ls_status ls_run_pools_add(struct ls_run_options *options, const struct ls_run_pool *pool,
                                struct ls_error *err) {
  struct ls_run_elsewhere *elsewhere = &options->elsewhere;
  size_t before = elsewhere->workers, all = before + pool->workers;
  assert(elsewhere->pools_count < LS_RUN_POOLS_MAX);
  if (all > LS_RUN_WORKERS_MAX)
    return ls_fail(err, LS_EINVAL, "other machines have %zu workers, expected at most %d in all",
                   all, LS_RUN_WORKERS_MAX);
  double *speeds = realloc(elsewhere->speeds, (all + 1) * sizeof *speeds);
  if (speeds == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", all);
  for (size_t i = 0; i < pool->workers; i++)
    speeds[before + i] = pool->speeds != NULL ? pool->speeds[i] : 1;
  elsewhere->speeds = speeds;
  elsewhere->workers = all;
  elsewhere->pools[elsewhere->pools_count].name = pool->name;
  elsewhere->pools[elsewhere->pools_count++].workers = pool->workers;
  return LS_OK;
}

bool ls_run_pools_is_sized(const struct ls_run_options *options) {
  return options->workers > 0 || options->speeds_count > 0 || options->elsewhere.workers > 0;
}

size_t ls_run_pools_own(const struct ls_run_options *options) {
  if (options->workers > 0) return options->workers;
  if (options->speeds_count > 0) return options->speeds_count;
  bool has_others = options->elsewhere.door != NULL || options->elsewhere.ranks > 0;
  return options->has_no_local && has_others ? 0 : ls_run_pools_cores();
}

size_t ls_run_pools_workers(const struct ls_run_options *options) {
  return ls_run_pools_own(options) + options->elsewhere.workers;
}

bool ls_run_pools_has_speeds(const struct ls_run_options *options) {
  bool differs = options->speeds_count > 0;
  for (size_t i = 0; i < options->elsewhere.workers; i++)
    differs |= options->elsewhere.speeds[i] < 1;
  return differs;
}

double ls_run_pools_speed(const struct ls_run_options *options, size_t slot) {
  size_t ranks = options->elsewhere.ranks;
  if (slot < ranks) return options->elsewhere.speeds[slot];
  slot -= ranks;
  size_t first = options->has_no_local ? 0 : ls_run_pools_own(options);
  size_t others = options->elsewhere.workers - ranks;
  if (slot >= first && slot - first < others)
    return options->elsewhere.speeds[ranks + slot - first];
  size_t own = slot < first ? slot : slot - others;
  return options->speeds_count > 0 ? options->speeds[own % options->speeds_count] : 1;
}

void ls_run_pools_describe(const struct ls_run_options *options, struct ls_bytes *out) {
  const struct ls_run_elsewhere *elsewhere = &options->elsewhere;
  const char *separator = "";
  if (elsewhere->pools_count > 0 && !options->has_no_local) {
    ls_bytes_printf(out, "%zu local", ls_run_pools_own(options));
    separator = ", ";
  }
  for (size_t i = 0; i < elsewhere->pools_count; i++, separator = ", ")
    ls_bytes_printf(out, "%s%zu %s", separator, elsewhere->pools[i].workers,
                    elsewhere->pools[i].name);
}

bool ls_run_pools_is_remote(const struct ls_run_options *options) {
  return options->listen != NULL || options->elsewhere.door != NULL || options->elsewhere.ranks > 0;
}
