/* umr_curves.c: Figures 4 to 7 of the UMR paper: makespans of the other algorithms over UMR's,
 * against the bandwidth.
 *
 * The figures print no numbers: judged are words of the paper, where all pairs of N and B take
 * part.  Each value is the mean over all N of the grid that have this bandwidth, and over the
 * latencies of the figure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/sample.h"
#include "lab/studies/study.h"
#include "lab/studies/umr_grid.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { BANDWIDTHS = 251, CURVES = 5, ONE_BATCH = CURVES - 1, ROWS = 12 };

/* MI-1 .. MI-4 and One-Batch, as in the paper: "trends are identical for x >= 3". */
static const enum ls_umr_grid_algorithm curves[CURVES] = {
    LS_GRID_MI_1, LS_GRID_MI_1 + 1, LS_GRID_MI_1 + 2, LS_GRID_MI_1 + 3, LS_GRID_ONE_BATCH};

struct means {
  double bandwidths[BANDWIDTHS], values[CURVES][BANDWIDTHS];
  size_t count;
};

/* Words of the paper, and whether they hold. */
struct statement {
  const char *words;
  bool (*holds)(const struct means *means);
};

enum { STATEMENTS = 2 };

struct figure {
  const char *file, *title, *says;
  uint8_t network_count, compute_count; /* how many of the latencies, from 0 */
  struct statement statements[STATEMENTS];
};

struct work {
  const struct figure *figure;
  const struct ls_platform_grid *grid;
  const bool *is_wanted; /* by pair; NULL: all */
};

/* Of one pair: sums of makespan over UMR's. */
struct part {
  uint32_t count, bandwidth;
  double sums[CURVES];
};

static enum ls_status play_pair(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct ls_umr_grid_makespans makespans;
  struct ls_grid_piece piece = ls_grid_piece(work->grid, LS_UMR_GRID_CASES, index);
  bool is_case[LS_UMR_GRID_CASES] = {false};
  struct part *part = result;
  uint32_t count = 0;
  if (work->is_wanted != NULL && !work->is_wanted[index]) return LS_OK;
  for (uint8_t i = 0; i < work->figure->network_count; i++) {
    for (uint8_t j = 0; j < work->figure->compute_count; j++) {
      is_case[i * LS_UMR_GRID_LATENCIES + j] = true;
      count++;
    }
  }
  piece.is_wanted = is_case;
  enum ls_status status = ls_umr_grid_play(&piece, false, &makespans, err);
  if (status != LS_OK) return status;
  part->count = count;
  part->bandwidth =
      (uint32_t)ls_platform_grid_point(work->grid, piece.block, 0).values[LS_GRID_RATE];
  for (size_t i = 0; i < CURVES; i++) {
    for (size_t k = 0; k < count; k++) {
      part->sums[i] += makespans.at[curves[i]][k] / makespans.at[LS_GRID_UMR][k];
    }
  }
  return LS_OK;
}

static void find_means(const struct part *parts, struct means *means) {
  struct ls_sum sums[CURVES][BANDWIDTHS] = {0};
  uint64_t counts[BANDWIDTHS] = {0};
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    uint32_t bandwidth = parts[i].bandwidth;
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
    ls_study_show(report, name, ls_sum_value(&sum) / (double)means->count);
    (void)snprintf(name, sizeof name, "%s over UMR, largest over B", algorithm);
    ls_study_show(report, name, largest);
    series[j] = (struct ls_plot_series){.name = algorithm,
                                        .x = means->bandwidths,
                                        .y = means->values[j],
                                        .count = means->count,
                                        .has_line = true};
  }
  struct ls_plot plot = {.title = figure->title,
                         .subtitle =
                             "N = 10, 15, .. 50 workers, load 1000; mean over N and the "
                             "latencies of the grid",
                         .x = {.label = "B, computation / communication ratio (no unit)"},
                         .y = {.label = "makespan over UMR's (no unit)"},
                         .series = series,
                         .series_count = CURVES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, figure->file, &svg);
}

