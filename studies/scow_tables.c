/* scow_tables.c: Tables 6-2 to 6-4 of the thesis on periodic schedules.
 *
 * Source: delatorre2009, section 6.1 and 6.2, whose numbers are truncated to 3 digits; what of them
 * comes out again, and what cannot: docs/theory/scow.md, 10.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planners/planner.h"
#include "solve/linear.h"
#include "studies/study.h"

enum { ROWS = 6, WORKERS = 60, LOAD = 1000 };
/* Numbers are truncated, some rounded. */
static const double DIGIT = 1e-3;

/* A column is 0 where the table has none, or is not legible. */
static const struct row {
  double bandwidth;
  double mp_s, mp_workers, mp_used;    /* SCOW-MP: makespan, workers, their utilization */
  double pwu_s, pwu_workers, pwu_used; /* SCOW-PWU */
  double umr2_mp_s, umr2_mp_workers;   /* UMR2 beside SCOW-MP */
  double umr2_pwu_s;                   /* with the workers of SCOW-PWU */
  double umr_s, umr_workers;           /* UMR */
  double periodic_s, periodic_used;    /* PERIODIC */
  double late_mp_s, late_pwu_s;        /* Table 6-4: UMR2, its last round redistributed */
} rows[ROWS] = {
    {11, 99.058, 11, 0.962, 102.685, 10, 1, 99.181, 11, 0, 0, 0, 99.198, 0.951, 98.688, 0},
    {22, 53.427, 21, 0.971, 55.176, 19, 1, 0, 20, 56.946, 57.567, 18, 53.613, 0.905, 0, 0},
    {33, 38.236, 30, 0.986, 38.248, 29, 0.999, 39.668, 30, 40.144, 40.795, 25, 38.795, 0.8457,
     38.841, 39.385},
    {12, 91.453, 12, 0.958, 93.670, 11, 1, 91.591, 12, 0, 93.633, 11, 91.535, 0.948, 91.202, 0},
    {23, 51.434, 22, 0.961, 51.477, 21, 0.998, 52.411, 22, 53.314, 53.189, 20, 51.739, 0.888,
     51.772, 52.699},
    {34, 37.321, 31, 0.977, 37.345, 30, 0.987, 38.705, 31, 39.143, 40.483, 26, 37.495, 0.846,
     37.991, 38.519}};

/* Table 6-1. */
static enum ls_status open_platform(double bandwidth, struct ls_platform *platform,
                                    struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, WORKERS, err);
  for (size_t i = 0; i < WORKERS && status == LS_OK; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.03, 1 / bandwidth};
    costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.003, 0.1};
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.027, 0.9};
  }
  return status;
}

/* What a plan reaches. */
struct result {
  double makespan_s, predicted_s, used, network, workers;
};

/* The plan is the caller's when `kept` is not NULL. */
static enum ls_status play(const struct ls_platform *platform, const char *algorithm,
                           struct result *result, struct ls_plan *kept, struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = LOAD};
  struct ls_plan plan;
  double units[WORKERS];
  enum ls_status status = ls_planner_parse(algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_planner_run(planner, &setup, algorithm, &plan, err);
  if (status == LS_OK && plan.outcome != LS_PLAN_OK)
    status = ls_fail(err, LS_EINVAL, "%s does not apply: %s", algorithm, plan.why);
  ls_arguments_close(&setup.arguments);
  if (status == LS_OK) {
    ls_plan_units(&plan, WORKERS, units);
    *result = (struct result){.makespan_s = plan.makespan_s,
                              .predicted_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN),
                              .used = ls_plan_get(&plan, "worker_utilization", (double)NAN),
                              .network = ls_plan_get(&plan, "network_utilization", (double)NAN)};
    for (size_t i = 0; i < WORKERS; i++) result->workers += units[i] > 0;
  }
  if (status == LS_OK && kept != NULL)
    *kept = plan;
  else
    ls_plan_close(&plan);
  return status;
}

static void compare(struct ls_study_report *report, const struct row *row, const char *what,
                    struct ls_study_expected expected, double ours) {
  char name[80];
  (void)snprintf(name, sizeof name, "B = %g: %s", row->bandwidth, what);
  ls_study_compare(report, name, expected, ours);
}

/* ---- Table 6-2 ---- */

static struct ls_study_expected printed(double value, double tolerance) {
  return ls_study_near(LS_STUDY_PRINTED, value, tolerance);
}

