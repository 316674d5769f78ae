/* refined_platform.c: a platform that is known, renewed by new measurements of some of it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calibrate/calibration.h"
#include "model/platform_build.h"
#include "model/windows.h"

/* What workers that are alike measured in a window of the platform; count 0: too little. */
struct window_fits {
  uint32_t group;
  double from, to;
  struct ls_affine_fit fits[LS_OPERATION_COUNT];
};

struct refiner {
  const struct ls_renewal *renewal;
  struct ls_platform *platform;
  struct ls_refinement made;
  double *units, *seconds; /* room for all measurements */
  /* Workers that are alike mostly have the same windows: these are fitted once. */
  struct window_fits *known;
  size_t known_count, known_capacity;
};

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
  ls_calibrated_join_receiving(worker->costs, window->units_from, window->units_to);
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

static struct ls_points gather(const struct refiner *refiner, const struct window_fits *window,
                               unsigned operation) {
  const struct ls_measurements *measurements = refiner->renewal->measurements;
  const struct ls_calibrated_worker *workers = refiner->renewal->calibration->workers;
  size_t count = 0;
  for (size_t i = 0; i < measurements->count; i++) {
    const struct ls_measurement *item = &measurements->items[i];
    if (item->measured != operation || workers[item->worker].group != window->group) continue;
    if (!(item->units >= window->from && item->units <= window->to)) continue;
    refiner->units[count] = item->units;
    refiner->seconds[count++] = item->seconds;
  }
  return (struct ls_points){refiner->units, refiner->seconds, count};
}

static bool is_same(double a, double b) {
  return !(a < b || a > b);
}

static double find_transfer_most(const struct ls_renewal *renewal, uint32_t group) {
  double most_s = (double)INFINITY;
  for (size_t i = 0; i < renewal->calibration->workers_count; i++)
    if (renewal->calibration->workers[i].group == group)
      most_s = fmin(most_s, ls_measurements_rate_most(renewal->measurements, (uint32_t)i));
  return most_s;
}

/* Adds those of the window; `*place`: where they are. */
static enum ls_status fit_window(struct refiner *refiner, uint32_t group,
                                 const struct ls_window *window, size_t *place,
                                 struct ls_error *err) {
  struct window_fits made = {.group = group, .from = window->from, .to = window->to};
  for (size_t i = 0; i < refiner->known_count; i++) {
    const struct window_fits *known = &refiner->known[i];
    *place = i;
    if (known->group == group && is_same(known->from, made.from) && is_same(known->to, made.to))
      return LS_OK;
  }
  for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++) {
    struct ls_points points = gather(refiner, &made, j);
    if (points.count < LS_REFINED_CHUNKS_LEAST) continue;
    enum ls_status status = ls_affine_fit(&points, &made.fits[j], err);
    if (status != LS_OK) return status;
    if (j != LS_OPERATION_TRANSFER) continue;
    ls_affine_fit_make_proportional(&made.fits[j]);
    double most_s = find_transfer_most(refiner->renewal, group);
    status = ls_affine_fit_bound_rate(&made.fits[j], &points, most_s, err);
    if (status != LS_OK) return status;
  }
  if (ls_array_reserve((void **)&refiner->known, &refiner->known_capacity, refiner->known_count + 1,
                       sizeof *refiner->known) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for windows");
  *place = refiner->known_count;
  refiner->known[refiner->known_count++] = made;
  return LS_OK;
}

static void count_window(struct ls_refinement *made, const struct ls_window *window,
                         bool is_renewed) {
  size_t i = 0;
  while (i < made->windows_count && !(is_same(made->windows[i].from, window->from) &&
                                      is_same(made->windows[i].to, window->to)))
    i++;
  if (i == LS_WINDOWS_MOST) return;
  if (i == made->windows_count)
    made->windows[made->windows_count++] =
        (struct ls_refined_window){.from = window->from, .to = window->to};
  if (is_renewed)
    made->windows[i].renewed++;
  else
    made->windows[i].kept++;
}

