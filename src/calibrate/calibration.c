/* calibration.c: fits of workers, groups of them, windows of groups, fits in windows. */
#include "calibrate/calibration.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "calibrate/affine_window.h"
#include "calibrate/measured_points.h"
#include "calibrate/next_size.h"

struct work {
  const struct ls_calibration_options *options;
  const struct ls_measurements *measurements;
  struct ls_measured_points points;
  struct ls_calibration made;
  struct ls_calibrated_window *common; /* windows in which the workers are compared */
  size_t common_count;
  struct ls_worker_fits *fits; /* [worker * common_count + window] */
  uint32_t *groups;            /* of each worker */
};

/* The times of tasks within chunks, or else those of computing one unit. */
static enum ls_status find_task_law(struct work *work, size_t worker, double *scratch,
                                    struct ls_error *err) {
  struct ls_points points = ls_measured_points_of(&work->points, worker, LS_MEASURED_TASK);
  size_t count = 0;
  if (points.count == 0)
    points = ls_measured_points_of(&work->points, worker, LS_OPERATION_COMPUTE);
  for (size_t i = 0; i < points.count; i++)
    if (fabs(points.units[i] - 1) <= 1e-9) scratch[count++] = points.seconds[i];
  if (count == 0) return LS_OK;
  return ls_task_law_find(scratch, count, &work->made.workers[worker].tasks, err);
}

static const uint32_t all_groups = UINT32_MAX;

/* What the workers of one group, or all, measured of each operation, copied together. */
struct pool {
  struct ls_points points[LS_MEASURED_FITTED];
  double *units, *seconds;
  double transfer_most_s; /* of a unit, as all its workers' arrivals have it */
};

/* Workers that are alike have one law, so the best of their arrivals bounds it. */
static double find_transfer_most(const struct work *work, uint32_t group) {
  double most_s = (double)INFINITY;
  for (size_t i = 0; i < work->made.workers_count && group != all_groups; i++)
    if (work->groups[i] == group)
      most_s = fmin(most_s, ls_measurements_rate_most(work->measurements, (uint32_t)i));
  return most_s;
}

static enum ls_status open_pool(const struct work *work, uint32_t group, struct pool *pool,
                                struct ls_error *err) {
  size_t workers = work->made.workers_count, at = 0;
  size_t all = work->points.starts[workers * LS_MEASURED_COUNT + 1];
  pool->units = calloc(all + 1, sizeof *pool->units);
  pool->seconds = calloc(all + 1, sizeof *pool->seconds);
  if (pool->units == NULL || pool->seconds == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu measurements", all);
  pool->transfer_most_s = find_transfer_most(work, group);
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
    size_t from = at;
    for (size_t i = 0; i < workers; i++) {
      struct ls_points points = ls_measured_points_of(&work->points, i, j);
      bool is_wanted = group == all_groups || work->groups[i] == group;
      if (!is_wanted || points.count == 0) continue;
      memcpy(pool->units + at, points.units, points.count * sizeof *pool->units);
      memcpy(pool->seconds + at, points.seconds, points.count * sizeof *pool->seconds);
      at += points.count;
      if (j == LS_OPERATION_PREPARE) break;
    }
    pool->points[j] = (struct ls_points){pool->units + from, pool->seconds + from, at - from};
  }
  return LS_OK;
}

static void close_pool(struct pool *pool) {
  free(pool->units);
  free(pool->seconds);
}

/* The points within a window, copied. */
static size_t take_within(const struct ls_points *points, const struct ls_calibrated_window *window,
                          double *units, double *seconds) {
  size_t count = 0;
  for (size_t i = 0; i < points->count; i++) {
    if (points->units[i] < window->units_from || points->units[i] > window->units_to) continue;
    units[count] = points->units[i];
    seconds[count++] = points->seconds[i];
  }
  return count;
}

/* Sizes that are whole so far stay whole. */
static void choose_next(const struct ls_points *points, struct ls_calibrated_window *window,
                        unsigned measured) {
  const struct ls_affine_fit *fit = &window->fits[measured];
  struct ls_size_range range = {fit->units_least, fit->units_most, true};
  for (size_t i = 0; i < points->count && range.is_whole; i++)
    range.is_whole = floor(points->units[i]) >= points->units[i];
  if (!fit->is_told_apart) range = ls_size_range_around(fit, range.is_whole);
  ls_next_sizes(points, fit, &range, window->next_units[measured], LS_CALIBRATED_NEXT);
}