static enum ls_status compare_scow(const struct row *row, const struct ls_platform *platform,
                                   struct ls_study_report *report, struct ls_error *err) {
  char text[64];
  struct result mp, pwu;
  /* B = 33: the corrected number of auxiliary workers is 15, where 38.236 belongs to 14. */
  bool is_corrected = fabs(row->bandwidth - 33) < 0.5;
  struct ls_study_expected expected =
      is_corrected ? ls_study_near(LS_STUDY_SPECIFIED, 38.2376, 1e-4) : printed(row->mp_s, DIGIT);
  enum ls_status status = play(platform, "scow-mp:search=published", &mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  if (status == LS_OK) status = play(platform, text, &pwu, NULL, err);
  if (status != LS_OK) return status;
  compare(report, row, "SCOW-MP, s", expected, mp.predicted_s);
  compare(report, row, "SCOW-MP, workers", printed(row->mp_workers, 0), mp.workers);
  compare(report, row, "SCOW-MP, use of workers", printed(row->mp_used, DIGIT), mp.used);
  compare(report, row, "SCOW-PWU, s", printed(row->pwu_s, DIGIT), pwu.predicted_s);
  compare(report, row, "SCOW-PWU, use of workers", printed(row->pwu_used, DIGIT), pwu.used);
  return LS_OK;
}

static enum ls_status compare_umr2(const struct row *row, const struct ls_platform *platform,
                                   struct ls_study_report *report, struct ls_error *err) {
  char text[32];
  struct result result;
  enum ls_status status = LS_OK;
  if (row->umr2_mp_s > 0) {
    (void)snprintf(text, sizeof text, "umr2:%.0f", row->umr2_mp_workers);
    status = play(platform, text, &result, NULL, err);
    if (status != LS_OK) return status;
    compare(report, row, "UMR2, workers of SCOW-MP, s", printed(row->umr2_mp_s, DIGIT),
            result.makespan_s);
  }
  if (row->umr2_pwu_s > 0) {
    (void)snprintf(text, sizeof text, "umr2:%.0f", row->pwu_workers);
    status = play(platform, text, &result, NULL, err);
    if (status != LS_OK) return status;
    compare(report, row, "UMR2, workers of SCOW-PWU, s", printed(row->umr2_pwu_s, DIGIT),
            result.makespan_s);
  }
  return status;
}

/* W/(N S) + M cLat + (N + 1)/2 (nLat + c_0/B); INFINITY: the first chunk is not positive. */
static double predict_umr(double bandwidth, double workers, double rounds) {
  double theta = bandwidth / workers;
  double alpha = bandwidth * (workers * 0.03 - 0.03) / (bandwidth - workers);
  double first = alpha + (1 - theta) * (LOAD - workers * rounds * alpha) /
                             (workers * (1 - pow(theta, rounds)));
  if (!(first > 0)) return (double)INFINITY;
  return LOAD / workers + rounds * 0.03 + (workers + 1) / 2 * (0.03 + first / bandwidth);
}

/* The least over M, which the theory finds as a real number. */
static double find_umr(double bandwidth, double workers) {
  double best = 1;
  for (double rounds = 2; rounds <= 100; rounds++)
    if (predict_umr(bandwidth, workers, rounds) < predict_umr(bandwidth, workers, best))
      best = rounds;
  double from = fmax(1, best - 1), to = best + 1;
  while (to - from > 1e-9) {
    double third = (to - from) / 3;
    if (predict_umr(bandwidth, workers, from + third) < predict_umr(bandwidth, workers, to - third))
      to -= third;
    else
      from += third;
  }
  return predict_umr(bandwidth, workers, (from + to) / 2);
}

static void compare_umr(const struct row *row, struct ls_study_report *report) {
  static const char NO_FORMULA[] =
      "no formula of UMR gives this number with these workers (docs/theory/scow.md, 10)";
  bool is_judged = fabs(row->bandwidth - 22) < 0.5 || fabs(row->bandwidth - 34) < 0.5;
  if (!(row->umr_s > 0)) return;
  compare(report, row, "UMR by formula, s",
          is_judged ? printed(row->umr_s, 2 * DIGIT)
                    : ls_study_unjudged(LS_STUDY_PRINTED, row->umr_s, NO_FORMULA),
          find_umr(row->bandwidth, row->umr_workers));
}

static const char NOT_PERIODIC[] =
    "the printed rule drops 1/rho and the workers' latencies, and its column is a plan that the "
    "thesis does not describe";

static enum ls_status compare_periodic(const struct row *row, const struct ls_platform *platform,
                                       struct ls_study_report *report, struct ls_error *err) {
  char text[32];
  struct result result;
  (void)snprintf(text, sizeof text, "periodic:%.0f", row->bandwidth);
  enum ls_status status = play(platform, text, &result, NULL, err);
  if (status != LS_OK) return status;
  compare(report, row, "PERIODIC, s",
          ls_study_unjudged(LS_STUDY_PRINTED, row->periodic_s, NOT_PERIODIC), result.makespan_s);
  return LS_OK;
}

static enum ls_status run_table_2(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(report, "The thesis truncates to 3 digits; its makespans are predictions.\n");
  for (size_t i = 0; i < ROWS && status == LS_OK; i++) {
    struct ls_platform platform;
    status = open_platform(rows[i].bandwidth, &platform, err);
    if (status != LS_OK) return status;
    status = compare_scow(&rows[i], &platform, report, err);
    if (status == LS_OK) status = compare_umr2(&rows[i], &platform, report, err);
    if (status == LS_OK) status = compare_periodic(&rows[i], &platform, report, err);
    compare_umr(&rows[i], report);
    ls_platform_close(&platform);
  }
  return status;
}

const struct ls_study ls_study_scow_table_2 = {
    .name = "scow-table6-2",
    .summary = "makespans of SCOW and its rivals, as predicted",
    .reference = "delatorre2009, Table 6-2",
    .run = run_table_2,
};

/* ---- Table 6-3 ---- */

/* Means over the rows. */
struct means {
  double umr2_mp, umr2_pwu;      /* UMR2 over SCOW, ours */
  double periodic_mp;            /* PERIODIC over SCOW-MP, ours */
  double printed_s, printed_use; /* the same of the printed columns, and of what they use */
};

static enum ls_status add_row(const struct row *row, struct means *means, struct ls_error *err) {
  struct ls_platform platform;
  struct result mp, pwu, umr2, periodic;
  char text[64];
  enum ls_status status = open_platform(row->bandwidth, &platform, err);
  if (status != LS_OK) return status;
  status = play(&platform, "scow-mp:search=published", &mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  if (status == LS_OK) status = play(&platform, text, &pwu, NULL, err);
  (void)snprintf(text, sizeof text, "umr2:%.0f", row->umr2_mp_workers);
  if (status == LS_OK) status = play(&platform, text, &umr2, NULL, err);
  if (status == LS_OK) means->umr2_mp += umr2.makespan_s / mp.predicted_s / ROWS;
  (void)snprintf(text, sizeof text, "umr2:%.0f", row->pwu_workers);
  if (status == LS_OK) status = play(&platform, text, &umr2, NULL, err);
  /* "=UMR" in the other rows: no number of its own. */
  if (status == LS_OK)
    means->umr2_pwu += (row->umr2_pwu_s > 0 ? umr2.makespan_s / pwu.predicted_s : 1) / ROWS;
  (void)snprintf(text, sizeof text, "periodic:%.0f", row->bandwidth);
  if (status == LS_OK) status = play(&platform, text, &periodic, NULL, err);
  if (status == LS_OK) means->periodic_mp += periodic.makespan_s / mp.predicted_s / ROWS;
  means->printed_s += row->periodic_s / row->mp_s / ROWS;
  /* The network is always in use: the system's utilization is the mean of both, and the printed
   * ratio is that of SCOW over its rival. */
  means->printed_use += (1 + row->mp_used) / (1 + row->periodic_used) / ROWS;
  ls_platform_close(&platform);
  return status;
}

static enum ls_status run_table_3(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  static const char NOT_LEGIBLE[] = "a cell of the columns that it is the mean of is not legible";
  struct means means = {0};
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(report,
                 "\"Average over 36 experiments\": these are the means over the six rows of Table "
                 "6-2.\n");
  for (size_t i = 0; i < ROWS && status == LS_OK; i++) status = add_row(&rows[i], &means, err);
  if (status != LS_OK) return status;
  ls_study_compare(report, "makespan, UMR2 over SCOW-MP", printed(1.022, DIGIT), means.umr2_mp);
  ls_study_compare(report, "makespan, UMR2 over SCOW-PWU", printed(1.027, DIGIT), means.umr2_pwu);
  ls_study_compare(report, "makespan, PERIODIC over SCOW-MP, of the printed columns",
                   printed(1.005, DIGIT), means.printed_s);
  ls_study_compare(report, "use, SCOW-MP over PERIODIC, of the printed columns",
                   printed(1.038, DIGIT), means.printed_use);
  ls_study_compare(report, "makespan, PERIODIC over SCOW-MP, ours",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.005, NOT_PERIODIC), means.periodic_mp);
  ls_study_compare(report, "use, SCOW-MP over UMR2",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.008, NOT_LEGIBLE), (double)NAN);
  return LS_OK;
}

