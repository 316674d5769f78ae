/* scow_examples.c: the two worked examples of the thesis on periodic schedules.
 *
 * Source: delatorre2009, chapter 4.  The laws of their three workers are recovered from what is
 * printed: docs/theory/scow.md, 10.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/study.h"
#include "planners/scow/scow_production.h"
#include "planners/scow/scow_utilization.h"

enum { WORKERS = 3 };

/* h = 1.6 x + 1, 1.7 x + 1, 1.9 x + 1; c = 3 x + 2, 4 x + 2, 2 x + 1. */
static enum ls_status open_star(double last_latency_s, struct ls_platform *platform,
                                struct ls_scow_star *star, struct ls_error *err) {
  static const double send[] = {1.6, 1.7, 1.9}, compute[] = {3, 4, 2};
  enum ls_status status = ls_platform_init(platform, WORKERS, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < WORKERS; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, send[i]};
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){i < 2 ? 2 : last_latency_s, compute[i]};
  }
  struct ls_planner_setup setup = {.platform = platform, .load = 1};
  status = ls_scow_star_open(star, &setup, NULL, err);
  if (status != LS_OK) ls_platform_close(platform);
  return status;
}

/* Example 1: the most units in periods of 7, 9 and 27 s, and what they leave of the network. */
static enum ls_status compare_production(struct ls_study_report *report, struct ls_error *err) {
  static const struct { double period_s, total; } printed[] = {{7, 3}, {9, 4.0833}, {27, 14.6053}};
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[WORKERS];
  enum ls_status status = open_star(1, &platform, &star, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < sizeof printed / sizeof *printed && status == LS_OK; i++) {
    struct ls_budget budget = {0};
    char name[64];
    status = ls_scow_produce_exactly(&star, printed[i].period_s, &budget, units, err);
    if (status != LS_OK) break;
    struct ls_scow_load load = ls_scow_load_of(star.items, star.count, units);
    (void)snprintf(name, sizeof name, "example 1: units in %g s", printed[i].period_s);
    ls_study_compare(report, name, ls_study_near(LS_STUDY_PRINTED, printed[i].total, 1e-4),
                     load.units);
    if (i > 0) continue;
    ls_study_compare(report, "example 1: units of worker 3 in 7 s, which works alone",
                     ls_study_near(LS_STUDY_PRINTED, 3, 1e-9), units[2]);
  }
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
  return status;
}

/* Example 2: no latency of the third worker. */
static enum ls_status compare_utilization(struct ls_study_report *report, struct ls_error *err) {
  static const char TEN_TIMES[] = "the printed number is ten times too small";
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_budget budget = {0};
  double units[WORKERS];
  struct ls_scow_utilization found = {.units = units};
  enum ls_status status = open_star(0, &platform, &star, err);
  if (status != LS_OK) return status;
  status = ls_scow_utilize(&star, 28, &budget, &found, err);
  if (status == LS_OK) {
    ls_study_compare(report, "example 2: units of worker 3 in 28 s",
                     ls_study_near(LS_STUDY_PRINTED, 14, 1e-6), units[2]);
    ls_study_compare(report, "example 2: units of the others in 28 s",
                     ls_study_near(LS_STUDY_PRINTED, 0, 1e-6), units[0] + units[1]);
    ls_study_compare(report, "example 2: utilization",
                     ls_study_near(LS_STUDY_PRINTED, 1.9857, 1e-4), found.value);
    ls_study_compare(report, "example 2: idle, s", ls_study_near(LS_STUDY_SPECIFIED, 0.4, 1e-6),
                     (2 - found.value) * 28);
    ls_study_compare(report, "example 2: idle, s",
                     ls_study_unjudged(LS_STUDY_PRINTED, 0.04, TEN_TIMES), (2 - found.value) * 28);
  }
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
  return status;
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  if (options->sample > 0) ls_study_print(report, "Two examples: both are computed.\n");
  enum ls_status status = compare_production(report, err);
  return status == LS_OK ? compare_utilization(report, err) : status;
}

const struct ls_study ls_study_scow_examples = {
    .name = "scow-examples",
    .summary = "two periods of three workers: the most units, the best use",
    .reference = "delatorre2009, chapter 4",
    .run = run,
};
