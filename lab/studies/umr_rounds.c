/* umr_rounds.c: Figures 9 and 10 of the UMR paper: the number of rounds that UMR chooses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/studies/planning.h"
#include "lab/studies/study.h"
#include "report/plot.h"

enum { WORKERS = 10, LOAD = 1000 };

struct latencies {
  double compute_s, network_s;
};

static enum ls_status play_umr(double bandwidth, const struct latencies *latencies,
                               struct ls_study_plan *plan, struct ls_error *err) {
  struct ls_platform platform;
  enum ls_status status =
      ls_study_identical(&platform, WORKERS, (struct ls_cost){latencies->network_s, 1 / bandwidth},
                         (struct ls_cost){latencies->compute_s, 1}, err);
  if (status != LS_OK) return status;
  status = ls_study_plan(&platform, LOAD, "umr", plan, err);
  ls_platform_close(&platform);
  return status;
}

/* ---- Figure 9: against both latencies ---- */

enum { STEPS = 20 };

/* Over the latencies from some step on. */
struct range {
  double rounds_least, rounds_most, makespan_least_s, makespan_most_s;
};

static struct range find_range(struct ls_study_plan plans[STEPS][STEPS], size_t from) {
  struct range range = {(double)INFINITY, 0, (double)INFINITY, 0};
  for (size_t i = from; i < STEPS; i++) {
    for (size_t j = from; j < STEPS; j++) {
      range.rounds_least = fmin(range.rounds_least, plans[i][j].rounds);
      range.rounds_most = fmax(range.rounds_most, plans[i][j].rounds);
      range.makespan_least_s = fmin(range.makespan_least_s, plans[i][j].makespan_s);
      range.makespan_most_s = fmax(range.makespan_most_s, plans[i][j].makespan_s);
    }
  }
  return range;
}

/* How many of the 400 cases have 7, 8, .. 13 rounds, by an independent search for the least Eq. 17:
 * the ends of a range hardly move when the rounding of M* is wrong, these do. */
enum { ROUNDS_LEAST = 7, ROUNDS_MOST = 13 };
static const size_t cases_by_rounds[] = {38, 164, 92, 51, 27, 17, 11};

static void compare_counts(struct ls_study_plan plans[STEPS][STEPS],
                           struct ls_study_report *report) {
  for (uint32_t rounds = ROUNDS_LEAST; rounds <= ROUNDS_MOST; rounds++) {
    char name[64];
    size_t count = 0;
    for (size_t i = 0; i < STEPS * STEPS; i++)
      count += plans[i / STEPS][i % STEPS].rounds == rounds;
    (void)snprintf(name, sizeof name, "cases with %u rounds", (unsigned)rounds);
    ls_study_compare(
        report, name,
        ls_study_near(LS_STUDY_RECOMPUTED, (double)cases_by_rounds[rounds - ROUNDS_LEAST], 0),
        (double)count);
  }
}

/* "M* decreases when either latency increases", and cLat has the bigger impact. */
static void compare_slopes(struct ls_study_plan plans[STEPS][STEPS],
                           struct ls_study_report *report) {
  double by_compute = 0, by_network = 0;
  bool never_rises = true;
  for (size_t i = 0; i < STEPS; i++) {
    by_compute += (double)plans[0][i].rounds - (double)plans[STEPS - 1][i].rounds;
    by_network += (double)plans[i][0].rounds - (double)plans[i][STEPS - 1].rounds;
    for (size_t j = 1; j < STEPS; j++) {
      never_rises &= plans[i][j].rounds <= plans[i][j - 1].rounds;
      never_rises &= plans[j][i].rounds <= plans[j - 1][i].rounds;
    }
  }
  ls_study_compare(report, "M never rises with a latency (1: yes)",
                   ls_study_near(LS_STUDY_PRINTED, 1, 0), never_rises);
  ls_study_show(report, "fewer rounds as cLat grows, mean", by_compute / STEPS);
  ls_study_show(report, "fewer rounds as nLat grows, mean", by_network / STEPS);
  ls_study_compare(report, "cLat has the bigger impact (1: yes)",
                   ls_study_near(LS_STUDY_PRINTED, 1, 0), by_compute > by_network);
}