static enum ls_status run_figure(const struct figure *figure,
                                 const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  bool *is_wanted = NULL;
  struct ls_platform_grid grid = {0};
  struct part *parts = calloc(LS_UMR_GRID_PAIRS, sizeof *parts);
  struct means *means = calloc(1, sizeof *means);
  enum ls_status status = LS_OK;
  if (parts == NULL || means == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for a figure");
  if (status == LS_OK) status = ls_study_sample(options, LS_UMR_GRID_PAIRS, &is_wanted, err);
  if (status == LS_OK) status = ls_umr_grid_open(&grid, ls_umr_grid_text, err);
  if (status != LS_OK) goto done;
  struct work work = {.figure = figure, .grid = &grid, .is_wanted = is_wanted};
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
  for (size_t i = 0; i < STATEMENTS && figure->statements[i].words != NULL; i++) {
    ls_study_compare(report, figure->statements[i].words,
                     ls_study_judged_if(is_wanted == NULL, ls_study_near(LS_STUDY_PRINTED, 1, 0)),
                     figure->statements[i].holds(means));
  }
done:
  ls_platform_grid_close(&grid);
  free(is_wanted);
  free(means);
  free(parts);
  return status;
}

/* MI-1 to MI-4, from the worst to the best or the other way. */
static bool do_installments_help(const struct means *means) {
  for (size_t j = 1; j < ONE_BATCH; j++)
    if (!(means->values[j][0] < means->values[j - 1][0])) return false;
  return true;
}
static bool do_installments_hurt(const struct means *means) {
  for (size_t j = 1; j < ONE_BATCH; j++)
    if (!(means->values[j][means->count - 1] > means->values[j - 1][means->count - 1]))
      return false;
  return true;
}
static bool does_one_batch_improve(const struct means *means) {
  return means->values[ONE_BATCH][means->count - 1] < means->values[ONE_BATCH][0];
}
static bool does_one_installment_degrade(const struct means *means) {
  return means->values[0][means->count - 1] > means->values[0][0];
}
static bool is_one_batch_better(const struct means *means) {
  for (size_t i = 0; i < means->count; i++)
    if (!(means->values[ONE_BATCH][i] <= means->values[0][i] * (1 + 1e-9))) return false;
  return true;
}
static bool is_one_batch_the_same(const struct means *means) {
  for (size_t i = 0; i < means->count; i++)
    if (!(fabs(means->values[ONE_BATCH][i] / means->values[0][i] - 1) < 1e-9)) return false;
  return true;
}
static bool is_umr_ahead(const struct means *means) {
  for (size_t j = 0; j < CURVES; j++)
    for (size_t i = 0; i < means->count; i++)
      if (!(means->values[j][i] >= 1)) return false;
  return true;
}
#define PAPER "Yang & Casanova 2002, "
static const struct figure figure_4 = {
    .file = "umr-fig4.svg",
    .title = PAPER "Figure 4: makespans over UMR's, nLat = 0",
    .says =
        "installments help while communication is slow; One-Batch improves as it gets faster; "
        "UMR is close to the best throughout (drawn, no numbers)",
    .network_count = 1,
    .compute_count = LS_UMR_GRID_LATENCIES,
    .statements = {{"installments help at the least B (1: yes)", do_installments_help},
                   {"One-Batch improves as B grows (1: yes)", does_one_batch_improve}},
};
static const struct figure figure_5 = {
    .file = "umr-fig5.svg",
    .title = PAPER "Figure 5: makespans over UMR's, cLat = 0",
    .says =
        "MI-x degrades with B and with x; One-Batch is almost as good as UMR; steps come from "
        "the rounding of the number of rounds (drawn, no numbers)",
    .network_count = LS_UMR_GRID_LATENCIES,
    .compute_count = 1,
    .statements = {{"MI-1 degrades as B grows (1: yes)", does_one_installment_degrade},
                   {"MI-x degrades with x at the largest B (1: yes)", do_installments_hurt}},
};
static const struct figure figure_6 = {
    .file = "umr-fig6.svg",
    .title = PAPER "Figure 6: makespans over UMR's, latencies < 0.1 s",
    .says = "no MI-x is good throughout; One-Batch is for large B only (drawn, no numbers)",
    .network_count = LS_UMR_GRID_SMALL,
    .compute_count = LS_UMR_GRID_SMALL,
    .statements = {{"MI-1 is not as good as One-Batch (1: yes)", is_one_batch_better},
                   {"One-Batch improves as B grows (1: yes)", does_one_batch_improve}},
};
static const struct figure figure_7 = {
    .file = "umr-fig7.svg",
    .title = PAPER "Figure 7: makespans over UMR's, no latencies",
    .says =
        "UMR with its limit of 50 rounds is better than MI-x with at most 8; One-Batch is MI-1 "
        "(drawn, no numbers)",
    .network_count = 1,
    .compute_count = 1,
    .statements = {{"UMR is ahead of MI-1 to MI-4 (1: yes)", is_umr_ahead},
                   {"One-Batch is identical to MI-1 (1: yes)", is_one_batch_the_same}},
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
