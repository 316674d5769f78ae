/* rumr_errors.c: UMR, RUMR and factoring when predictions err: which one wins at which error.
 *
 * The question of Yang and Casanova, 2003 (yang2003rumr), on platforms of the kind of their first
 * paper: what a chunk takes is what is expected, times 1 + error times a normal draw.  UMR's plan
 * is sent as it stands; RUMR and factoring answer requests.  Words: docs/theory/online.md, 9.1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/planning.h"
#include "lab/studies/study.h"
#include "planners/planner.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"
#include "simulate/world.h"

enum { LOAD = 1000, ERRORS = 11, ENTRIES = 3, DRAWS = 10, SIZES = 2, RATES = 3, LATENCIES = 2 };
enum { PLATFORMS = SIZES * RATES * LATENCIES * LATENCIES };
enum { UMR, RUMR, FACTORING };

/* Of a mean over other draws. */
static const double SPREAD = 0.02;

static const char *const names[ENTRIES] = {"umr", "rumr", "fac2"};
static const double sizes[SIZES] = {10, 20}, rates[RATES] = {1.2, 1.6, 2};
static const double latencies[LATENCIES] = {0.1, 0.5};

/* Makespans of one platform at one error, means over the draws. */
struct cell {
  double makespan_s[ENTRIES];
};

static double find_error(size_t index) {
  return 0.05 * (double)index;
}

static enum ls_status open_platform(size_t number, struct ls_platform *platform,
                                    struct ls_error *err) {
  double workers = sizes[number % SIZES], rate = rates[number / SIZES % RATES];
  double send_s = latencies[number / SIZES / RATES % LATENCIES];
  double compute_s = latencies[number / SIZES / RATES / LATENCIES];
  return ls_study_identical(platform, (size_t)workers,
                            (struct ls_cost){send_s, 1 / (rate * workers)},
                            (struct ls_cost){compute_s, 1}, err);
}

static enum ls_status plan_umr(const struct ls_platform *platform, struct ls_plan *plan,
                               struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = LOAD, .is_whole = true};
  enum ls_status status = ls_planner_parse("umr", &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_planner_run(planner, &setup, "umr", plan, err);
  ls_arguments_close(&setup.arguments);
  return status;
}

static enum ls_status play(const struct ls_world_request *request, double *makespan_s,
                           struct ls_error *err) {
  struct ls_world world;
  struct ls_simulated simulated;
  enum ls_status status = ls_world_open(&world, request, err);
  if (status != LS_OK) return status;
  status = ls_simulate(&world.setup, &simulated, NULL, err);
  if (status == LS_OK) *makespan_s = simulated.makespan_s;
  ls_world_close(&world);
  return status;
}

static enum ls_status play_draws(const struct ls_world_request *request, uint64_t seed,
                                 double *mean_s, struct ls_error *err) {
  struct ls_moments moments = {0};
  enum ls_status status = LS_OK;
  for (uint64_t k = 0; k < DRAWS && status == LS_OK; k++) {
    struct ls_world_request one = *request;
    double makespan_s = 0;
    one.seed = seed + k;
    status = play(&one, &makespan_s, err);
    ls_moments_add(&moments, makespan_s);
  }
  *mean_s = moments.mean;
  return status;
}

