/* umr_no_latency.c: section 6.1.2 and Figure 8 of the UMR paper: UMR and MI-x with equally many
 * rounds, without latencies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/planning.h"
#include "lab/studies/sample.h"
#include "lab/studies/study.h"
#include "lab/studies/umr_grid.h"
#include "model/replay.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/reduced_star.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { ROUNDS = 8, DRAWN = 4, BANDWIDTHS = 251, WORKERS_MAX = 50, LOAD = 1000 };

/* UMR's makespan over that of MI-x, less 1, by x - 1; with_last_round: the case x = 1 when the
 * formula for the last round (App. D) is applied to a single one. */
struct part {
  bool is_played;
  uint32_t bandwidth;
  double excess[ROUNDS], with_last_round;
};

static enum ls_status play_single_round(const struct ls_platform *platform, double *makespan_s,
                                        struct ls_error *err) {
  struct ls_star_worker workers[WORKERS_MAX] = {0};
  struct ls_umr umr;
  struct ls_plan plan;
  double units[WORKERS_MAX];
  size_t count = platform->workers_count;
  for (size_t i = 0; i < count; i++) {
    workers[i] = (struct ls_star_worker){
        .send_per_unit_s = platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s,
        .compute_per_unit_s = platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s,
        .number = (uint32_t)i};
  }
  ls_umr_init(&umr, workers, count, LOAD);
  (void)ls_umr_last_round(&umr, workers, LOAD, LOAD, units);
  ls_plan_init(&plan, "single", LOAD);
  for (size_t i = 0; i < count; i++) {
    if (units[i] > 0) ls_plan_add(&plan, (uint32_t)i, 0, units[i]);
  }
  enum ls_status status = ls_replay_makespan(&plan, platform, makespan_s, err);
  ls_plan_close(&plan);
  return status;
}

static enum ls_status compare_plans(const struct ls_platform *platform, struct part *part,
                                    struct ls_error *err) {
  struct ls_study_plan umr, mi;
  double first_s = 0;
  enum ls_status status = LS_OK;
  for (unsigned x = 1; x <= ROUNDS && status == LS_OK; x++) {
    char algorithm[16];
    (void)snprintf(algorithm, sizeof algorithm, "umr:%u", x);
    status = ls_study_plan(platform, LOAD, algorithm, &umr, err);
    (void)snprintf(algorithm, sizeof algorithm, "mi:%u", x);
    if (status == LS_OK) status = ls_study_plan(platform, LOAD, algorithm, &mi, err);
    if (status != LS_OK) break;
    part->excess[x - 1] = umr.makespan_s / mi.makespan_s - 1;
    if (x == 1) first_s = mi.makespan_s;
  }
  double single_s = 0;
  if (status == LS_OK) status = play_single_round(platform, &single_s, err);
  if (status == LS_OK) part->with_last_round = single_s / first_s - 1;
  return status;
}

struct work {
  struct ls_platform_grid grid;
  bool *is_wanted; /* by pair; NULL: all */
};

static enum ls_status play_pair(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  struct ls_platform platform;
  struct part *part = result;
  if (work->is_wanted != NULL && !work->is_wanted[index]) return LS_OK;
  /* The first case of a pair has no latencies. */
  struct ls_grid_point point = ls_platform_grid_point(&work->grid, index, 0);
  part->is_played = true;
  part->bandwidth = (uint32_t)point.values[LS_GRID_RATE];
  enum ls_status status = ls_platform_grid_make(&work->grid, &point, &platform, err);
  if (status != LS_OK) return status;
  status = compare_plans(&platform, part, err);
  ls_platform_close(&platform);
  return status;
}

/* Plays the pairs that are wanted; the caller frees the parts. */
static enum ls_status play_pairs(const struct ls_study_options *options, struct part **parts,
                                 struct ls_error *err) {
  struct work work = {.is_wanted = NULL};
  enum ls_status status = ls_umr_grid_open(&work.grid, ls_umr_grid_text, err);
  if (status != LS_OK) return status;
  status = ls_study_sample(options, LS_UMR_GRID_PAIRS, &work.is_wanted, err);
  if (status != LS_OK) goto done;
  *parts = calloc(LS_UMR_GRID_PAIRS, sizeof **parts);
  struct ls_parallel_map map = {.count = LS_UMR_GRID_PAIRS,
                                .result_bytes = sizeof **parts,
                                .processes = options->processes,
                                .compute = play_pair,
                                .context = &work};
  status = *parts == NULL ? ls_fail(err, LS_ENOMEM, "no memory for %d pairs", LS_UMR_GRID_PAIRS)
                          : ls_parallel_map(&map, *parts, err);
done:
  ls_platform_grid_close(&work.grid);
  free(work.is_wanted);
  return status;
}

/* ---- section 6.1.2 ---- */

/* docs/theory/umr.md, 6: means in percent by x, from an independent computation over the 1064
 * pairs.  With one round UMR is One-Batch, which here is MI-1. */
static const double recomputed[ROUNDS] = {0, 1.54, 1.09, .67, .43, .30, .21, .16};
static const double RECOMPUTED_SINGLE = 0.61;

static void add_moments(const struct part *parts, size_t x, struct ls_moments *moments) {
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    if (!parts[i].is_played) continue;
    ls_moments_add(moments, 100 * (x == 0 ? parts[i].with_last_round : parts[i].excess[x - 1]));
  }
}