const struct ls_study ls_study_scow_table_3 = {
    .name = "scow-table6-3",
    .summary = "how much longer the rivals of SCOW take, on average",
    .reference = "delatorre2009, Table 6-3",
    .run = run_table_3,
};

/* ---- Table 6-4 ---- */

/* When each worker is free of all rounds but the last, and the network; the last round's units. */
struct before {
  double free_s[WORKERS], network_s, units;
  size_t workers;
};

static void find_before(const struct ls_plan *plan, struct before *before) {
  uint32_t last = plan->chunks[plan->chunks_count - 1].round;
  *before = (struct before){.network_s = 0};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    if (chunk->round < last) {
      before->free_s[chunk->worker] = chunk->compute_end_s;
      before->network_s = fmax(before->network_s, chunk->transfer_end_s);
    } else {
      before->units += chunk->units;
      before->workers++;
    }
  }
}

/* The best sizes of a last round: each worker ends at T at the latest, after it was free and after
 * its chunk came. */
static enum ls_status end_together(const struct before *before, double bandwidth,
                                   double *makespan_s, struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution = {0};
  ls_linear_init(&program, false);
  size_t end = ls_linear_column(&program, 1), first = 0;
  for (size_t i = 0; i < before->workers; i++) {
    size_t column = ls_linear_column(&program, 0);
    if (i == 0) first = column;
  }
  (void)ls_linear_row(&program, LS_EQUAL, before->units);
  for (size_t i = 0; i < before->workers; i++) ls_linear_entry(&program, first + i, 1);
  for (size_t i = 0; i < before->workers; i++) {
    (void)ls_linear_row(&program, LS_AT_LEAST, before->free_s[i] + 0.03);
    ls_linear_entry(&program, end, 1);
    ls_linear_entry(&program, first + i, -1);
    double sent_s = before->network_s + 0.03 * (double)(i + 1);
    (void)ls_linear_row(&program, LS_AT_LEAST, sent_s + 0.03);
    ls_linear_entry(&program, end, 1);
    for (size_t k = 0; k <= i; k++)
      ls_linear_entry(&program, first + k, -1 / bandwidth - (k == i ? 1 : 0));
  }
  enum ls_status status = ls_linear_solve(&program, 0, &solution, err);
  if (status == LS_OK && solution.outcome != LS_LINEAR_OPTIMAL)
    status = ls_fail(err, LS_EINVAL, "the last round of UMR2 has no best sizes");
  if (status == LS_OK) *makespan_s = solution.objective;
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return status;
}

