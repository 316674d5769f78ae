/* scow_affine_window.c: affine windows in measurements of the laws of Table 6-7, by seed.
 *
 * The thesis reads its windows off a plot; docs/theory/scow.md, 7, finds them by segmentation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/affine_window.h"
#include "lab/studies/measured_law.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { SEEDS = 1000, OPERATIONS = 4, REPEATS = 5, SIZES_FIRST = 18, SIZES = 39 };
enum { POINTS = SIZES * REPEATS, WINDOWS = 2, EDGE = 450, LINE = 2 };

static const double BOTH_AT_LEAST = 0.99, FALSE_AT_MOST = 0.01, SLOPE_TOLERANCE = 0.01;

static const char *const operations[OPERATIONS] = {"prepare", "send", "receive", "compute"};

/* Table 6-7: constants and slopes in [25,450] and [500,2500]. */
static const struct ls_cost laws[WINDOWS][OPERATIONS] = {
    {{2.2e-5, 4.6e-7}, {2.2e-5, 3.2e-7}, {2.3e-5, 3.9e-7}, {2.0e-5, 1.1e-5}},
    {{5.7e-6, 4.5e-7}, {-1.1e-3, 4.0e-6}, {-2.3e-4, 4.1e-6}, {-1.0e-4, 1.1e-5}}};
static const double limits[WINDOWS][2] = {{25, 450}, {500, 2500}};

struct measured {
  double units[OPERATIONS][POINTS], seconds[OPERATIONS][POINTS];
};

struct finding {
  bool has_both; /* of two laws, both windows with their exact limits, and no other */
  bool has_one;  /* of one law, one window over all sizes */
  double slopes[WINDOWS][OPERATIONS]; /* found over true; NAN without both windows */
};

static double choose_size(size_t index) {
  return index < SIZES_FIRST ? 25 * ((double)index + 1) : 500 + 100 * (double)(index - SIZES_FIRST);
}

static void measure(struct measured *measured, bool has_two, struct ls_random *random) {
  struct ls_study_noise noise = {0.02, 0, 0.08};
  for (size_t j = 0; j < OPERATIONS; j++) {
    for (size_t i = 0; i < POINTS; i++) {
      double units = choose_size(i / REPEATS);
      const struct ls_cost *law = &laws[has_two && units > EDGE][j];
      measured->units[j][i] = units;
      measured->seconds[j][i] = ls_study_measure(law, units, &noise, random);
    }
  }
}

static enum ls_status find_windows(const struct measured *measured,
                                   struct ls_affine_windows *windows, struct ls_error *err) {
  struct ls_points points[OPERATIONS];
  struct ls_window_grid grid;
  for (size_t j = 0; j < OPERATIONS; j++)
    points[j] = (struct ls_points){measured->units[j], measured->seconds[j], POINTS};
  enum ls_status status = ls_window_grid_make(points, OPERATIONS, &grid, err);
  if (status != LS_OK) return status;
  status = ls_affine_windows_find(&grid, windows, err);
  ls_window_grid_close(&grid);
  return status;
}

static bool has_limits(const struct ls_affine_window *window, double from, double to) {
  return fabs(window->units_from - from) <= 1e-9 && fabs(window->units_to - to) <= 1e-9;
}

static void take_slopes(const struct ls_affine_windows *windows, struct finding *finding) {
  for (size_t w = 0; w < WINDOWS; w++)
    for (size_t j = 0; j < OPERATIONS; j++)
      finding->slopes[w][j] = finding->has_both
                                  ? windows->items[w].laws[j].per_unit_s / laws[w][j].per_unit_s
                                  : (double)NAN;
}

static enum ls_status find_seed(void *context, size_t index, void *result, struct ls_error *err) {
  const uint64_t *seed = context;
  struct finding *finding = result;
  struct ls_affine_windows windows;
  struct ls_random random;
  struct measured measured;
  ls_random_init(&random, *seed + index, "affine windows");
  measure(&measured, true, &random);
  enum ls_status status = find_windows(&measured, &windows, err);
  if (status != LS_OK) return status;
  finding->has_both = windows.count == WINDOWS &&
                      has_limits(&windows.items[0], limits[0][0], limits[0][1]) &&
                      has_limits(&windows.items[1], limits[1][0], limits[1][1]);
  take_slopes(&windows, finding);
  ls_affine_windows_close(&windows);
  measure(&measured, false, &random);
  status = find_windows(&measured, &windows, err);
  if (status != LS_OK) return status;
  finding->has_one =
      windows.count == 1 && has_limits(&windows.items[0], limits[0][0], limits[1][1]);
  ls_affine_windows_close(&windows);
  return LS_OK;
}

