/* umr_curves.c: Figures 4 to 7 of the UMR paper: makespans of the other algorithms over UMR's,
 * against the bandwidth.
 *
 * The figures print no numbers, so nothing is judged; the text says what they show.  Each value is
 * the mean over all N of the grid that have this bandwidth, and over the latencies of the figure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "report/plot.h"
#include "runtime/parallel_map.h"
#include "studies/sample.h"
#include "studies/study.h"
#include "studies/umr_grid.h"

enum { BANDWIDTHS = 251, CURVES = 5, ROWS = 12 };

/* MI-1 .. MI-4 and One-Batch, as in the paper: "trends are identical for x >= 3". */
static const enum ls_umr_grid_algorithm curves[CURVES] = {
    LS_GRID_MI_1, LS_GRID_MI_1 + 1, LS_GRID_MI_1 + 2, LS_GRID_MI_1 + 3, LS_GRID_ONE_BATCH};

struct figure {
  const char *file, *title, *says;
  uint8_t network_count, compute_count; /* how many of the latencies, from 0 */
};

struct work {
  const struct figure *figure;
  const bool *is_wanted; /* by pair; NULL: all */
};

/* Of one pair: sums of makespan over UMR's. */
struct part {
  uint32_t count;
  double sums[CURVES];
};

static enum ls_status play_pair(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct ls_umr_grid_case cases[LS_UMR_GRID_CASES];
  struct ls_umr_grid_makespans makespans;
  struct ls_umr_grid_pair pair = ls_umr_grid_pair(index);
  struct part *part = result;
  uint32_t count = 0;
  if (work->is_wanted != NULL && !work->is_wanted[index]) return LS_OK;
  for (uint8_t i = 0; i < work->figure->network_count; i++) {
    for (uint8_t j = 0; j < work->figure->compute_count; j++) {
      cases[count++] = (struct ls_umr_grid_case){.network = i, .compute = j};
    }
  }
  enum ls_status status = ls_umr_grid_play_batch(&pair, cases, count, &makespans, err);
  if (status != LS_OK) return status;
  part->count = count;
  for (size_t i = 0; i < CURVES; i++) {
    for (size_t k = 0; k < count; k++) {
      part->sums[i] += makespans.at[curves[i]][k] / makespans.at[LS_GRID_UMR][k];
    }
  }
  return LS_OK;
}

struct means {
  double bandwidths[BANDWIDTHS], values[CURVES][BANDWIDTHS];
  size_t count;
};

static void find_means(const struct part *parts, struct means *means) {
  struct ls_sum sums[CURVES][BANDWIDTHS] = {0};
  uint64_t counts[BANDWIDTHS] = {0};
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    uint32_t bandwidth = ls_umr_grid_pair(i).bandwidth;
    counts[bandwidth] += parts[i].count;
    for (size_t j = 0; j < CURVES; j++) ls_sum_add(&sums[j][bandwidth], parts[i].sums[j]);
  }
  means->count = 0;
  for (size_t b = 0; b < BANDWIDTHS; b++) {
    if (counts[b] == 0) continue;
    means->bandwidths[means->count] = (double)b;
    for (size_t j = 0; j < CURVES; j++) {
      means->values[j][means->count] = ls_sum_value(&sums[j][b]) / (double)counts[b];
    }
    means->count++;
  }
}

static void print_means(const struct means *means, struct ls_study_report *report) {
  size_t step = means->count / ROWS + 1;
  ls_study_print(report, "%6s", "B");
  for (size_t j = 0; j < CURVES; j++) ls_study_print(report, " %9s", ls_umr_grid_names[curves[j]]);
  ls_study_print(report, "   (makespan over UMR's, mean)\n");
  for (size_t i = 0; i < means->count; i += step) {
    ls_study_print(report, "%6g", means->bandwidths[i]);
    for (size_t j = 0; j < CURVES; j++) ls_study_print(report, " %9.4f", means->values[j][i]);
    ls_study_print(report, "\n");
  }
}

static void report_means(const struct figure *figure, const struct means *means,
                         struct ls_study_report *report) {
  struct ls_plot_series series[CURVES];
  struct ls_bytes svg = {0};
  for (size_t j = 0; j < CURVES; j++) {
    char name[64];
    double largest = 0;
    struct ls_sum sum = {0};
    for (size_t i = 0; i < means->count; i++) {
      largest = fmax(largest, means->values[j][i]);
      ls_sum_add(&sum, means->values[j][i]);
    }
    const char *algorithm = ls_umr_grid_names[curves[j]];
    (void)snprintf(name, sizeof name, "%s over UMR, mean over B", algorithm);
    ls_study_compare(report, name, (double)NAN, ls_sum_value(&sum) / (double)means->count,
                     (double)NAN);
    (void)snprintf(name, sizeof name, "%s over UMR, largest over B", algorithm);
    ls_study_compare(report, name, (double)NAN, largest, (double)NAN);
    series[j] = (struct ls_plot_series){.name = algorithm,
                                        .x = means->bandwidths,
                                        .y = means->values[j],
                                        .count = means->count,
                                        .has_line = true};
  }
  struct ls_plot plot = {.title = figure->title,
                         .x = {.label = "computation / communication ratio B"},
                         .y = {.label = "makespan over UMR's"},
                         .series = series,
                         .series_count = CURVES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, figure->file, &svg);
}