static enum ls_status settle_transfer(const struct pool *pool, const struct ls_points *points,
                                      struct ls_affine_fit *fit, struct ls_error *err) {
  ls_affine_fit_make_proportional(fit);
  return ls_affine_fit_bound_rate(fit, points, pool->transfer_most_s, err);
}

static enum ls_status fit_window(const struct pool *pool, struct ls_calibrated_window *window,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (unsigned j = 0; j < LS_MEASURED_FITTED && status == LS_OK; j++) {
    size_t count = pool->points[j].count;
    if (count == 0) continue;
    double *copy = calloc(2 * count, sizeof *copy);
    if (copy == NULL) return ls_fail(err, LS_ENOMEM, "no memory to fit %zu measurements", count);
    count = take_within(&pool->points[j], window, copy, copy + count);
    struct ls_points points = {copy, copy + pool->points[j].count, count};
    if (count > 0) status = ls_affine_fit(&points, &window->fits[j], err);
    if (status == LS_OK && j == LS_OPERATION_TRANSFER)
      status = settle_transfer(pool, &points, &window->fits[j], err);
    if (count > 0 && status == LS_OK) choose_next(&points, window, j);
    free(copy);
  }
  return status;
}

static enum ls_status make_grid(const struct pool *pool, struct ls_window_grid *grid,
                                struct ls_error *err) {
  struct ls_points measured[LS_MEASURED_FITTED];
  size_t count = 0;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++)
    if (pool->points[j].count > 0) measured[count++] = pool->points[j];
  return ls_window_grid_make(measured, count, grid, err);
}

/* Where only tasks were measured, no operation was. */
static bool is_empty(const struct pool *pool) {
  size_t count = 0;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) count += pool->points[j].count;
  return count == 0;
}

static enum ls_status seek_windows(const struct pool *pool, struct ls_affine_windows *windows,
                                   struct ls_error *err) {
  struct ls_window_grid grid;
  if (is_empty(pool)) return LS_OK;
  enum ls_status status = make_grid(pool, &grid, err);
  if (status != LS_OK) return status;
  status = ls_affine_windows_find(&grid, windows, err);
  ls_window_grid_close(&grid);
  return status;
}

static struct ls_calibrated_window take_all_sizes(const struct pool *pool) {
  struct ls_calibrated_window window = {
      .units_from = (double)INFINITY, .outliers = (double)NAN, .held_out = (double)NAN};
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
    for (size_t i = 0; i < pool->points[j].count; i++) {
      window.units_from = fmin(window.units_from, pool->points[j].units[i]);
      window.units_to = fmax(window.units_to, pool->points[j].units[i]);
    }
  }
  return window;
}

static bool is_in_any(const struct ls_calibrated_group *group, double units) {
  for (size_t i = 0; i < group->windows_count; i++)
    if (units >= group->windows[i].units_from && units <= group->windows[i].units_to) return true;
  return false;
}

static size_t count_outside(const struct pool *pool, const struct ls_calibrated_group *group) {
  size_t count = 0;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++)
    for (size_t i = 0; i < pool->points[j].count; i++)
      count += !is_in_any(group, pool->points[j].units[i]);
  return count;
}

/* Where the sizes that were looked at end, nothing is known of what is beyond: that is no limit.
 * One size that misses the law follows no other one, either. */
static enum ls_status take_windows(const struct pool *pool, const struct ls_affine_windows *found,
                                   struct ls_calibrated_group *group, struct ls_error *err) {
  group->windows = calloc(found->count + 1, sizeof *group->windows);
  if (group->windows == NULL) return ls_fail(err, LS_ENOMEM, "no memory for windows");
  group->segments = found->segments > 0 ? found->segments : 1;
  group->windows_count = found->count > 0 ? found->count : 1;
  group->windows[0] = take_all_sizes(pool);
  for (size_t i = 0; i < found->count; i++) {
    const struct ls_affine_window *window = &found->items[i];
    group->windows[i] = (struct ls_calibrated_window){.units_from = window->units_from,
                                                      .units_to = window->units_to,
                                                      .is_limited_below = window->below > 1,
                                                      .is_limited_above = window->above > 1,
                                                      .sizes = window->sizes,
                                                      .outliers = window->outliers,
                                                      .held_out = window->held_out};
  }
  group->outside = count_outside(pool, group);
  return LS_OK;
}

