/* refined_platform.c: a platform that is known, renewed by new measurements of some of it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "model/platform_build.h"
#include "model/windows.h"

/* The newest law; of one size only the time of such a chunk is known. */
static bool renew_cost(struct ls_cost *cost, const struct ls_affine_fit *fit) {
  double before_s = ls_cost_time(cost, fit->units_most);
  double now_s = ls_cost_time(&fit->law, fit->units_most);
  bool is_scaled = !fit->is_told_apart && before_s > 0 && now_s > 0;
  if (is_scaled) {
    cost->latency_s *= now_s / before_s;
    cost->per_unit_s *= now_s / before_s;
  } else {
    *cost = fit->law;
  }
  return is_scaled;
}

static size_t renew_worker(struct ls_worker_model *worker,
                           const struct ls_calibrated_window *window,
                           const struct ls_worker_model *measured) {
  size_t scaled = 0;
  for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++)
    if (window->fits[j].count > 0) scaled += renew_cost(&worker->costs[j], &window->fits[j]);
  if (window->is_limited_below) worker->window_from = measured->window_from;
  if (window->is_limited_above) worker->window_to = measured->window_to;
  /* The other limit may be one of an older law. */
  if (!(worker->window_from <= worker->window_to)) {
    worker->window_from = measured->window_from;
    worker->window_to = measured->window_to;
  }
  double per_unit_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  if (measured->unit_variation > 0 && per_unit_s > 0) {
    worker->unit_law = measured->unit_law;
    worker->unit_variation = measured->unit_variation;
  }
  return scaled;
}

/* Of several windows the one that holds the measured sizes is renewed, the others stay. */
static enum ls_status renew_windows(struct ls_platform *platform, struct ls_worker_model *worker,
                                    const struct ls_calibrated_window *window, size_t *scaled,
                                    struct ls_error *err) {
  struct ls_window windows[LS_WINDOWS_MOST];
  size_t held = (size_t)(ls_worker_window(worker, window->units_to) - worker->windows);
  memcpy(windows, worker->windows, worker->windows_count * sizeof *windows);
  for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++)
    if (window->fits[j].count > 0) *scaled += renew_cost(&windows[held].costs[j], &window->fits[j]);
  return ls_platform_set_windows(platform, worker, windows, worker->windows_count, err);
}

enum ls_status ls_calibration_refine(const struct ls_renewal *renewal, struct ls_platform *platform,
                                     struct ls_refinement *done, struct ls_error *err) {
  const struct ls_calibration *calibration = renewal->calibration;
  const struct ls_platform *measured = renewal->platform;
  const size_t *places = renewal->places;
  assert(measured->workers_count == calibration->workers_count);
  struct ls_refinement made = {.kept = platform->workers_count};
  size_t capacity = platform->workers_count;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < measured->workers_count && status == LS_OK; i++) {
    const struct ls_calibrated_group *group = &calibration->groups[calibration->workers[i].group];
    const struct ls_calibrated_window *window = &group->windows[ls_calibrated_group_best(group)];
    const struct ls_worker_model *worker = &measured->workers[i];
    if (places[i] == SIZE_MAX) {
      status = ls_platform_add_copies(platform, &capacity, worker->name, 1, worker);
      if (status != LS_OK) status = ls_fail(err, status, "no memory for workers");
      made.added++;
      continue;
    }
    assert(places[i] < platform->workers_count);
    struct ls_worker_model *known = &platform->workers[places[i]];
    if (known->windows_count > 0)
      status = renew_windows(platform, known, window, &made.scaled, err);
    else
      made.scaled += renew_worker(known, window, worker);
    made.renewed++;
    made.kept--;
  }
  if (status == LS_OK) *done = made;
  return status;
}
