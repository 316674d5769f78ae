#include "cli/run/run_platform.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/platform_source.h"
#include "cli/run/run_pools.h"

static const double SECONDS_LEAST = 1e-9; /* of a unit, where a platform says 0 */

/* --platform: the workers.  It says how many there are, unless another option does. */
enum ls_status ls_run_platform_read(struct ls_run_policy *policy,
                                    const struct ls_run_options *options, struct ls_error *err) {
  struct ls_platform_source source = ls_platform_source_default();
  if (options->platform == NULL) return LS_OK;
  source.text = options->platform;
  source.stage_ahead = (uint32_t)options->stage_ahead;
  enum ls_status status = ls_platform_source_read(&source, &policy->platform, err);
  if (status != LS_OK) return status;
  size_t count = policy->platform.workers_count, most = LS_RUN_WORKERS_MAX;
  if (!ls_run_pools_is_sized(options)) policy->config.workers = count;
  if (policy->config.workers <= count && policy->config.workers <= most) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--platform has %zu workers, the run %zu: expected %s", count,
                 policy->config.workers,
                 count > most ? "at most 4096" : "a platform with all of them");
}

/* Without weights, the policy knows the speeds that the user gave, or those of the platform. */
enum ls_status ls_run_platform_weigh(struct ls_run_policy *policy,
                                     const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_platform *platform = &policy->platform;
  bool has_speeds = ls_run_pools_has_speeds(options);
  if (!has_speeds && platform->workers_count == 0) return LS_OK;
  policy->weights = calloc(policy->config.workers, sizeof *policy->weights);
  if (policy->weights == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for weights");
  for (size_t i = 0; i < policy->config.workers; i++) {
    double unit_s = platform->workers_count > 0
                        ? platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s
                        : 1;
    policy->weights[i] =
        has_speeds ? ls_run_pools_speed(options, i) : 1 / fmax(unit_s, SECONDS_LEAST);
  }
  return LS_OK;
}

/* The platform's workers in this order, of which there are `count`; behind them all others. */
enum ls_status ls_run_platform_reorder(struct ls_platform *platform, const uint64_t *order,
                                       size_t count, struct ls_error *err) {
  if (platform->workers_count == 0) return LS_OK;
  assert(count <= platform->workers_count);
  struct ls_worker_model *workers = calloc(count, sizeof *workers);
  if (workers == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu workers", count);
  for (size_t i = 0; i < count; i++) workers[i] = platform->workers[order[i]];
  memcpy(platform->workers, workers, count * sizeof *workers);
  free(workers);
  return LS_OK;
}

/* What the platform says of each worker, beside its speed. */
enum ls_status ls_run_platform_take(struct ls_run_policy *policy, struct ls_error *err) {
  const struct ls_platform *platform = &policy->platform;
  struct ls_coordinator_config *config = &policy->config;
  if (platform->workers_count == 0) return LS_OK;
  enum ls_status status = ls_platform_rooms(platform, &policy->rooms, err);
  if (status != LS_OK) return ls_fail_while(err, status, "--platform");
  config->rooms = policy->rooms;
  config->rooms_count = policy->rooms != NULL ? config->workers : 0;
  policy->prices = calloc(config->workers, sizeof *policy->prices);
  if (policy->prices == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for prices");
  for (size_t i = 0; i < config->workers; i++) policy->prices[i] = platform->workers[i].price_per_s;
  return LS_OK;
}
