#include "model/platform.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform_build.h"
#include "model/windows.h"

/* Times of units beyond these, and spreads beyond these, are no measurements, and their products
 * might be no numbers. */
static const double UNIT_MEAN_LEAST_S = 1e-200, UNIT_MEAN_MOST_S = 1e200;
static const double VARIATION_LEAST = 1e-12, VARIATION_MOST = 1e6;

double ls_cost_time(const struct ls_cost *cost, double units) {
  return units > 0 ? cost->latency_s + cost->per_unit_s * units : 0;
}

bool ls_worker_takes(const struct ls_worker_model *worker, double units) {
  const double tolerance = 1e-9;
  double least = worker->windows_count == 0 ? ls_worker_chunk_least(worker)
                                            : ls_worker_window(worker, units)->from;
  return units >= least * (1 - tolerance) &&
         units <= ls_worker_chunk_most(worker) * (1 + tolerance);
}

/* To fewer digits than a quotient has, so that mean and deviation, written and read, give back the
 * same number. */
static double round_share(double share) {
  const int bits = 48;
  int exponent;
  double mantissa = frexp(share, &exponent);
  return ldexp(rint(ldexp(mantissa, bits)), exponent - bits);
}

bool ls_unit_mean_is_good(double mean_s) {
  return mean_s >= UNIT_MEAN_LEAST_S && mean_s <= UNIT_MEAN_MOST_S;
}

bool ls_unit_deviation_is_good(double mean_s, double deviation_s) {
  return deviation_s >= 0 && deviation_s <= VARIATION_MOST * mean_s;
}

void ls_worker_spread_units(struct ls_worker_model *worker, enum ls_duration_law law, double mean_s,
                            double deviation_s) {
  double variation = law == LS_DURATION_EXPONENTIAL ? 1 : round_share(deviation_s / mean_s);
  bool is_spread = law != LS_DURATION_CONSTANT && variation > VARIATION_LEAST;
  worker->costs[LS_OPERATION_COMPUTE].per_unit_s = mean_s;
  worker->unit_law = is_spread ? law : LS_DURATION_CONSTANT;
  worker->unit_variation = is_spread ? variation : 0;
}

double ls_platform_unit_variation(const struct ls_platform *platform) {
  double squares = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    double variation = platform->workers[i].unit_variation;
    squares += variation * variation / (double)platform->workers_count;
  }
  return sqrt(squares);
}

enum ls_status ls_platform_init(struct ls_platform *platform, size_t workers_count,
                                struct ls_error *err) {
  if (workers_count == 0) {
    return ls_fail(err, LS_EINVAL, "a platform needs at least one worker");
  }
  struct ls_platform made = ls_platform_without_workers();
  made.workers_count = workers_count;
  made.workers = calloc(workers_count, sizeof *made.workers);
  if (made.workers == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers_count);
  }
  for (size_t i = 0; i < workers_count; i++) {
    struct ls_worker_model *worker = &made.workers[i];
    char name[32];
    (void)snprintf(name, sizeof name, "worker-%zu", i);
    worker->name = strdup(name);
    if (worker->name == NULL) {
      ls_platform_close(&made);
      return ls_fail(err, LS_ENOMEM, "no memory for the names of %zu workers", workers_count);
    }
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    worker->window_to = (double)INFINITY;
    worker->room_units = (double)INFINITY;
    worker->price_per_s = 1;
  }
  assert(ls_platform_check(&made, NULL) == LS_OK);
  *platform = made;
  return LS_OK;
}

void ls_platform_close(struct ls_platform *platform) {
  assert(platform->workers != NULL || platform->workers_count == 0);
  if (platform->workers != NULL) {
    for (size_t i = 0; i < platform->workers_count; i++) free(platform->workers[i].name);
  }
  for (size_t i = 0; i < platform->window_lists_count; i++) free(platform->window_lists[i]);
  free(platform->window_lists);
  free(platform->workers);
  *platform = (struct ls_platform){0};
}

static bool is_cost_value(double value) {
  return isfinite(value) && value >= 0;
}

static enum ls_status check_cost(const struct ls_cost *cost, const char *operation,
                                 struct ls_error *err) {
  if (!is_cost_value(cost->latency_s)) {
    return ls_fail(err, LS_EINVAL, "%s.latency is %g, must be finite and >= 0", operation,
                   cost->latency_s);
  }
  if (!is_cost_value(cost->per_unit_s)) {
    return ls_fail(err, LS_EINVAL, "%s.per_unit is %g, must be finite and >= 0", operation,
                   cost->per_unit_s);
  }
  return LS_OK;
}