static void report_slopes(const struct finding *findings, size_t count,
                          struct ls_study_report *report) {
  ls_study_print(report, "\nmean of the slopes found over the true ones\n%-12s", "units");
  for (size_t j = 0; j < OPERATIONS; j++) ls_study_print(report, " %9s", operations[j]);
  for (size_t w = 0; w < WINDOWS; w++) {
    ls_study_print(report, "\n%4g to %4g", limits[w][0], limits[w][1]);
    for (size_t j = 0; j < OPERATIONS; j++) {
      double sum = 0, found = 0;
      char name[64];
      for (size_t i = 0; i < count; i++) {
        if (isnan(findings[i].slopes[w][j])) continue;
        sum += findings[i].slopes[w][j];
        found++;
      }
      ls_study_print(report, " %9.5f", sum / found);
      (void)snprintf(name, sizeof name, "%s, %g to %g: slope found / true", operations[j],
                     limits[w][0], limits[w][1]);
      ls_study_compare(report, name, ls_study_near(LS_STUDY_SPECIFIED, 1, SLOPE_TOLERANCE),
                       sum / found);
    }
  }
  ls_study_print(report, "\n");
}

/* The measurements of one seed with the lines of Table 6-7. */
static void draw_seed(uint64_t seed, struct ls_study_report *report) {
  struct ls_plot_series series[2 * OPERATIONS];
  struct ls_random random;
  struct measured measured;
  double ends[WINDOWS * (LINE + 1)], times[OPERATIONS][WINDOWS * (LINE + 1)];
  char names[OPERATIONS][48];
  ls_random_init(&random, seed, "affine windows");
  measure(&measured, true, &random);
  for (size_t j = 0; j < OPERATIONS; j++) {
    for (size_t i = 0; i < WINDOWS * (LINE + 1); i++) {
      size_t w = i / (LINE + 1), end = i % (LINE + 1);
      ends[i] = end < LINE ? limits[w][end] : (double)NAN;
      times[j][i] = laws[w][j].latency_s + laws[w][j].per_unit_s * ends[i];
    }
    (void)snprintf(names[j], sizeof names[j], "%s, Table 6-7", operations[j]);
    series[2 * j] = (struct ls_plot_series){
        operations[j], measured.units[j], measured.seconds[j], POINTS, true, false};
    series[2 * j + 1] =
        (struct ls_plot_series){names[j], ends, times[j], WINDOWS * (LINE + 1), false, true};
  }
  struct ls_plot plot = {.title = "Two affine windows, docs/theory/scow.md, 7",
                         .subtitle = "2 % noise, 8 % outliers, 5 repeats; laws of Table 6-7",
                         .x = {.label = "units of a chunk", .is_log = true},
                         .y = {.label = "seconds", .is_log = true},
                         .series = series,
                         .series_count = sizeof series / sizeof *series};
  struct ls_bytes svg = {0};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "scow-affine-window.svg", &svg);
}

static void report_findings(const struct finding *findings, size_t count,
                            struct ls_study_report *report) {
  size_t both = 0, one = 0;
  for (size_t i = 0; i < count; i++) {
    both += findings[i].has_both;
    one += findings[i].has_one;
  }
  ls_study_print(report,
                 "Laws of Table 6-7 at %d sizes, %d repeats, 2 %% noise, 8 %% outliers; %zu seeds\n"
                 "two laws: both windows exact in %zu; one law: cut in %zu\n",
                 SIZES, REPEATS, count, both, count - one);
  ls_study_compare(report, "two laws: both windows, with their exact limits",
                   ls_study_at_least(LS_STUDY_SPECIFIED, BOTH_AT_LEAST),
                   (double)both / (double)count);
  ls_study_compare(report, "one law: a false window",
                   ls_study_at_most(LS_STUDY_SPECIFIED, FALSE_AT_MOST),
                   (double)(count - one) / (double)count);
  report_slopes(findings, count, report);
}

static enum ls_status run_windows(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  size_t count = options->sample > 0 && options->sample < SEEDS ? (size_t)options->sample : SEEDS;
  uint64_t seed = options->seed;
  struct finding *findings = calloc(count, sizeof *findings);
  if (findings == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu seeds", count);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *findings,
                                .processes = options->processes,
                                .compute = find_seed,
                                .context = &seed};
  enum ls_status status = ls_parallel_map(&map, findings, err);
  if (status == LS_OK) {
    report_findings(findings, count, report);
    draw_seed(seed, report);
  }
  free(findings);
  return status;
}

const struct ls_study ls_study_scow_affine_window = {
    .name = "scow-affine-window",
    .summary = "windows of affine costs in measurements with noise and outliers",
    .reference = "docs/theory/scow.md, 7, with the laws of Table 6-7",
    .run = run_windows,
};