static enum ls_status run_figure(const struct figure *figure,
                                 const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  bool *is_wanted = NULL;
  struct part *parts = calloc(LS_UMR_GRID_PAIRS, sizeof *parts);
  struct means *means = calloc(1, sizeof *means);
  enum ls_status status = LS_OK;
  if (parts == NULL || means == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for a figure");
  if (status == LS_OK) status = ls_study_sample(options, LS_UMR_GRID_PAIRS, &is_wanted, err);
  if (status != LS_OK) goto done;
  struct work work = {.figure = figure, .is_wanted = is_wanted};
  struct ls_parallel_map map = {.count = LS_UMR_GRID_PAIRS,
                                .result_bytes = sizeof *parts,
                                .processes = options->processes,
                                .compute = play_pair,
                                .context = &work};
  status = ls_parallel_map(&map, parts, err);
  if (status != LS_OK) goto done;
  find_means(parts, means);
  ls_study_print(report, "The paper: %s\n", figure->says);
  if (is_wanted != NULL) ls_study_print(report, "A sample of the pairs of N and B.\n");
  ls_study_print(report,
                 "Means over all N with this B; at multiples of 25 one N leaves the grid "
                 "(B <= 5 N), which makes steps.\n");
  print_means(means, report);
  report_means(figure, means, report);
done:
  free(is_wanted);
  free(means);
  free(parts);
  return status;
}

static const struct figure figure_4 = {
    .file = "umr-fig4.svg",
    .title = "Figure 4: no network latency",
    .says =
        "installments help while communication is slow; One-Batch improves as it gets faster; "
        "UMR is close to the best throughout (drawn, no numbers)",
    .network_count = 1,
    .compute_count = LS_UMR_GRID_LATENCIES,
};
static const struct figure figure_5 = {
    .file = "umr-fig5.svg",
    .title = "Figure 5: no computation latency",
    .says =
        "MI-x degrades with B and with x; One-Batch is almost as good as UMR; steps come from "
        "the rounding of the number of rounds (drawn, no numbers)",
    .network_count = LS_UMR_GRID_LATENCIES,
    .compute_count = 1,
};
static const struct figure figure_6 = {
    .file = "umr-fig6.svg",
    .title = "Figure 6: small latencies, both below 0.1 s",
    .says = "no MI-x is good throughout; One-Batch is for large B only (drawn, no numbers)",
    .network_count = LS_UMR_GRID_SMALL,
    .compute_count = LS_UMR_GRID_SMALL,
};
static const struct figure figure_7 = {
    .file = "umr-fig7.svg",
    .title = "Figure 7: no latencies",
    .says =
        "UMR with its limit of 50 rounds is better than MI-x with at most 8; One-Batch is MI-1 "
        "(drawn, no numbers)",
    .network_count = 1,
    .compute_count = 1,
};

static enum ls_status run_figure_4(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  return run_figure(&figure_4, options, report, err);
}
static enum ls_status run_figure_5(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  return run_figure(&figure_5, options, report, err);
}
static enum ls_status run_figure_6(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  return run_figure(&figure_6, options, report, err);
}
static enum ls_status run_figure_7(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  return run_figure(&figure_7, options, report, err);
}

const struct ls_study ls_study_umr_figure_4 = {
    .name = "umr-fig4",
    .summary = "makespans over UMR's against B, nLat = 0",
    .reference = "yang2002, Figure 4",
    .run = run_figure_4,
};
const struct ls_study ls_study_umr_figure_5 = {
    .name = "umr-fig5",
    .summary = "makespans over UMR's against B, cLat = 0",
    .reference = "yang2002, Figure 5",
    .run = run_figure_5,
};
const struct ls_study ls_study_umr_figure_6 = {
    .name = "umr-fig6",
    .summary = "makespans over UMR's against B, both latencies below 0.1 s",
    .reference = "yang2002, Figure 6",
    .run = run_figure_6,
};
const struct ls_study ls_study_umr_figure_7 = {
    .name = "umr-fig7",
    .summary = "makespans over UMR's against B, no latencies",
    .reference = "yang2002, Figure 7",
    .run = run_figure_7,
};
