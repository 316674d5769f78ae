/* calibrated_platform.c: the laws of a calibration as a platform. */
#include <assert.h>
#include <math.h>

#include "calibrate/calibration.h"
#include "model/platform_build.h"
#include "model/windows.h"

/* Seconds of one unit in the largest chunks of the window, all operations together. */
static double price_window(const struct ls_calibrated_window *window) {
  double sum = 0;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
    const struct ls_cost *law = &window->fits[j].law;
    if (window->fits[j].count > 0) sum += law->per_unit_s + law->latency_s / window->units_to;
  }
  return sum;
}

size_t ls_calibrated_group_best(const struct ls_calibrated_group *group) {
  size_t best = 0;
  for (size_t i = 1; i < group->windows_count; i++)
    if (price_window(&group->windows[i]) < price_window(&group->windows[best])) best = i;
  return best;
}

/* NULL: the group has fewer. */
static const struct ls_calibrated_window *find_window(const struct ls_calibrated_group *group,
                                                      size_t window) {
  assert(group->windows_count >= 1);
  if (window > group->windows_count) return NULL;
  return &group->windows[window > 0 ? window - 1 : ls_calibrated_group_best(group)];
}

/* What a run has of receiving is mostly the moments between its clocks.  So little of it is called
 * computing: the same processor does it, and planners that know no receiving take the platform. */
static const double RECEIVING_LEAST = 0.01;

void ls_calibrated_join_receiving(struct ls_cost *costs, double units_from, double units_to) {
  struct ls_cost *compute = &costs[LS_OPERATION_COMPUTE], *receive = &costs[LS_OPERATION_RECEIVE];
  bool is_little =
      ls_cost_time(receive, units_from) <= RECEIVING_LEAST * ls_cost_time(compute, units_from) &&
      ls_cost_time(receive, units_to) <= RECEIVING_LEAST * ls_cost_time(compute, units_to);
  if (!is_little) return;
  compute->latency_s += receive->latency_s;
  compute->per_unit_s += receive->per_unit_s;
  *receive = (struct ls_cost){0, 0};
}

static struct ls_worker_model make_worker(const struct ls_calibrated_window *window) {
  struct ls_worker_model worker = ls_platform_free_worker();
  for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++)
    if (window->fits[j].count > 0) worker.costs[j] = window->fits[j].law;
  ls_calibrated_join_receiving(worker.costs, window->units_from, window->units_to);
  if (window->is_limited_below) worker.window_from = window->units_from;
  if (window->is_limited_above) worker.window_to = window->units_to;
  return worker;
}

/* How its tasks are spread, around what a unit takes by the fit: a time of one unit holds the
 * latency of its chunk, too. Of a few times it is not known. */
static void spread_units(const struct ls_task_law *tasks, struct ls_worker_model *worker) {
  const size_t count_least = 10;
  double per_unit_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  double task_s = ls_worker_costs(worker, 1)[LS_OPERATION_COMPUTE].per_unit_s;
  double deviation_s = tasks->deviation_s / task_s * per_unit_s;
  if (tasks->count < count_least || !ls_unit_mean_is_good(per_unit_s)) return;
  if (ls_unit_deviation_is_good(per_unit_s, deviation_s))
    ls_worker_spread_units(worker, tasks->law, per_unit_s, deviation_s);
}

/* Where an operation was measured next to this window, it included; NULL: nowhere. */
static const struct ls_affine_fit *find_fit(const struct ls_calibrated_group *group, size_t window,
                                            unsigned operation) {
  for (size_t away = 0; away < group->windows_count; away++) {
    if (away <= window && group->windows[window - away].fits[operation].count > 0)
      return &group->windows[window - away].fits[operation];
    if (window + away < group->windows_count &&
        group->windows[window + away].fits[operation].count > 0)
      return &group->windows[window + away].fits[operation];
  }
  return NULL;
}

