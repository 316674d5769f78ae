/* online_parameters.c: Figures 5.3 and 5.4 of the thesis on Monitor, simulated: how often a worker
 * reports (r), and of how many latest times (eta).
 *
 * The thesis ran 1024 image tasks on 8 machines and prints surfaces without numbers, and words,
 * which stand here beside ours: shape only.  It did not try r below 4, since each report was a
 * message; here results carry the times, so that r = 1 costs none.  The last row is eta found by
 * each worker itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/online_world.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { REPORTS = 8, HISTORIES = 7, CELLS = 2 * REPORTS * HISTORIES, SEEDS = 20 };
enum { EVERY_1, EVERY_4 = 2, EVERY_8, EVERY_32 = 5 }; /* of the reports */
enum { OF_20 = 4, AUTO = HISTORIES - 1 };             /* of the histories */

/* Tasks of the thesis are blocks of one image: nearly alike. */
static const double VARIATION = 0.1;
static const double PREFETCH = 2;

/* "The difference between the fastest and the slowest run is only about 1 %", and "as much as
 * 15 %", of surfaces whose range of r is lost; half a percent more is about 1 % where r is small.
 */
static const double STATIC_SPREAD = 0.01, DYNAMIC_SPREAD = 0.15, STATIC_SPREAD_MOST = 0.015;
/* "eta does not have a great impact as long as the timings are reported often enough." */
static const double HISTORY_MATTERS_MOST = 0.02;
/* Behind the best r, of the one that the thesis found ideal. */
static const double IDEAL_MOST = 0.01;
/* Behind the best fixed eta, of the one that is found. */
static const double CHOSEN_MOST = 1.02;

static const uint64_t reports[REPORTS] = {1, 2, 4, 8, 16, 32, 64, 128};
static const char *const histories[HISTORIES] = {"1", "2", "5", "10", "20", "50", "auto"};

struct grid {
  uint64_t seed;
  size_t seeds;
};

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct grid *grid = context;
  size_t number = index / grid->seeds;
  char policy[64];
  (void)snprintf(policy, sizeof policy, "monitor:history=%s,report_every=%llu",
                 histories[number % HISTORIES],
                 (unsigned long long)reports[number / HISTORIES % REPORTS]);
  struct ls_online_case played = {.policy = policy,
                                  .is_dynamic = number / HISTORIES / REPORTS > 0,
                                  .seed = grid->seed + index % grid->seeds,
                                  .prefetch = PREFETCH,
                                  .variation = VARIATION};
  return ls_online_play(&played, result, err);
}

/* Means over the seeds: [environment][r][eta]. */
struct means {
  double of[2][REPORTS][HISTORIES];
};

static void average(const struct ls_online_result *cells, size_t seeds, struct means *means) {
  for (size_t index = 0; index < CELLS; index++) {
    struct ls_moments moments = {0};
    for (size_t k = 0; k < seeds; k++) ls_moments_add(&moments, cells[index * seeds + k].to_bound);
    means->of[index / HISTORIES / REPORTS][index / HISTORIES % REPORTS][index % HISTORIES] =
        moments.mean;
  }
}

static void print_table(struct ls_study_report *report, const char *title,
                        double (*means)[HISTORIES]) {
  ls_study_print(report, "%s: makespan over work / total speed\n%9s", title, "r \\ eta");
  for (size_t k = 0; k < HISTORIES; k++) ls_study_print(report, " %8s", histories[k]);
  ls_study_print(report, "\n");
  for (size_t i = 0; i < REPORTS; i++) {
    ls_study_print(report, "%9llu", (unsigned long long)reports[i]);
    for (size_t k = 0; k < HISTORIES; k++) ls_study_print(report, " %8.4f", means[i][k]);
    ls_study_print(report, "\n");
  }
  ls_study_print(report, "\n");
}

static void draw(struct ls_study_report *report, const char *file, const char *title,
                 const struct grid *grid, double (*means)[HISTORIES]) {
  static const char *const names[HISTORIES] = {"eta 1",  "eta 2",  "eta 5",   "eta 10",
                                               "eta 20", "eta 50", "eta auto"};
  double columns[HISTORIES][REPORTS], every[REPORTS];
  char subtitle[128];
  struct ls_plot_series series[HISTORIES];
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < REPORTS; i++) every[i] = (double)reports[i];
  for (size_t k = 0; k < HISTORIES; k++) {
    for (size_t i = 0; i < REPORTS; i++) columns[k][i] = means[i][k];
    series[k] = (struct ls_plot_series){.name = names[k],
                                        .x = every,
                                        .y = columns[k],
                                        .count = REPORTS,
                                        .has_points = true,
                                        .has_line = true};
  }
  (void)snprintf(subtitle, sizeof subtitle, "%d tasks, %d workers, mean of %zu draws, seed %llu on",
                 LS_ONLINE_UNITS, LS_ONLINE_WORKERS, grid->seeds, (unsigned long long)grid->seed);
  struct ls_plot plot = {.title = title,
                         .subtitle = subtitle,
                         .x = {.label = "r: units after which a worker reports", .is_log = true},
                         .y = {.label = "makespan / (work / total speed) (no unit)"},
                         .series = series,
                         .series_count = HISTORIES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, file, &svg);
}