static void compare_ranges(struct ls_study_plan plans[STEPS][STEPS],
                           struct ls_study_report *report) {
  static const char UNKNOWN_STEP[] =
      "the paper names no step: least latencies of 0.02 s give the lower end, the upper one is "
      "rounded up";
  struct range all = find_range(plans, 0), inner = find_range(plans, 1);
  const struct {
    const char *name;
    struct ls_study_expected expected;
    double ours;
  } rows[] = {
      {"rounds, least", ls_study_near(LS_STUDY_PRINTED, 7, 0), all.rounds_least},
      {"rounds, most", ls_study_near(LS_STUDY_PRINTED, 13, 0), all.rounds_most},
      {"makespan, least, s", ls_study_unjudged(LS_STUDY_PRINTED, 100.5, UNKNOWN_STEP),
       all.makespan_least_s},
      {"makespan, most, s", ls_study_unjudged(LS_STUDY_PRINTED, 104.5, UNKNOWN_STEP),
       all.makespan_most_s},
      {"makespan, least, s", ls_study_near(LS_STUDY_RECOMPUTED, 100.28, 0.005),
       all.makespan_least_s},
      {"makespan, most, s", ls_study_near(LS_STUDY_RECOMPUTED, 104.31, 0.005), all.makespan_most_s},
      {"from 0.02 s on: rounds, least", ls_study_near(LS_STUDY_RECOMPUTED, 7, 0),
       inner.rounds_least},
      {"from 0.02 s on: rounds, most", ls_study_near(LS_STUDY_RECOMPUTED, 12, 0),
       inner.rounds_most},
      {"from 0.02 s on: makespan, least, s", ls_study_near(LS_STUDY_PRINTED, 100.5, 0.05),
       inner.makespan_least_s},
      {"from 0.02 s on: makespan, least, s", ls_study_near(LS_STUDY_RECOMPUTED, 100.53, 0.005),
       inner.makespan_least_s},
  };
  ls_study_print(report,
                 "The paper varies both latencies between 0 and 0.2 s and names no step; here "
                 "0.01 .. 0.20.\nWith cLat = 0 UMR would take up to 50 rounds, so the figure must "
                 "leave it out.\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ls_study_compare(report, rows[i].name, rows[i].expected, rows[i].ours);
  compare_counts(plans, report);
  compare_slopes(plans, report);
}

static void draw_figure_9(struct ls_study_plan plans[STEPS][STEPS],
                          struct ls_study_report *report) {
  static const size_t shown[] = {0, 4, 9, 14, 19};
  enum { LINES = sizeof shown / sizeof *shown };
  double x[STEPS], y[LINES][STEPS];
  char names[LINES][24];
  struct ls_plot_series series[LINES];
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < STEPS; i++) x[i] = (double)(i + 1) / 100;
  for (size_t k = 0; k < LINES; k++) {
    for (size_t i = 0; i < STEPS; i++) y[k][i] = plans[i][shown[k]].rounds;
    (void)snprintf(names[k], sizeof names[k], "nLat = %.2f s", (double)(shown[k] + 1) / 100);
    series[k] = (struct ls_plot_series){
        .name = names[k], .x = x, .y = y[k], .count = STEPS, .has_line = true, .has_points = true};
  }
  struct ls_plot plot = {.title = "Yang & Casanova 2002, Figure 9: UMR's rounds, by latencies",
                         .subtitle = "N = 10, B = 17 units/s, load 1000",
                         .x = {.label = "computation latency cLat, s"},
                         .y = {.label = "rounds M (a number)"},
                         .series = series,
                         .series_count = LINES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "umr-fig9.svg", &svg);
}

static enum ls_status run_figure_9(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  if (options->sample > 0) ls_study_print(report, "Only 400 plans: all are made.\n");
  struct ls_study_plan plans[STEPS][STEPS]; /* by cLat, nLat */
  for (size_t i = 0; i < STEPS; i++) {
    for (size_t j = 0; j < STEPS; j++) {
      struct latencies latencies = {(double)(i + 1) / 100, (double)(j + 1) / 100};
      enum ls_status status = play_umr(17, &latencies, &plans[i][j], err);
      if (status != LS_OK) return status;
    }
  }
  compare_ranges(plans, report);
  draw_figure_9(plans, report);
  return LS_OK;
}

/* ---- Figure 10: against the bandwidth ---- */

enum { BANDWIDTHS = 14, SUBPLOTS = 4 };

/* The caption's latencies; first and last value and the largest between from an independent
 * computation (the figure prints none); the shapes are the paper's words. */
static const struct subplot {
  struct latencies latencies;
  const char *says;
  bool rises, falls; /* first rises, then falls */
  double first, most, last;
} subplots[SUBPLOTS] = {
    {{0.00, 0.30}, "rises", true, false, 3, 26, 26},
    {{0.49, 0.49}, "rises, then falls", true, true, 2, 6, 3},
    {{0.97, 0.01}, "falls", false, true, 8, 8, 3},
    {{0.97, 0.97}, "rises, then falls", true, true, 1, 4, 2},
};

/* Up to the largest value never down, from there on never up; and somewhere up, somewhere down, as
 * the shape wants. */
