#include "model/windows.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const double TOLERANCE = 1e-9;

const struct ls_window *ls_worker_window(const struct ls_worker_model *worker, double units) {
  assert(worker->windows_count > 0);
  size_t i = 0;
  while (i + 1 < worker->windows_count && !(units <= worker->windows[i].to * (1 + TOLERANCE))) i++;
  return &worker->windows[i];
}

static bool costs_something(const struct ls_cost *cost) {
  return cost->latency_s > 0 || cost->per_unit_s > 0;
}

bool ls_worker_has_cost(const struct ls_worker_model *worker, enum ls_operation operation) {
  if (costs_something(&worker->costs[operation])) return true;
  for (size_t i = 0; i < worker->windows_count; i++)
    if (costs_something(&worker->windows[i].costs[operation])) return true;
  return false;
}

double ls_worker_unit_s(const struct ls_worker_model *worker) {
  double unit_s = 0;
  for (int i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++)
    unit_s += worker->costs[i].per_unit_s;
  return unit_s;
}

bool ls_platform_has_cost(const struct ls_platform *platform, enum ls_operation operation) {
  for (size_t i = 0; i < platform->workers_count; i++)
    if (ls_worker_has_cost(&platform->workers[i], operation)) return true;
  return false;
}

bool ls_platform_shares_storage(const struct ls_platform *platform) {
  return platform->storage_readers > 0 && platform->storage_readers < platform->workers_count &&
         ls_platform_has_cost(platform, LS_OPERATION_STAGE);
}

bool ls_platform_has_windows(const struct ls_platform *platform) {
  if (platform->window_lists_count == 0) return false;
  for (size_t i = 0; i < platform->workers_count; i++)
    if (platform->workers[i].windows_count > 0) return true;
  return false;
}

/* Seconds of a unit in the largest chunks of the window, all operations together. */
static double price_window(const struct ls_window *window, double room_units) {
  double units = fmin(window->to, room_units), sum = 0;
  for (size_t i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++)
    sum += window->costs[i].per_unit_s + window->costs[i].latency_s / units;
  return sum;
}

size_t ls_worker_window_best(const struct ls_worker_model *worker) {
  size_t best = 0;
  double best_s = (double)INFINITY;
  for (size_t i = 0; i < worker->windows_count; i++) {
    const struct ls_window *window = &worker->windows[i];
    bool fits = window->from <= worker->room_units;
    double seconds = fits ? price_window(window, worker->room_units) : (double)INFINITY;
    if (!(seconds < best_s)) continue;
    best = i;
    best_s = seconds;
  }
  return best;
}

static bool is_cost_value(double value) {
  return isfinite(value) && value >= 0;
}

static enum ls_status check_costs(const struct ls_window *window, size_t index,
                                  struct ls_error *err) {
  for (size_t i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
    const struct ls_cost *cost = &window->costs[i];
    const char *name = ls_operation_name((enum ls_operation)i);
    if (!is_cost_value(cost->latency_s))
      return ls_fail(err, LS_EINVAL, "windows[%zu].%s.latency is %g, must be finite and >= 0",
                     index, name, cost->latency_s);
    if (!is_cost_value(cost->per_unit_s))
      return ls_fail(err, LS_EINVAL, "windows[%zu].%s.per_unit is %g, must be finite and >= 0",
                     index, name, cost->per_unit_s);
  }
  return LS_OK;
}

enum ls_status ls_windows_check(const struct ls_window *windows, size_t count,
                                struct ls_error *err) {
  if (count == 0 || count > LS_WINDOWS_MOST)
    return ls_fail(err, LS_EINVAL, "windows are %zu, must be 1 to %d", count, LS_WINDOWS_MOST);
  for (size_t i = 0; i < count; i++) {
    double before = i > 0 ? windows[i - 1].to : 0;
    if (!(is_cost_value(windows[i].from) && windows[i].from >= before))
      return ls_fail(err, LS_EINVAL, "windows[%zu].from is %g, must be finite and at least %g", i,
                     windows[i].from, before);
    if (!(windows[i].to > 0 && windows[i].to >= windows[i].from))
      return ls_fail(err, LS_EINVAL, "windows[%zu].to is %g, must be > 0 and at least its from, %g",
                     i, windows[i].to, windows[i].from);
    enum ls_status status = check_costs(&windows[i], i, err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}

void ls_worker_settle_windows(struct ls_worker_model *worker) {
  if (worker->windows_count == 0) return;
  memcpy(worker->costs, worker->windows[ls_worker_window_best(worker)].costs, sizeof worker->costs);
}

static enum ls_status keep_windows(struct ls_platform *platform, const struct ls_window *windows,
                                   size_t count, const struct ls_window **kept,
                                   struct ls_error *err) {
  void *lists = platform->window_lists;
  struct ls_window *copy = calloc(count, sizeof *copy);
  enum ls_status status =
      copy == NULL ? LS_ENOMEM
                   : ls_array_reserve(&lists, &platform->window_lists_capacity,
                                      platform->window_lists_count + 1, sizeof(struct ls_window *));
  if (status != LS_OK) {
    free(copy);
    return ls_fail(err, status, "no memory for %zu windows", count);
  }
  memcpy(copy, windows, count * sizeof *copy);
  platform->window_lists = lists;
  platform->window_lists[platform->window_lists_count++] = copy;
  *kept = copy;
  return LS_OK;
}

enum ls_status ls_platform_set_windows(struct ls_platform *platform, struct ls_worker_model *worker,
                                       const struct ls_window *windows, size_t count,
                                       struct ls_error *err) {
  assert(ls_windows_check(windows, count, NULL) == LS_OK);
  struct ls_worker_model made = *worker;
  made.windows = windows;
  made.windows_count = (uint16_t)count;
  if (count == 1) {
    ls_worker_take_window(&made, 0);
  } else {
    enum ls_status status = keep_windows(platform, windows, count, &made.windows, err);
    if (status != LS_OK) return status;
    made.window_from = windows[0].from;
    made.window_to = windows[count - 1].to;
    ls_worker_settle_windows(&made);
  }
  *worker = made;
  return LS_OK;
}

enum ls_status ls_platform_own_windows(struct ls_platform *platform, struct ls_error *err) {
  const struct ls_window *before = NULL, *own = NULL;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < platform->workers_count && status == LS_OK; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (worker->windows_count == 0) continue;
    /* Equal workers stand one behind another and share a list. */
    if (worker->windows != before || own == NULL) {
      before = worker->windows;
      status = keep_windows(platform, before, worker->windows_count, &own, err);
    }
    worker->windows = own;
  }
  /* What is not owned must not be looked at again. */
  for (size_t i = 0; status != LS_OK && i < platform->workers_count; i++)
    platform->workers[i].windows_count = 0;
  return status;
}

void ls_worker_take_window(struct ls_worker_model *worker, size_t window) {
  assert(window < worker->windows_count);
  const struct ls_window *taken = &worker->windows[window];
  worker->window_from = taken->from;
  worker->window_to = taken->to;
  memcpy(worker->costs, taken->costs, sizeof worker->costs);
  worker->windows = NULL;
  worker->windows_count = 0;
}

void ls_worker_write_windows(const struct ls_worker_model *worker, struct ls_bytes *out) {
  if (worker->windows_count == 0)
    ls_bytes_printf(out, "%g to %g", worker->window_from, worker->window_to);
  for (size_t i = 0; i < worker->windows_count; i++)
    ls_bytes_printf(out, "%s%g to %g", i > 0 ? ", " : "", worker->windows[i].from,
                    worker->windows[i].to);
}