/* One cell: UMR2 with so many workers, whose last round is made anew. */
struct cell {
  const char *what;
  double workers, printed_s;
};

static enum ls_status compare_late(const struct row *row, const struct ls_platform *platform,
                                   const struct cell *cell, struct ls_study_report *report,
                                   struct ls_error *err) {
  char text[32];
  struct result result;
  struct ls_plan plan;
  struct before before;
  double makespan_s = (double)NAN;
  if (!(cell->printed_s > 0)) return LS_OK;
  (void)snprintf(text, sizeof text, "umr2:%.0f", cell->workers);
  enum ls_status status = play(platform, text, &result, &plan, err);
  if (status != LS_OK) return status;
  find_before(&plan, &before);
  status = end_together(&before, row->bandwidth, &makespan_s, err);
  ls_plan_close(&plan);
  if (status == LS_OK)
    compare(report, row, cell->what, printed(cell->printed_s, 1.5 * DIGIT), makespan_s);
  return status;
}

static enum ls_status compare_replay(const struct row *row, const struct ls_platform *platform,
                                     struct ls_study_report *report, struct ls_error *err) {
  char text[64];
  struct result mp, pwu;
  enum ls_status status = play(platform, "scow-mp:search=published", &mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  if (status == LS_OK) status = play(platform, text, &pwu, NULL, err);
  if (status != LS_OK) return status;
  compare(report, row, "SCOW-MP, replay less prediction, s",
          ls_study_near(LS_STUDY_SPECIFIED, 0, 3e-3), mp.makespan_s - mp.predicted_s);
  compare(report, row, "SCOW-PWU, replay less prediction, s",
          ls_study_near(LS_STUDY_SPECIFIED, 0, 3e-3), pwu.makespan_s - pwu.predicted_s);
  return LS_OK;
}

static enum ls_status run_table_4(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(
      report,
      "The thesis simulates with SimGrid; here the replay. UMR2 ends with the best sizes "
      "of its last round, by a linear program.\n");
  for (size_t i = 0; i < ROWS && status == LS_OK; i++) {
    struct ls_platform platform;
    status = open_platform(rows[i].bandwidth, &platform, err);
    if (status != LS_OK) return status;
    status = compare_replay(&rows[i], &platform, report, err);
    const struct cell cells[] = {
        {"UMR2, workers of SCOW-MP, s", rows[i].umr2_mp_workers, rows[i].late_mp_s},
        {"UMR2, workers of SCOW-PWU, s", rows[i].pwu_workers, rows[i].late_pwu_s}};
    for (size_t k = 0; k < 2 && status == LS_OK; k++)
      status = compare_late(&rows[i], &platform, &cells[k], report, err);
    ls_platform_close(&platform);
  }
  return status;
}

const struct ls_study ls_study_scow_table_4 = {
    .name = "scow-table6-4",
    .summary = "SCOW and UMR2 as simulated, UMR2 with the best last round",
    .reference = "delatorre2009, Table 6-4",
    .run = run_table_4,
};