static bool has_shape(const double *rounds, const struct subplot *subplot) {
  size_t top = 0;
  bool is_smooth = true;
  for (size_t i = 1; i < BANDWIDTHS; i++) {
    if (rounds[i] > rounds[top]) top = i;
  }
  for (size_t i = 1; i < BANDWIDTHS; i++) {
    bool may_rise = i <= top;
    if (may_rise ? rounds[i] < rounds[i - 1] : rounds[i] > rounds[i - 1]) is_smooth = false;
  }
  bool rises = rounds[top] > rounds[0], falls = rounds[BANDWIDTHS - 1] < rounds[top];
  return is_smooth && rises == subplot->rises && falls == subplot->falls;
}

static void compare_subplot(size_t index, const double *rounds, struct ls_study_report *report) {
  const struct subplot *subplot = &subplots[index];
  char name[80];
  double most = 0;
  ls_study_print(report, "#%zu cLat %.2f nLat %.2f:", index + 1, subplot->latencies.compute_s,
                 subplot->latencies.network_s);
  for (size_t i = 0; i < BANDWIDTHS; i++) {
    ls_study_print(report, " %g", rounds[i]);
    most = fmax(most, rounds[i]);
  }
  ls_study_print(report, "\n");
  (void)snprintf(name, sizeof name, "#%zu %s (1: yes)", index + 1, subplot->says);
  ls_study_compare(report, name, ls_study_near(LS_STUDY_PRINTED, 1, 0), has_shape(rounds, subplot));
  (void)snprintf(name, sizeof name, "#%zu rounds at B = 11", index + 1);
  ls_study_compare(report, name, ls_study_near(LS_STUDY_RECOMPUTED, subplot->first, 0), rounds[0]);
  (void)snprintf(name, sizeof name, "#%zu rounds, most", index + 1);
  ls_study_compare(report, name, ls_study_near(LS_STUDY_RECOMPUTED, subplot->most, 0), most);
  (void)snprintf(name, sizeof name, "#%zu rounds at B = 50", index + 1);
  ls_study_compare(report, name, ls_study_near(LS_STUDY_RECOMPUTED, subplot->last, 0),
                   rounds[BANDWIDTHS - 1]);
}

static void draw_figure_10(const double *x, double y[SUBPLOTS][BANDWIDTHS],
                           struct ls_study_report *report) {
  char names[SUBPLOTS][32];
  struct ls_plot_series series[SUBPLOTS];
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < SUBPLOTS; i++) {
    (void)snprintf(names[i], sizeof names[i], "#%zu (%.2f, %.2f)", i + 1,
                   subplots[i].latencies.compute_s, subplots[i].latencies.network_s);
    series[i] = (struct ls_plot_series){.name = names[i],
                                        .x = x,
                                        .y = y[i],
                                        .count = BANDWIDTHS,
                                        .has_line = true,
                                        .has_points = true};
  }
  struct ls_plot plot = {.title = "Yang & Casanova 2002, Figure 10: UMR's rounds, by B",
                         .subtitle = "N = 10, load 1000; subplots #1 to #4 with (cLat, nLat) in s",
                         .x = {.label = "B, computation / communication ratio (no unit)"},
                         .y = {.label = "rounds M (a number)", .has_zero = true},
                         .series = series,
                         .series_count = SUBPLOTS};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "umr-fig10.svg", &svg);
}

static enum ls_status run_figure_10(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  if (options->sample > 0) ls_study_print(report, "Only 56 plans: all are made.\n");
  double x[BANDWIDTHS], y[SUBPLOTS][BANDWIDTHS];
  for (size_t j = 0; j < BANDWIDTHS; j++) x[j] = 11 + 3 * (double)j;
  ls_study_print(report,
                 "Rounds for B = 11, 14, .. 50.  The figure prints no values: the shapes are the "
                 "paper's words.\n");
  for (size_t i = 0; i < SUBPLOTS; i++) {
    for (size_t j = 0; j < BANDWIDTHS; j++) {
      struct ls_study_plan plan;
      enum ls_status status = play_umr(x[j], &subplots[i].latencies, &plan, err);
      if (status != LS_OK) return status;
      y[i][j] = plan.rounds;
    }
    compare_subplot(i, y[i], report);
  }
  draw_figure_10(x, y, report);
  return LS_OK;
}

const struct ls_study ls_study_umr_figure_9 = {
    .name = "umr-fig9",
    .summary = "UMR's rounds against both latencies",
    .reference = "yang2002, Figure 9",
    .run = run_figure_9,
};

const struct ls_study ls_study_umr_figure_10 = {
    .name = "umr-fig10",
    .summary = "UMR's rounds against B",
    .reference = "yang2002, Figure 10",
    .run = run_figure_10,
};
