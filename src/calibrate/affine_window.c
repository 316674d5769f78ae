/* affine_window.c: joint segmentation.
 *
 * Reference:  docs/theory/scow.md, 7, steps 1 to 5.
 * Assumes:    few outliers among the medians of repeats; noise that grows with the time, above a
 *             floor.
 * Answers:    no window when there are fewer than eight sizes.
 * Cost:       O(n^2) segments of n sizes, each O(operations (pairs + n)); n is at most 96.
 */
#include "calibrate/affine_window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "calibrate/segment_line.h"

enum { FOLDS = 5 };
static const double RELATIVE_LEAST = 0.002, FLOOR_SHARE = 0.5, TO_DEVIATION = 1.4826;
static const double RESIDUAL_SQUARE_MOST = 9, BAD = 6, OUTLIER = 3, TRANSITION_SHARE = 0.3;

struct search {
  const struct ls_window_grid *grid;
  double *deviations;           /* as the grid's seconds */
  struct ls_segment_data *data; /* of each operation */
  double *best;                 /* of the first so many sizes */
  size_t *cut;                  /* where their last segment begins */
  double *scratch;
  bool *is_left_out;
};

struct segment {
  size_t from, to;
};

/* How far inner points are from the line through their neighbours, in deviations of that. */
static void measure_bends(const struct ls_segment_data *data, size_t sizes, double *bends) {
  for (size_t k = 1; k + 1 < sizes; k++) {
    double span = data->units[k + 1] - data->units[k - 1];
    double share = span > 0 ? (data->units[k] - data->units[k - 1]) / span : 0.5;
    double between = (1 - share) * data->seconds[k - 1] + share * data->seconds[k + 1];
    bends[k] =
        fabs(data->seconds[k] - between) / sqrt(1 + share * share + (1 - share) * (1 - share));
  }
}

struct ranked {
  double seconds, bend;
};

static int compare_ranked(const void *left, const void *right) {
  const struct ranked *a = left, *b = right;
  return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* Median bend of the third of the inner points with the least times. */
static double find_floor(const struct ls_segment_data *data, const double *bends, size_t sizes,
                         double *scratch) {
  struct ranked ranked[LS_WINDOW_SIZES_MAX];
  size_t inner = sizes - 2, third = inner / 3 > 3 ? inner / 3 : 3;
  for (size_t k = 1; k + 1 < sizes; k++)
    ranked[k - 1] = (struct ranked){fabs(data->seconds[k]), bends[k]};
  qsort(ranked, inner, sizeof *ranked, compare_ranked);
  for (size_t i = 0; i < third; i++) scratch[i] = ranked[i].bend;
  return FLOOR_SHARE * TO_DEVIATION * ls_median(scratch, third);
}

static void find_deviations(const struct search *search, size_t operation) {
  const struct ls_segment_data *data = &search->data[operation];
  size_t sizes = search->grid->sizes, count = 0;
  double bends[LS_WINDOW_SIZES_MAX], largest = 0;
  measure_bends(data, sizes, bends);
  for (size_t k = 1; k + 1 < sizes; k++)
    if (fabs(data->seconds[k]) > 0) search->scratch[count++] = bends[k] / fabs(data->seconds[k]);
  double relative = count > 0 ? TO_DEVIATION * ls_median(search->scratch, count) : 0;
  if (!(relative > RELATIVE_LEAST)) relative = RELATIVE_LEAST;
  double constant = find_floor(data, bends, sizes, search->scratch);
  for (size_t k = 0; k < sizes; k++) largest = fmax(largest, fabs(data->seconds[k]));
  for (size_t k = 0; k < sizes; k++) {
    double part = relative * data->seconds[k];
    /* An operation that takes no time at all has no noise, either. */
    search->deviations[operation * sizes + k] =
        fmax(sqrt(constant * constant + part * part), largest > 0 ? 1e-12 * largest : 1);
  }
}

static double find_cost(const struct search *search, size_t from, size_t to) {
  double cost = 0;
  for (size_t j = 0; j < search->grid->operations; j++) {
    const struct ls_segment_data *data = &search->data[j];
    struct ls_cost line = ls_segment_line(data, from, to, NULL, search->scratch);
    for (size_t k = from; k < to; k++) {
      double residual = ls_segment_residual(data, k, &line);
      cost += fmin(residual * residual, RESIDUAL_SQUARE_MOST);
    }
  }
  return cost;
}

/* The exact dynamic program; `cut` of a number of sizes tells where their last segment begins. */
static void place_cuts(struct search *search) {
  size_t sizes = search->grid->sizes, operations = search->grid->operations;
  double penalty = 1.5 * (double)(2 * operations + 1) * log((double)(sizes * operations));
  search->best[0] = 0;
  for (size_t to = 1; to <= sizes; to++) {
    search->best[to] = (double)INFINITY;
    for (size_t from = 0; from + LS_WINDOW_POINTS_MIN <= to; from++) {
      if (isinf(search->best[from])) continue;
      double cost = search->best[from] + penalty + find_cost(search, from, to);
      if (!(cost < search->best[to])) continue;
      search->best[to] = cost;
      search->cut[to] = from;
    }
  }
}

static bool is_bad(const struct search *search, size_t size, const struct ls_cost *lines) {
  size_t bad = 0, operations = search->grid->operations;
  for (size_t j = 0; j < operations; j++)
    if (fabs(ls_segment_residual(&search->data[j], size, &lines[j])) > BAD) bad++;
  return 2 * bad > operations;
}

static void fit_lines(const struct search *search, const struct segment *segment,
                      const bool *is_left_out, struct ls_cost *lines) {
  for (size_t j = 0; j < search->grid->operations; j++)
    lines[j] =
        ls_segment_line(&search->data[j], segment->from, segment->to, is_left_out, search->scratch);
}

/* Trims the ends, fits again to what is left, until nothing is bad there. */
static bool trim(const struct search *search, struct segment *segment, struct ls_cost *lines) {
  for (;;) {
    if (segment->to - segment->from < LS_WINDOW_POINTS_MIN / 2) return false;
    fit_lines(search, segment, NULL, lines);
    struct segment before = *segment;
    while (segment->to > segment->from && is_bad(search, segment->from, lines)) segment->from++;
    while (segment->to > segment->from && is_bad(search, segment->to - 1, lines)) segment->to--;
    if (segment->from == before.from && segment->to == before.to) return true;
  }
}

static size_t count_outliers(const struct search *search, size_t size,
                             const struct ls_cost *lines) {
  size_t count = 0;
  for (size_t j = 0; j < search->grid->operations; j++)
    if (fabs(ls_segment_residual(&search->data[j], size, &lines[j])) > OUTLIER) count++;
  return count;
}

/* Every fifth size in turn is left out of the lines and then judged by them. */
static double hold_out(const struct search *search, const struct segment *segment,
                       struct ls_cost *lines) {
  size_t outliers = 0, operations = search->grid->operations;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    for (size_t k = segment->from; k < segment->to; k++)
      search->is_left_out[k] = (k - segment->from) % FOLDS == fold;
    fit_lines(search, segment, search->is_left_out, lines);
    for (size_t k = segment->from + fold; k < segment->to; k += FOLDS)
      outliers += count_outliers(search, k, lines);
  }
  return (double)outliers / (double)((segment->to - segment->from) * operations);
}