struct extremes {
  double least, largest;
};

/* Of the fixed histories, with reports from `first` to `last`. */
static struct extremes find_extremes(double (*means)[HISTORIES], size_t first, size_t last) {
  struct extremes found = {.least = means[first][0], .largest = means[first][0]};
  for (size_t i = first; i <= last; i++) {
    for (size_t k = 0; k < AUTO; k++) {
      found.least = fmin(found.least, means[i][k]);
      found.largest = fmax(found.largest, means[i][k]);
    }
  }
  return found;
}

static double average_histories(const double means[HISTORIES]) {
  struct ls_sum sum = {0};
  for (size_t k = 0; k < AUTO; k++) ls_sum_add(&sum, means[k]);
  return ls_sum_value(&sum) / AUTO;
}

/* The means of a few draws may differ. */
static void judge(struct ls_study_report *report, bool is_dynamic, double (*means)[HISTORIES],
                  bool is_judged) {
  struct extremes all = find_extremes(means, 0, REPORTS - 1);
  struct extremes often = find_extremes(means, EVERY_4, EVERY_4);
  struct extremes fixed = find_extremes(means, EVERY_1, EVERY_1);
  double ideal = average_histories(means[EVERY_4]), best = ideal;
  for (size_t i = EVERY_4; i < REPORTS; i++) best = fmin(best, average_histories(means[i]));
  ls_online_compare(report, is_dynamic, "from fastest to slowest, all r",
                    ls_study_unjudged(LS_STUDY_PRINTED, is_dynamic ? DYNAMIC_SPREAD : STATIC_SPREAD,
                                      "the range of r of its figure is lost"),
                    all.largest / all.least - 1);
  ls_online_compare(report, is_dynamic, "\"often is better than seldom\": r = 4 over r = 32",
                    ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, 1)),
                    ideal / average_histories(means[EVERY_32]));
  ls_online_compare(report, is_dynamic, "\"r = 4 is ideal\", of those from 4: over the best",
                    ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, IDEAL_MOST)),
                    ideal / best - 1);
  ls_online_compare(
      report, is_dynamic, "\"eta does not have a great impact\" at r = 4: spread",
      ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, HISTORY_MATTERS_MOST)),
      often.largest / often.least - 1);
  ls_online_compare(
      report, is_dynamic, "eta auto at r = 1 over the best fixed eta",
      ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_SPECIFIED, CHOSEN_MOST)),
      means[EVERY_1][AUTO] / fixed.least);
  ls_online_show(report, is_dynamic, "eta auto at r = 1 over the worst fixed eta",
                 means[EVERY_1][AUTO] / fixed.largest);
  ls_online_show(report, is_dynamic, "eta auto, r = 1, over the thesis' eta = 20, r = 4",
                 means[EVERY_1][AUTO] / means[EVERY_4][OF_20]);
}

static double measure_spread(double (*means)[HISTORIES], size_t last) {
  struct extremes found = find_extremes(means, 0, last);
  return found.largest / found.least - 1;
}

static void judge_spreads(struct ls_study_report *report, struct means *means, bool is_judged) {
  double spread = measure_spread(means->of[0], EVERY_8);
  ls_study_compare(
      report, "static: \"only about 1 %\" from fastest to slowest, r to 8",
      ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, STATIC_SPREAD_MOST)),
      spread);
  ls_study_compare(report, "dynamic: parameters matter more, r to 8: spread over the static one",
                   ls_study_judged_if(is_judged, ls_study_at_least(LS_STUDY_PRINTED, 1)),
                   measure_spread(means->of[1], EVERY_8) / spread);
}

static enum ls_status run_parameters(const struct ls_study_options *options,
                                     struct ls_study_report *report, struct ls_error *err) {
  struct grid grid = {.seed = options->seed,
                      .seeds = options->sample > 0 ? (size_t)options->sample : SEEDS};
  size_t count = CELLS * grid.seeds;
  struct means means;
  struct ls_online_result *cells = calloc(count, sizeof *cells);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *cells,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &grid};
  if (cells == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", count);
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status == LS_OK) {
    average(cells, grid.seeds, &means);
    print_table(report, "Static environment (Figure 5.3)", means.of[0]);
    print_table(report, "Dynamic environment (Figure 5.4)", means.of[1]);
    draw(report, "online-parameters-static.svg", "Rosenvinge 2004, Figure 5.3: static environment",
         &grid, means.of[0]);
    draw(report, "online-parameters-dynamic.svg",
         "Rosenvinge 2004, Figure 5.4: dynamic environment", &grid, means.of[1]);
    judge(report, false, means.of[0], grid.seeds >= SEEDS);
    judge(report, true, means.of[1], grid.seeds >= SEEDS);
    judge_spreads(report, &means, grid.seeds >= SEEDS);
  }
  free(cells);
  return status;
}

const struct ls_study ls_study_online_parameters = {
    .name = "online-parameters",
    .summary = "Monitor over r and eta, and an eta found by itself, static and dynamic",
    .reference = "rosenvinge2004, Figures 5.3 and 5.4",
    .run = run_parameters,
};