/* Each window by the chunks that lie in it; `*is_renewed`: any of them was. */
static enum ls_status renew_windows(struct refiner *refiner, struct ls_worker_model *worker,
                                    uint32_t group, bool *is_renewed, struct ls_error *err) {
  struct ls_window windows[LS_WINDOWS_MOST];
  memcpy(windows, worker->windows, worker->windows_count * sizeof *windows);
  for (size_t i = 0; i < worker->windows_count; i++) {
    size_t place = 0;
    bool has_any = false;
    enum ls_status status = fit_window(refiner, group, &windows[i], &place, err);
    if (status != LS_OK) return status;
    const struct ls_affine_fit *fits = refiner->known[place].fits;
    for (unsigned j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++) {
      if (fits[j].count == 0) continue;
      refiner->made.scaled += renew_cost(&windows[i].costs[j], &fits[j]);
      has_any = true;
    }
    const struct ls_affine_fit *compute = &fits[LS_OPERATION_COMPUTE];
    if (compute->count > 0)
      ls_calibrated_join_receiving(windows[i].costs, compute->units_least, compute->units_most);
    count_window(&refiner->made, &windows[i], has_any);
    *is_renewed = *is_renewed || has_any;
  }
  return ls_platform_set_windows(refiner->platform, worker, windows, worker->windows_count, err);
}

static enum ls_status refine_worker(struct refiner *refiner, size_t number, struct ls_error *err) {
  const struct ls_calibration *calibration = refiner->renewal->calibration;
  const struct ls_calibrated_group *group =
      &calibration->groups[calibration->workers[number].group];
  struct ls_worker_model *known = &refiner->platform->workers[refiner->renewal->places[number]];
  enum ls_status status = LS_OK;
  bool is_renewed = known->windows_count == 0;
  if (is_renewed)
    refiner->made.scaled += renew_worker(known, &group->windows[ls_calibrated_group_best(group)],
                                         &refiner->renewal->platform->workers[number]);
  else
    status = renew_windows(refiner, known, calibration->workers[number].group, &is_renewed, err);
  refiner->made.renewed += is_renewed;
  refiner->made.kept -= is_renewed;
  return status;
}

static enum ls_status refine_workers(struct refiner *refiner, struct ls_error *err) {
  const struct ls_platform *measured = refiner->renewal->platform;
  const size_t *places = refiner->renewal->places;
  struct ls_platform *platform = refiner->platform;
  size_t capacity = platform->workers_count;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < measured->workers_count && status == LS_OK; i++) {
    if (places[i] != SIZE_MAX) {
      assert(places[i] < platform->workers_count);
      status = refine_worker(refiner, i, err);
      continue;
    }
    const struct ls_worker_model *worker = &measured->workers[i];
    status = ls_platform_add_copies(platform, &capacity, worker->name, 1, worker);
    if (status != LS_OK) status = ls_fail(err, status, "no memory for workers");
    refiner->made.added++;
  }
  return status;
}

/* Links that were seen to be otherwise than the platform has them. */
static void renew_ports(enum ls_links links, struct ls_platform *platform) {
  bool is_multi = platform->ports == LS_PORTS_MULTI;
  if (links == LS_LINKS_SEPARATE && !is_multi) {
    platform->ports = LS_PORTS_MULTI;
    platform->ports_alpha = 0;
    platform->ports_limit = 0;
  } else if (links == LS_LINKS_SHARED && is_multi && platform->ports_alpha < 0.5) {
    platform->ports = LS_PORTS_TWO;
  }
}

enum ls_status ls_calibration_refine(const struct ls_renewal *renewal, struct ls_platform *platform,
                                     struct ls_refinement *done, struct ls_error *err) {
  size_t count = renewal->measurements->count;
  assert(renewal->platform->workers_count == renewal->calibration->workers_count);
  struct refiner refiner = {.renewal = renewal,
                            .platform = platform,
                            .made = {.kept = platform->workers_count},
                            .units = calloc(count + 1, sizeof *refiner.units),
                            .seconds = calloc(count + 1, sizeof *refiner.seconds)};
  enum ls_status status = LS_OK;
  if (refiner.units == NULL || refiner.seconds == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu measurements", count);
  if (status == LS_OK) status = refine_workers(&refiner, err);
  if (status == LS_OK) renew_ports(renewal->measurements->links, platform);
  free(refiner.units);
  free(refiner.seconds);
  free(refiner.known);
  if (status == LS_OK) *done = refiner.made;
  return status;
}