static enum ls_status add_window(const struct search *search, struct segment segment,
                                 struct ls_affine_windows *windows, struct ls_error *err) {
  size_t operations = search->grid->operations, outliers = 0;
  struct ls_cost *lines = calloc(2 * operations, sizeof *lines);
  if (lines == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the lines of a window");
  bool is_window = trim(search, &segment, lines);
  for (size_t k = segment.from; k < segment.to; k++) outliers += count_outliers(search, k, lines);
  size_t points = (segment.to - segment.from) * operations;
  double held_out = is_window ? hold_out(search, &segment, lines + operations) : 1;
  double share = points > 0 ? (double)outliers / (double)points : 1;
  if (share > TRANSITION_SHARE || held_out > TRANSITION_SHARE) {
    free(lines);
    return LS_OK;
  }
  windows->items[windows->count++] =
      (struct ls_affine_window){.units_from = search->grid->least[segment.from],
                                .units_to = search->grid->most[segment.to - 1],
                                .sizes = segment.to - segment.from,
                                .below = segment.from,
                                .above = search->grid->sizes - segment.to,
                                .outliers = share,
                                .held_out = held_out,
                                .laws = lines};
  return LS_OK;
}

static enum ls_status list_windows(const struct search *search, struct ls_affine_windows *windows,
                                   struct ls_error *err) {
  struct segment segments[LS_WINDOW_SIZES_MAX];
  size_t count = 0;
  for (size_t to = search->grid->sizes; to > 0; to = search->cut[to])
    segments[count++] = (struct segment){search->cut[to], to};
  windows->segments = count;
  windows->items = calloc(count, sizeof *windows->items);
  if (windows->items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for windows");
  enum ls_status status = LS_OK;
  for (size_t i = count; i-- > 0 && status == LS_OK;)
    status = add_window(search, segments[i], windows, err);
  return status;
}

static enum ls_status open_search(struct search *search, struct ls_error *err) {
  size_t sizes = search->grid->sizes, operations = search->grid->operations;
  search->deviations = calloc(sizes * operations, sizeof *search->deviations);
  search->data = calloc(operations, sizeof *search->data);
  search->best = calloc(sizes + 1, sizeof *search->best);
  search->cut = calloc(sizes + 1, sizeof *search->cut);
  search->scratch = calloc(LS_SEGMENT_PAIRS_MAX, sizeof *search->scratch);
  search->is_left_out = calloc(sizes, sizeof *search->is_left_out);
  if (!search->deviations || !search->data || !search->best || !search->cut || !search->scratch ||
      !search->is_left_out)
    return ls_fail(err, LS_ENOMEM, "no memory to look for windows");
  for (size_t j = 0; j < operations; j++) {
    search->data[j] =
        (struct ls_segment_data){search->grid->units + j * sizes, search->grid->seconds + j * sizes,
                                 search->deviations + j * sizes};
    find_deviations(search, j);
  }
  return LS_OK;
}

static void close_search(struct search *search) {
  free(search->deviations);
  free(search->data);
  free(search->best);
  free(search->cut);
  free(search->scratch);
  free(search->is_left_out);
}

enum ls_status ls_affine_windows_find(const struct ls_window_grid *grid,
                                      struct ls_affine_windows *windows, struct ls_error *err) {
  assert(grid->sizes <= LS_WINDOW_SIZES_MAX);
  struct ls_affine_windows made = {.is_searched = grid->sizes >= LS_WINDOW_POINTS_MIN};
  if (made.is_searched) {
    struct search search = {.grid = grid};
    enum ls_status status = open_search(&search, err);
    if (status == LS_OK) {
      place_cuts(&search);
      status = list_windows(&search, &made, err);
    }
    close_search(&search);
    if (status != LS_OK) {
      ls_affine_windows_close(&made);
      return status;
    }
  }
  *windows = made;
  return LS_OK;
}

void ls_affine_windows_close(struct ls_affine_windows *windows) {
  for (size_t i = 0; i < windows->count; i++) free(windows->items[i].laws);
  free(windows->items);
  *windows = (struct ls_affine_windows){.items = NULL};
}
