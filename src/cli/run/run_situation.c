#include "cli/run/run_situation.h"

#include <stdlib.h>

#include "advise/run_prefetch.h"
#include "cli/run/run_left.h"
#include "cli/run/run_pools.h"
#include "runtime/os/clock.h"

bool ls_run_keeps_prefetch(const struct ls_run_options *options) {
  return options->has_prefetch && !options->chooses_prefetch && options->policy == NULL;
}

/* Where nothing is left, nothing depends on the choice. */
static uint64_t count_left(const struct ls_run_options *options, uint64_t units) {
  uint64_t left = options->left != NULL ? ls_run_left_count(options->left, units) : units;
  return left > 0 ? left : units;
}

enum ls_status ls_run_situation_keep_left(struct ls_run_policy *policy,
                                          const struct ls_run_options *options, uint64_t units,
                                          struct ls_error *err) {
  uint64_t left = count_left(options, units), count = 0;
  if (left == units || policy->adaptive.times == NULL) return LS_OK;
  policy->times_left = calloc(left, sizeof *policy->times_left);
  if (policy->times_left == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for %llu tasks", (unsigned long long)left);
  for (uint64_t task = 0; task < units; task++)
    if (!ls_run_left_is_done(options->left, task))
      policy->times_left[count++] = policy->adaptive.times[task];
  return LS_OK;
}

struct ls_run_situation ls_run_situation_of(const struct ls_run_policy *policy,
                                            const struct ls_run_options *options, uint64_t units) {
  return (struct ls_run_situation){
      .platform = policy->platform.workers_count > 0 ? &policy->platform : NULL,
      .history = options->history != NULL ? &policy->history : NULL,
      .times = policy->times_left != NULL ? policy->times_left : policy->adaptive.times,
      .units = count_left(options, units),
      .workers = policy->config.workers,
      .weights = policy->weights,
      .prefetch = options->prefetch,
      .is_remote = ls_run_pools_is_remote(options),
      .keeps_prefetch = ls_run_keeps_prefetch(options),
      .has_whole_chunks = options->has_whole_chunks,
      .may_save = policy->may_save,
      .clock_s = ls_clock_s,
      .seed = options->seed};
}

/* A plan is pushed: nobody asks. */
enum ls_status ls_run_situation_prefetch(struct ls_run_policy *policy,
                                         const struct ls_run_options *options, uint64_t units,
                                         struct ls_error *err) {
  if (!options->chooses_prefetch || policy->config.chunking->is_pushed) return LS_OK;
  struct ls_run_situation situation = ls_run_situation_of(policy, options, units);
  struct ls_candidate candidate = {.chunking = policy->config.chunking,
                                   .arguments = policy->config.arguments};
  enum ls_status status = ls_run_advise_prefetch(&situation, &candidate, &policy->prefetch,
                                                 &policy->prefetch_reason, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--prefetch auto");
}