/* RUMR's costs are those of the platform, in its own parameters. */
static void write_rumr(const struct ls_platform *platform, double error, char *text, size_t bytes) {
  const struct ls_cost *transfer = &platform->workers[0].costs[LS_OPERATION_TRANSFER];
  const struct ls_cost *compute = &platform->workers[0].costs[LS_OPERATION_COMPUTE];
  (void)snprintf(text, bytes,
                 "rumr:error=%.17g,units_per_second=%.17g,transfer_seconds_per_unit=%.17g,"
                 "transfer_latency_seconds=%.17g,compute_latency_seconds=%.17g",
                 error, 1 / compute->per_unit_s, transfer->per_unit_s, transfer->latency_s,
                 compute->latency_s);
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct ls_study_options *options = context;
  struct cell *cell = result;
  struct ls_platform platform;
  struct ls_plan plan;
  char rumr[320];
  double error = find_error(index % ERRORS);
  enum ls_status status = open_platform(index / ERRORS, &platform, err);
  if (status != LS_OK) return status;
  write_rumr(&platform, error, rumr, sizeof rumr);
  struct ls_world_request request = {
      .platform = &platform, .units = LOAD, .has_seed = true, .error = error};
  const char *const policies[ENTRIES] = {NULL, rumr, "fac2"};
  status = plan_umr(&platform, &plan, err);
  for (size_t k = 0; k < ENTRIES && status == LS_OK; k++) {
    request.policy = policies[k];
    request.plan = k == UMR ? &plan : NULL;
    status = play_draws(&request, options->seed, &cell->makespan_s[k], err);
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return status;
}

/* By error: means over the platforms of makespans over UMR's, and how many each wins. */
struct summary {
  double ratio[ENTRIES][ERRORS], wins[ENTRIES][ERRORS];
};

static void sum_up(const struct cell *cells, struct summary *summary) {
  *summary = (struct summary){0};
  for (size_t i = 0; i < (size_t)PLATFORMS * ERRORS; i++) {
    const double *makespan_s = cells[i].makespan_s;
    size_t best = 0;
    for (size_t k = 0; k < ENTRIES; k++) {
      summary->ratio[k][i % ERRORS] += makespan_s[k] / makespan_s[UMR] / PLATFORMS;
      if (makespan_s[k] < makespan_s[best]) best = k;
    }
    summary->wins[best][i % ERRORS]++;
  }
}

static void print(const struct summary *summary, struct ls_study_report *report) {
  ls_study_print(report, "%6s %21s   %s\n%6s", "", "makespan over UMR's", "platforms won", "error");
  for (size_t k = 0; k < 2 * (size_t)ENTRIES; k++)
    ls_study_print(report, " %8s", names[k % ENTRIES]);
  ls_study_print(report, "\n");
  for (size_t i = 0; i < ERRORS; i++) {
    ls_study_print(report, "%6g", find_error(i));
    for (size_t k = 0; k < ENTRIES; k++) ls_study_print(report, " %8.4f", summary->ratio[k][i]);
    for (size_t k = 0; k < ENTRIES; k++) ls_study_print(report, " %8g", summary->wins[k][i]);
    ls_study_print(report, "\n");
  }
}

static void draw(const struct summary *summary, struct ls_study_report *report) {
  double errors[ERRORS];
  struct ls_bytes svg = {0};
  struct ls_plot_series series[ENTRIES];
  for (size_t i = 0; i < ERRORS; i++) errors[i] = find_error(i);
  for (size_t k = 0; k < ENTRIES; k++)
    series[k] = (struct ls_plot_series){names[k], errors, summary->ratio[k], ERRORS, true, true};
  const struct ls_plot plot = {
      .title = "UMR, RUMR and factoring when predictions err",
      .subtitle = "docs/theory/online.md, 9.1: means over 24 platforms, 10 draws each",
      .x = {.label = "deviation of a chunk's time, relative", .has_zero = true},
      .y = {.label = "makespan over UMR's"},
      .series = series,
      .series_count = ENTRIES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "rumr-errors.svg", &svg);
}

/* The table of docs/theory/online.md, 9.1: at errors of 0, 0.1, ... 0.5. */
static void judge(const struct summary *summary, struct ls_study_report *report) {
  static const double rumr[] = {1.090, 1.010, 0.945, 0.896, 0.845, 0.800};
  static const double factoring[] = {1.212, 1.128, 1.042, 0.968, 0.907, 0.856};
  double never = 0;
  for (size_t i = 0; i < sizeof rumr / sizeof *rumr; i++) {
    char name[64];
    (void)snprintf(name, sizeof name, "error %g: RUMR over UMR", find_error(2 * i));
    ls_study_compare(report, name, ls_study_near(LS_STUDY_SPECIFIED, rumr[i], SPREAD),
                     summary->ratio[RUMR][2 * i]);
    (void)snprintf(name, sizeof name, "error %g: factoring over UMR", find_error(2 * i));
    ls_study_compare(report, name, ls_study_near(LS_STUDY_SPECIFIED, factoring[i], SPREAD),
                     summary->ratio[FACTORING][2 * i]);
  }
  for (size_t i = 0; i < ERRORS; i++) never += summary->wins[FACTORING][i];
  ls_study_compare(report, "no error: platforms won by UMR",
                   ls_study_near(LS_STUDY_SPECIFIED, PLATFORMS, 0), summary->wins[UMR][0]);
  ls_study_compare(report, "error 0.5: platforms won by RUMR",
                   ls_study_near(LS_STUDY_SPECIFIED, PLATFORMS, 0),
                   summary->wins[RUMR][ERRORS - 1]);
  ls_study_compare(report, "any error: platforms won by factoring",
                   ls_study_near(LS_STUDY_SPECIFIED, 0, 0), never);
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  size_t count = (size_t)PLATFORMS * ERRORS;
  struct ls_study_options copy = *options;
  struct summary summary;
  struct cell *cells = calloc(count, sizeof *cells);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *cells,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &copy};
  if (cells == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu cells", count);
  if (options->sample > 0) ls_study_print(report, "Only 264 cells: all are played.\n");
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status == LS_OK) {
    sum_up(cells, &summary);
    print(&summary, report);
    judge(&summary, report);
    draw(&summary, report);
  }
  free(cells);
  return status;
}

const struct ls_study ls_study_rumr_errors = {
    .name = "rumr-errors",
    .summary = "UMR, RUMR and factoring when predictions err: which one wins at which error",
    .reference = "docs/theory/online.md, 9.1 (the question of yang2003rumr)",
    .run = run,
};