/* All windows of a group; only the first and the last one may have no end. */
static size_t list_windows(const struct ls_calibrated_group *group,
                           struct ls_window windows[LS_WINDOWS_MOST]) {
  size_t count = 0;
  for (size_t i = 0; i < group->windows_count && count < LS_WINDOWS_MOST; i++) {
    const struct ls_calibrated_window *window = &group->windows[i];
    if (window->fits[LS_OPERATION_COMPUTE].count == 0) continue;
    bool has_from = i > 0 || window->is_limited_below;
    bool has_to = i + 1 < group->windows_count || window->is_limited_above;
    windows[count] = (struct ls_window){.from = has_from ? window->units_from : 0,
                                        .to = has_to ? window->units_to : (double)INFINITY};
    for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++) {
      const struct ls_affine_fit *fit = find_fit(group, i, j);
      if (fit != NULL) windows[count].costs[j] = fit->law;
    }
    ls_calibrated_join_receiving(windows[count].costs, window->units_from, window->units_to);
    count++;
  }
  return count;
}

static enum ls_status check_window(const struct ls_calibrated_group *group, const char *name,
                                   size_t number, struct ls_error *err) {
  const struct ls_calibrated_window *window = find_window(group, number);
  if (window == NULL)
    return ls_fail(err, LS_EINVAL, "worker %s: has %zu window%s, there is no window %zu", name,
                   group->windows_count, group->windows_count == 1 ? "" : "s", number);
  if (window->fits[LS_OPERATION_COMPUTE].count == 0)
    return ls_fail(err, LS_EINVAL,
                   "worker %s: there is no measurement of compute%s, which a platform needs", name,
                   group->windows_count > 1 ? " in its window" : "");
  return LS_OK;
}

enum ls_status ls_calibration_platform(const struct ls_calibration *calibration,
                                       const struct ls_measurements *measurements, size_t window,
                                       struct ls_platform *platform, struct ls_error *err) {
  struct ls_platform made = ls_platform_without_workers();
  size_t capacity = 0;
  enum ls_status status = LS_OK;
  if (measurements->links == LS_LINKS_SEPARATE) {
    made.ports = LS_PORTS_MULTI;
    made.ports_alpha = 0;
  }
  for (size_t i = 0; i < calibration->workers_count && status == LS_OK; i++) {
    const struct ls_calibrated_group *group = &calibration->groups[calibration->workers[i].group];
    struct ls_window windows[LS_WINDOWS_MOST];
    size_t count = window == LS_CALIBRATED_ALL ? list_windows(group, windows) : 0;
    size_t chosen = window == LS_CALIBRATED_ALL ? LS_CALIBRATED_BEST : window;
    if (count == 0) status = check_window(group, measurements->workers[i], chosen, err);
    if (status != LS_OK) break;
    struct ls_worker_model worker =
        count > 0 ? ls_platform_free_worker() : make_worker(find_window(group, chosen));
    if (count > 0) status = ls_platform_set_windows(&made, &worker, windows, count, err);
    if (status != LS_OK) break;
    spread_units(&calibration->workers[i].tasks, &worker);
    worker.measured_from = group->windows[0].units_from;
    worker.measured_to = group->windows[group->windows_count - 1].units_to;
    if (count == 0) {
      worker.measured_from = find_window(group, chosen)->units_from;
      worker.measured_to = find_window(group, chosen)->units_to;
    }
    status = ls_platform_add_copies(&made, &capacity, measurements->workers[i], 1, &worker);
    if (status != LS_OK) status = ls_fail(err, status, "no memory for workers");
  }
  if (status == LS_OK) {
    size_t chosen = window == LS_CALIBRATED_ALL ? LS_CALIBRATED_BEST : window;
    const struct ls_affine_fit *prepare =
        &find_window(&calibration->groups[0], chosen)->fits[LS_OPERATION_PREPARE];
    if (prepare->count > 0) made.prepare = prepare->law;
    status = ls_platform_check(&made, err);
  }
  if (status == LS_OK)
    *platform = made;
  else
    ls_platform_close(&made);
  return status;
}