static enum ls_status check_worker(const struct ls_worker_model *worker, struct ls_error *err) {
  if (worker->name == NULL || worker->name[0] == '\0') {
    return ls_fail(err, LS_EINVAL, "name is empty, must be a text");
  }
  for (int i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
    enum ls_status status =
        check_cost(&worker->costs[i], ls_operation_name((enum ls_operation)i), err);
    if (status != LS_OK) return status;
  }
  if (!is_cost_value(worker->delay_s)) {
    return ls_fail(err, LS_EINVAL, "delay is %g, must be finite and >= 0", worker->delay_s);
  }
  if (!is_cost_value(worker->window_from)) {
    return ls_fail(err, LS_EINVAL, "window.from is %g, must be finite and >= 0",
                   worker->window_from);
  }
  if (!(worker->window_to > 0 && worker->window_to >= worker->window_from)) {
    return ls_fail(err, LS_EINVAL, "window.to is %g, must be > 0 and at least window.from, %g",
                   worker->window_to, worker->window_from);
  }
  if (worker->windows_count > 0) {
    enum ls_status status = ls_windows_check(worker->windows, worker->windows_count, err);
    if (status != LS_OK) return status;
  }
  if (!(worker->room_units > 0 && worker->room_units >= worker->window_from)) {
    return ls_fail(err, LS_EINVAL, "room is %g, must be > 0 and at least window.from, %g",
                   worker->room_units, worker->window_from);
  }
  if (!is_cost_value(worker->price_per_s)) {
    return ls_fail(err, LS_EINVAL, "cost is %g, must be finite and >= 0", worker->price_per_s);
  }
  if ((unsigned)worker->unit_law >= LS_DURATION_LAWS) {
    return ls_fail(err, LS_EINVAL, "task_seconds.law is %d, must be below %d",
                   (int)worker->unit_law, (int)LS_DURATION_LAWS);
  }
  if (worker->unit_law == LS_DURATION_CONSTANT && worker->unit_variation > 0) {
    return ls_fail(err, LS_EINVAL,
                   "task_seconds: deviation / mean is %g, must be 0 where the law is constant",
                   worker->unit_variation);
  }
  double most = ls_duration_law_variation_most(worker->unit_law);
  if (!(worker->unit_variation >= 0 && worker->unit_variation <= most)) {
    return ls_fail(err, LS_EINVAL, "task_seconds: deviation / mean is %g, must be from 0 to %g",
                   worker->unit_variation, most);
  }
  return LS_OK;
}

enum ls_status ls_platform_check(const struct ls_platform *platform, struct ls_error *err) {
  if (platform->workers_count == 0 || platform->workers == NULL) {
    return ls_fail(err, LS_EINVAL, "a platform needs at least one worker");
  }
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    enum ls_status status = check_worker(worker, err);
    if (status == LS_OK && worker->windows_count > 0 && platform->window_lists_count == 0)
      status = ls_fail(err, LS_EINVAL, "has windows that its platform does not keep");
    if (status != LS_OK) return ls_fail_while(err, status, "worker %zu", i);
  }
  enum ls_status status = check_cost(&platform->prepare, "prepare", err);
  if (status != LS_OK) return ls_fail_while(err, status, "master");
  if (!(platform->master_share > 0 && platform->master_share <= 1)) {
    return ls_fail(err, LS_EINVAL, "master: share is %g, must be > 0 and at most 1",
                   platform->master_share);
  }
  if (platform->stage_ahead > LS_STAGE_AHEAD_MOST) {
    return ls_fail(err, LS_EINVAL, "stage_ahead is %u, must be at most %d", platform->stage_ahead,
                   LS_STAGE_AHEAD_MOST);
  }
  switch (platform->ports) {
    case LS_PORTS_TWO:
    case LS_PORTS_ONE:
      return LS_OK;
    case LS_PORTS_MULTI:
      if (!(platform->ports_alpha >= 0 && platform->ports_alpha <= 1)) {
        return ls_fail(err, LS_EINVAL, "ports: alpha is %g, must be from 0 to 1",
                       platform->ports_alpha);
      }
      return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "ports: %d is no known kind", (int)platform->ports);
}
