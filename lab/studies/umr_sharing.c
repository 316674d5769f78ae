/* umr_sharing.c: section 6.4 and Figure 12 of the UMR paper: when several transfers at once help.
 *
 * k transfers at once run at B/k^alpha each.  One round sent to all workers at once ends at
 * nLat + (W/B) N^(alpha-1) + cLat + W/(S N); the curve is the alpha at which that is UMR's
 * makespan.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/studies/planning.h"
#include "lab/studies/study.h"
#include "report/plot.h"

enum { WORKERS = 50, LOAD = 1000, POINTS = 14, STEP = 3, DRAWN = (POINTS - 1) * STEP * 5 + 1 };
static const double COMPUTE_LATENCY_S = 0.99, NETWORK_LATENCY_S = 0.09;

/* The figure prints no numbers; these are from an independent computation. */
static const struct point {
  double bandwidth, alpha;
} recomputed[POINTS] = {{55, .917},  {70, .924},  {85, .853},  {100, .855}, {115, .864},
                        {130, .878}, {145, .894}, {160, .909}, {175, .924}, {190, .938},
                        {205, .951}, {220, .964}, {235, .977}, {250, .989}};

static enum ls_status open_platform(double bandwidth, struct ls_platform *platform,
                                    struct ls_error *err) {
  return ls_study_identical(platform, WORKERS, (struct ls_cost){NETWORK_LATENCY_S, 1 / bandwidth},
                            (struct ls_cost){COMPUTE_LATENCY_S, 1}, err);
}

/* The alpha at which both strategies take as long, and UMR's plan. */
static enum ls_status find_alpha(double bandwidth, struct ls_study_plan *umr, double *alpha,
                                 struct ls_error *err) {
  struct ls_platform platform;
  enum ls_status status = open_platform(bandwidth, &platform, err);
  if (status != LS_OK) return status;
  status = ls_study_plan(&platform, LOAD, "umr", umr, err);
  ls_platform_close(&platform);
  if (status != LS_OK) return status;
  double transfer_s =
      umr->makespan_s - NETWORK_LATENCY_S - COMPUTE_LATENCY_S - (double)LOAD / (double)WORKERS;
  *alpha = 1 + log(transfer_s * bandwidth / LOAD) / log(WORKERS);
  return LS_OK;
}

/* The time of the parallel round in the replay with shared bandwidth. */
static enum ls_status play_parallel(double bandwidth, double alpha, double *makespan_s,
                                    struct ls_error *err) {
  struct ls_platform platform;
  struct ls_study_plan plan;
  enum ls_status status = open_platform(bandwidth, &platform, err);
  if (status != LS_OK) return status;
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = alpha;
  status = ls_study_plan(&platform, LOAD, "one-round-parallel", &plan, err);
  if (status == LS_OK) *makespan_s = plan.makespan_s;
  ls_platform_close(&platform);
  return status;
}

static enum ls_status compare_points(struct ls_study_report *report, struct ls_error *err) {
  double largest = 0;
  ls_study_print(report, "The figure prints no numbers.\n%6s %7s %9s %12s %14s\n", "B", "rounds",
                 "alpha", "UMR, s", "all at once, s");
  for (size_t i = 0; i < POINTS; i++) {
    struct ls_study_plan umr;
    double alpha, parallel_s = 0, bandwidth = recomputed[i].bandwidth;
    char name[64];
    enum ls_status status = find_alpha(bandwidth, &umr, &alpha, err);
    if (status == LS_OK) status = play_parallel(bandwidth, alpha, &parallel_s, err);
    if (status != LS_OK) return status;
    ls_study_print(report, "%6g %7u %9.4f %12.6f %14.6f\n", bandwidth, (unsigned)umr.rounds, alpha,
                   umr.makespan_s, parallel_s);
    largest = fmax(largest, fabs(parallel_s / umr.makespan_s - 1));
    (void)snprintf(name, sizeof name, "alpha at B = %g", bandwidth);
    ls_study_compare(report, name, ls_study_near(LS_STUDY_RECOMPUTED, recomputed[i].alpha, 0.001),
                     alpha);
  }
  /* The replay of shared bandwidth must agree with the paper's formula where they meet. */
  ls_study_compare(report, "replay of the parallel round against its formula",
                   ls_study_near(LS_STUDY_RECOMPUTED, 0, 1e-9), largest);
  return LS_OK;
}

static enum ls_status draw_curve(struct ls_study_report *report, struct ls_error *err) {
  double x[DRAWN], y[DRAWN], least = 1;
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < DRAWN; i++) {
    struct ls_study_plan umr;
    x[i] = 55 + (double)i;
    enum ls_status status = find_alpha(x[i], &umr, &y[i], err);
    if (status != LS_OK) return status;
    least = fmin(least, y[i]);
  }
  /* "alpha values under 0.80 for many wide-area networks": there one round wins. */
  ls_study_compare(report, "least alpha of the curve", ls_study_at_least(LS_STUDY_PRINTED, 0.8),
                   least);
  struct ls_plot_series series = {
      .name = "UMR as long as one round", .x = x, .y = y, .count = DRAWN, .has_line = true};
  struct ls_plot plot = {.title = "Yang & Casanova 2002, Figure 12: above the curve UMR is shorter",
                         .subtitle =
                             "N = 50, load 1000, cLat = 0.99 s, nLat = 0.09 s; k transfers "
                             "at once run at B / k^alpha each",
                         .x = {.label = "bandwidth B, units/s"},
                         .y = {.label = "alpha (no unit)"},
                         .series = &series,
                         .series_count = 1};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "umr-fig12.svg", &svg);
  return LS_OK;
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  if (options->sample > 0) ls_study_print(report, "Only %d plans: all are made.\n", DRAWN);
  enum ls_status status = compare_points(report, err);
  return status == LS_OK ? draw_curve(report, err) : status;
}

const struct ls_study ls_study_umr_figure_12 = {
    .name = "umr-fig12",
    .summary = "bandwidth sharing at which one parallel round is as good as UMR",
    .reference = "yang2002, Figure 12",
    .run = run,
};