static enum ls_status run_no_latency(const struct ls_study_options *options,
                                     struct ls_study_report *report, struct ls_error *err) {
  struct part *parts = NULL;
  double sampling = ls_study_sampling_error(options, LS_UMR_GRID_PAIRS), largest_mean = 0;
  enum ls_status status = play_pairs(options, &parts, err);
  if (status != LS_OK) goto done;
  ls_study_print(report,
                 "umr:x against mi:x without latencies; the paper: UMR is within 2.1 %% of MI-x on "
                 "average.\n%s",
                 sampling <= 0 ? ""
                               : "A sample of the pairs of N and B: tolerances are widened by four "
                                 "standard errors, or nothing is judged where they are few.\n");
  for (size_t x = 0; x <= ROUNDS; x++) {
    char name[80], of[40] = "x = 1 with App. D";
    struct ls_moments moments = {0};
    add_moments(parts, x, &moments);
    if (x > 0) (void)snprintf(of, sizeof of, "x = %zu", x);
    (void)snprintf(name, sizeof name, "%s, mean above MI-x, %%", of);
    ls_study_compare(
        report, name,
        ls_study_near(LS_STUDY_RECOMPUTED, x == 0 ? RECOMPUTED_SINGLE : recomputed[x - 1],
                      0.005 + sampling * ls_moments_deviation(&moments)),
        moments.mean);
    (void)snprintf(name, sizeof name, "%s, largest above MI-x, %%", of);
    ls_study_show(report, name, moments.largest);
    largest_mean = fmax(largest_mean, moments.mean);
  }
  ls_study_compare(report, "largest mean above MI-x, %",
                   ls_study_judged_if(!isnan(sampling), ls_study_at_most(LS_STUDY_PRINTED, 2.1)),
                   largest_mean);
done:
  free(parts);
  return status;
}

/* ---- Figure 8 ---- */

struct curve {
  double x[BANDWIDTHS], y[BANDWIDTHS];
  double largest; /* of all pairs */
  size_t count;
};

static void find_curve(const struct part *parts, size_t x, struct curve *curve) {
  struct ls_sum sums[BANDWIDTHS] = {0};
  size_t counts[BANDWIDTHS] = {0};
  for (size_t i = 0; i < LS_UMR_GRID_PAIRS; i++) {
    if (!parts[i].is_played) continue;
    uint32_t bandwidth = parts[i].bandwidth;
    double ratio = 1 / (1 + parts[i].excess[x - 1]);
    counts[bandwidth]++;
    ls_sum_add(&sums[bandwidth], ratio);
    curve->largest = fmax(curve->largest, ratio);
  }
  curve->count = 0;
  for (size_t b = 0; b < BANDWIDTHS; b++) {
    if (counts[b] == 0) continue;
    curve->x[curve->count] = (double)b;
    curve->y[curve->count++] = ls_sum_value(&sums[b]) / (double)counts[b];
  }
}

static void report_curves(const struct curve *curves, struct ls_study_report *report) {
  static const char *const names[DRAWN] = {"MI-1 / UMR:1", "MI-2 / UMR:2", "MI-3 / UMR:3",
                                           "MI-4 / UMR:4"};
  struct ls_plot_series series[DRAWN];
  struct ls_bytes svg = {0};
  double largest = 0;
  for (size_t i = 0; i < DRAWN; i++) {
    char name[80];
    double least = 1;
    series[i] = (struct ls_plot_series){.name = names[i],
                                        .x = curves[i].x,
                                        .y = curves[i].y,
                                        .count = curves[i].count,
                                        .has_line = true};
    for (size_t k = 0; k < curves[i].count; k++) least = fmin(least, curves[i].y[k]);
    (void)snprintf(name, sizeof name, "%s, least over B", names[i]);
    ls_study_show(report, name, least);
    largest = fmax(largest, curves[i].largest);
  }
  /* "As expected, MI-x outperforms UMR." */
  ls_study_compare(report, "MI-x over UMR with x rounds, largest of all pairs",
                   ls_study_at_most(LS_STUDY_PRINTED, 1), largest);
  struct ls_plot plot = {.title = "Yang & Casanova 2002, Figure 8: as many rounds, no latencies",
                         .subtitle = "N = 10, 15, .. 50 workers, load 1000; mean over N",
                         .x = {.label = "B, computation / communication ratio (no unit)"},
                         .y = {.label = "makespan of MI-x over UMR with x rounds"},
                         .series = series,
                         .series_count = DRAWN};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "umr-fig8.svg", &svg);
}

static enum ls_status run_figure_8(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct part *parts = NULL;
  struct curve *curves = calloc(DRAWN, sizeof *curves);
  enum ls_status status = curves == NULL ? ls_fail(err, LS_ENOMEM, "no memory for a figure")
                                         : play_pairs(options, &parts, err);
  if (status == LS_OK) {
    ls_study_print(report,
                   "The paper: MI-x outperforms UMR with x rounds, by little (drawn, no numbers). "
                   "With one round UMR is One-Batch, which here is MI-1.\n");
    for (size_t i = 0; i < DRAWN; i++) find_curve(parts, i + 1, &curves[i]);
    report_curves(curves, report);
  }
  free(curves);
  free(parts);
  return status;
}

const struct ls_study ls_study_umr_figure_8 = {
    .name = "umr-fig8",
    .summary = "MI-x over UMR with x rounds against B, no latencies",
    .reference = "yang2002, Figure 8",
    .run = run_figure_8,
};

const struct ls_study ls_study_umr_no_latency = {
    .name = "umr-no-latency",
    .summary = "UMR with x rounds against MI-x, no latencies",
    .reference = "yang2002, section 6.1.2",
    .run = run_no_latency,
};