static enum ls_status calibrate_group(struct work *work, uint32_t number, struct ls_error *err) {
  struct ls_calibrated_group *group = &work->made.groups[number];
  struct ls_affine_windows found = {.items = NULL};
  struct pool pool = {.units = NULL};
  for (size_t i = 0; i < work->made.workers_count; i++)
    if (work->groups[i] == number) group->workers_count++;
  enum ls_status status = open_pool(work, number, &pool, err);
  if (status == LS_OK && work->options->seeks_windows) status = seek_windows(&pool, &found, err);
  if (status == LS_OK) status = take_windows(&pool, &found, group, err);
  for (size_t i = 0; i < group->windows_count && status == LS_OK; i++)
    status = fit_window(&pool, &group->windows[i], err);
  ls_affine_windows_close(&found);
  close_pool(&pool);
  return status;
}

/* Of a worker's points of one operation: the median of time over the median time of all workers at
 * that size. */
static double find_slowness(const struct ls_window_grid *grid, size_t operation,
                            const struct ls_points *points, double *scratch) {
  size_t count = 0;
  for (size_t i = 0; i < points->count; i++) {
    size_t from = 0, to = grid->sizes;
    while (from < to) {
      size_t middle = from + (to - from) / 2;
      if (grid->most[middle] < points->units[i])
        from = middle + 1;
      else
        to = middle;
    }
    if (from == grid->sizes || grid->least[from] > points->units[i]) continue;
    double usual = grid->seconds[operation * grid->sizes + from];
    if (usual > 0) scratch[count++] = points->seconds[i] / usual;
  }
  double slowness = count > 0 ? ls_median(scratch, count) : 1;
  return slowness > 0 ? slowness : 1;
}

/* Divides each worker's times by its slowness: what bends then bends for all. */
static void level_pool(const struct work *work, const struct ls_window_grid *grid,
                       struct pool *pool, double *scratch) {
  double *seconds = pool->seconds;
  size_t operation = 0;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++) {
    if (pool->points[j].count == 0) continue;
    for (size_t i = 0; i < work->made.workers_count; i++) {
      struct ls_points points = ls_measured_points_of(&work->points, i, j);
      double slowness = find_slowness(grid, operation, &points, scratch);
      for (size_t k = 0; k < points.count; k++) *seconds++ /= slowness;
      if (j == LS_OPERATION_PREPARE) break;
    }
    operation++;
  }
}

