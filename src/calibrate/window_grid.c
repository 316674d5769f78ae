/* window_grid.c: sizes in common, or ranges of sizes, and medians. */
#include "calibrate/window_grid.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"

struct point {
  double units, seconds;
};

/* The points of one operation, ascending. */
struct sorted {
  struct point *points;
  size_t count;
};

static int compare_points(const void *left, const void *right) {
  const struct point *a = left, *b = right;
  return a->units < b->units ? -1 : a->units > b->units;
}

static bool sort_points(const struct ls_points *points, struct sorted *sorted) {
  sorted->points = calloc(points->count, sizeof *sorted->points);
  if (sorted->points == NULL) return false;
  for (size_t i = 0; i < points->count; i++)
    sorted->points[i] = (struct point){points->units[i], points->seconds[i]};
  sorted->count = points->count;
  qsort(sorted->points, sorted->count, sizeof *sorted->points, compare_points);
  return true;
}

/* The first point of at least (`is_behind`: of more than) so many units. */
static size_t find_point(const struct sorted *sorted, double units, bool is_behind) {
  size_t from = 0, to = sorted->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    double there = sorted->points[middle].units;
    if (there < units || (is_behind && there <= units))
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

static size_t count_within(const struct sorted *sorted, double least, double most) {
  return find_point(sorted, most, true) - find_point(sorted, least, false);
}

/* Keeps those of the ascending sizes that every operation has, each once; how many points they
 * cover. */
static size_t keep_common(const struct sorted *operations, size_t count, double *sizes,
                          size_t *kept) {
  size_t covered = 0;
  *kept = 0;
  const struct sorted *first = &operations[0];
  for (size_t i = 0; i < first->count; i++) {
    double units = first->points[i].units;
    if (i > 0 && !(units > first->points[i - 1].units)) continue;
    size_t points = 0;
    bool is_common = true;
    for (size_t j = 0; j < count && is_common; j++) {
      size_t there = count_within(&operations[j], units, units);
      is_common = there > 0;
      points += there;
    }
    if (!is_common) continue;
    sizes[(*kept)++] = units;
    covered += points;
  }
  return covered;
}

/* Cuts the ascending sizes of all operations into ranges of about equally many, each with a point
 * of every operation; the ranges as pairs in `least` and `most`. */
static size_t cut_ranges(const struct sorted *operations, size_t count, const double *sizes,
                         size_t sizes_count, struct ls_window_grid *grid) {
  size_t ranges = 0, from = 0;
  for (size_t range = 0; range < LS_WINDOW_SIZES_MAX && from < sizes_count; range++) {
    size_t to = (range + 1) * sizes_count / LS_WINDOW_SIZES_MAX;
    bool is_covered = to > from;
    for (size_t j = 0; j < count && is_covered; j++)
      is_covered = count_within(&operations[j], sizes[from], sizes[to - 1]) > 0;
    if (!is_covered) continue;
    grid->least[ranges] = sizes[from];
    grid->most[ranges++] = sizes[to - 1];
    from = to;
  }
  if (ranges > 0 && from < sizes_count) grid->most[ranges - 1] = sizes[sizes_count - 1];
  return ranges;
}

static void take_medians(const struct sorted *operations, struct ls_window_grid *grid,
                         double *scratch) {
  for (size_t j = 0; j < grid->operations; j++) {
    const struct sorted *sorted = &operations[j];
    for (size_t k = 0; k < grid->sizes; k++) {
      size_t from = find_point(sorted, grid->least[k], false);
      size_t to = find_point(sorted, grid->most[k], true);
      assert(to > from);
      for (size_t i = from; i < to; i++) scratch[i - from] = sorted->points[i].units;
      grid->units[j * grid->sizes + k] = ls_median(scratch, to - from);
      for (size_t i = from; i < to; i++) scratch[i - from] = sorted->points[i].seconds;
      grid->seconds[j * grid->sizes + k] = ls_median(scratch, to - from);
    }
  }
}

/* The distinct sizes of all operations, ascending. */
static size_t list_sizes(const struct sorted *operations, size_t count, double *sizes) {
  size_t all = 0, distinct = 0;
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < operations[j].count; i++)
      if (i == 0 || operations[j].points[i].units > operations[j].points[i - 1].units)
        sizes[all++] = operations[j].points[i].units;
  ls_sort_ascending(sizes, all);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || sizes[i] > sizes[i - 1]) sizes[distinct++] = sizes[i];
  return distinct;
}

/* Common sizes, where they are few and cover half of what was measured; else ranges. */
static void choose_sizes(const struct sorted *operations, double *sizes, size_t all,
                         struct ls_window_grid *grid) {
  size_t kept = 0, count = grid->operations;
  size_t covered = keep_common(operations, count, sizes, &kept);
  if (kept <= LS_WINDOW_SIZES_MAX && 2 * covered >= all) {
    for (size_t k = 0; k < kept; k++) grid->least[k] = grid->most[k] = sizes[k];
    grid->sizes = kept;
    return;
  }
  size_t distinct = list_sizes(operations, count, sizes);
  grid->sizes = cut_ranges(operations, count, sizes, distinct, grid);
}

static enum ls_status fill_grid(const struct sorted *operations, size_t all,
                                struct ls_window_grid *grid, struct ls_error *err) {
  size_t cells = grid->operations * LS_WINDOW_SIZES_MAX;
  double *sizes = calloc(all, sizeof *sizes);
  grid->least = calloc(LS_WINDOW_SIZES_MAX, sizeof *grid->least);
  grid->most = calloc(LS_WINDOW_SIZES_MAX, sizeof *grid->most);
  grid->units = calloc(cells, sizeof *grid->units);
  grid->seconds = calloc(cells, sizeof *grid->seconds);
  bool is_had = sizes != NULL && grid->least != NULL && grid->most != NULL && grid->units != NULL &&
                grid->seconds != NULL;
  if (is_had) {
    choose_sizes(operations, sizes, all, grid);
    take_medians(operations, grid, sizes);
  }
  free(sizes);
  return is_had ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for a grid of sizes");
}

enum ls_status ls_window_grid_make(const struct ls_points *operations, size_t count,
                                   struct ls_window_grid *grid, struct ls_error *err) {
  assert(count >= 1);
  struct ls_window_grid made = {.operations = count};
  struct sorted *sorted = calloc(count, sizeof *sorted);
  size_t all = 0;
  bool is_had = sorted != NULL;
  for (size_t j = 0; j < count && is_had; j++) {
    assert(operations[j].count >= 1);
    all += operations[j].count;
    is_had = sort_points(&operations[j], &sorted[j]);
  }
  enum ls_status status = is_had ? fill_grid(sorted, all, &made, err)
                                 : ls_fail(err, LS_ENOMEM, "no memory for a grid of sizes");
  for (size_t j = 0; j < count && sorted != NULL; j++) free(sorted[j].points);
  free(sorted);
  if (status == LS_OK)
    *grid = made;
  else
    ls_window_grid_close(&made);
  return status;
}

void ls_window_grid_close(struct ls_window_grid *grid) {
  free(grid->least);
  free(grid->most);
  free(grid->units);
  free(grid->seconds);
  *grid = (struct ls_window_grid){.operations = 0};
}