static enum ls_status seek_common(const struct work *work, struct pool *pool,
                                  struct ls_affine_windows *found, struct ls_error *err) {
  struct ls_window_grid grid;
  size_t all = work->points.starts[work->made.workers_count * LS_MEASURED_COUNT + 1];
  double *scratch = calloc(all + 1, sizeof *scratch);
  if (scratch == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu times", all);
  enum ls_status status = make_grid(pool, &grid, err);
  if (status == LS_OK) {
    level_pool(work, &grid, pool, scratch);
    ls_window_grid_close(&grid);
    status = seek_windows(pool, found, err);
  }
  free(scratch);
  return status;
}

/* One worker needs no comparison, and so no windows for it. */
static enum ls_status find_common(struct work *work, struct ls_error *err) {
  struct ls_affine_windows found = {.items = NULL};
  struct pool pool = {.units = NULL};
  struct ls_calibrated_group common = {.windows = NULL};
  enum ls_status status = open_pool(work, all_groups, &pool, err);
  if (status == LS_OK && work->options->seeks_windows && work->made.workers_count > 1 &&
      !is_empty(&pool))
    status = seek_common(work, &pool, &found, err);
  if (status == LS_OK) status = take_windows(&pool, &found, &common, err);
  ls_affine_windows_close(&found);
  close_pool(&pool);
  work->common = common.windows;
  work->common_count = common.windows_count;
  return status;
}

static enum ls_status fit_worker(struct work *work, size_t worker, struct ls_error *err) {
  struct pool own = {.transfer_most_s =
                         ls_measurements_rate_most(work->measurements, (uint32_t)worker)};
  enum ls_status status = LS_OK;
  for (unsigned j = 0; j < LS_MEASURED_FITTED; j++)
    if (j != LS_OPERATION_PREPARE) own.points[j] = ls_measured_points_of(&work->points, worker, j);
  for (size_t w = 0; w < work->common_count && status == LS_OK; w++) {
    struct ls_calibrated_window window = work->common[w];
    status = fit_window(&own, &window, err);
    memcpy(work->fits[worker * work->common_count + w].fits, window.fits, sizeof window.fits);
  }
  return status;
}

/* Factors compare workers at the median size of all that was computed. */
static void find_factors(struct work *work, double *scratch) {
  size_t count = 0, workers = work->made.workers_count, window = 0;
  for (size_t i = 0; i < workers; i++) {
    struct ls_points points = ls_measured_points_of(&work->points, i, LS_OPERATION_COMPUTE);
    memcpy(scratch + count, points.units, points.count * sizeof *scratch);
    count += points.count;
  }
  double units = count > 0 ? ls_median(scratch, count) : (double)NAN;
  for (size_t w = 0; w < work->common_count; w++)
    if (work->common[w].units_from <= units) window = w;
  struct ls_workers_laws laws = {work->fits, workers, work->common_count};
  ls_workers_normalise(&laws, window, units, scratch);
  for (size_t i = 0; i < workers; i++) work->made.workers[i].factor = scratch[i];
  work->made.factor_units = units;
}

static enum ls_status calibrate_workers(struct work *work, size_t measurements,
                                        struct ls_error *err) {
  size_t workers = work->made.workers_count;
  double *scratch = calloc(measurements + workers, sizeof *scratch);
  work->fits = calloc(workers * work->common_count, sizeof *work->fits);
  enum ls_status status = LS_OK;
  if (scratch == NULL || work->fits == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu times", measurements);
  for (size_t i = 0; i < workers && status == LS_OK; i++) {
    status = fit_worker(work, i, err);
    if (status == LS_OK) status = find_task_law(work, i, scratch, err);
  }
  if (status == LS_OK) find_factors(work, scratch);
  free(scratch);
  return status;
}

static enum ls_status calibrate_groups(struct work *work, struct ls_error *err) {
  struct ls_calibration *made = &work->made;
  uint32_t count = 0;
  struct ls_workers_laws laws = {work->fits, made->workers_count, work->common_count};
  enum ls_status status =
      ls_workers_group(&laws, work->options->tolerance, work->groups, &count, err);
  if (status != LS_OK) return status;
  made->groups = calloc(count, sizeof *made->groups);
  if (made->groups == NULL) return ls_fail(err, LS_ENOMEM, "no memory for groups of workers");
  made->groups_count = count;
  for (size_t i = 0; i < made->workers_count; i++) made->workers[i].group = work->groups[i];
  for (uint32_t i = 0; i < count && status == LS_OK; i++) status = calibrate_group(work, i, err);
  return status;
}

enum ls_status ls_calibrate(const struct ls_measurements *measurements,
                            const struct ls_calibration_options *options,
                            struct ls_calibration *calibration, struct ls_error *err) {
  size_t workers = measurements->workers_count;
  if (workers == 0) return ls_fail(err, LS_EINVAL, "there is no measurement of a worker");
  struct work work = {
      .options = options, .measurements = measurements, .made = {.workers_count = workers}};
  work.made.workers = calloc(workers, sizeof *work.made.workers);
  work.groups = calloc(workers, sizeof *work.groups);
  enum ls_status status = LS_OK;
  if (work.made.workers == NULL || work.groups == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  if (status == LS_OK) status = ls_measured_points_sort(measurements, &work.points, err);
  if (status == LS_OK) status = find_common(&work, err);
  if (status == LS_OK) status = calibrate_workers(&work, measurements->count, err);
  if (status == LS_OK) status = calibrate_groups(&work, err);
  ls_measured_points_close(&work.points);
  free(work.groups);
  free(work.common);
  free(work.fits);
  if (status == LS_OK)
    *calibration = work.made;
  else
    ls_calibration_close(&work.made);
  return status;
}

void ls_calibration_close(struct ls_calibration *calibration) {
  for (size_t i = 0; i < calibration->groups_count; i++) free(calibration->groups[i].windows);
  free(calibration->groups);
  free(calibration->workers);
  *calibration = (struct ls_calibration){.workers_count = 0};
}
