/* scow_simulated.c: Tables 6-4 and 6-5 of the thesis on periodic schedules, its simulations.
 *
 * Source: delatorre2009, section 6.2.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/scow_rows.h"
#include "lab/studies/study.h"
#include "solve/linear.h"

/* Numbers are truncated, some rounded. */
static const double DIGIT = 1e-3;

/* ---- Table 6-4 ---- */

/* When each worker is free of all rounds but the last, and the network; the last round's units. */
struct before {
  double free_s[LS_SCOW_ROW_WORKERS], network_s, units;
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

static enum ls_status play_late(const struct ls_scow_row *row, const struct ls_platform *platform,
                                double workers, double *makespan_s, struct ls_error *err) {
  char text[32];
  struct ls_scow_reached result;
  struct ls_plan plan;
  struct before before;
  (void)snprintf(text, sizeof text, "umr2:%.0f", workers);
  enum ls_status status = ls_scow_row_play(platform, text, &result, &plan, err);
  if (status != LS_OK) return status;
  find_before(&plan, &before);
  status = end_together(&before, row->bandwidth, makespan_s, err);
  ls_plan_close(&plan);
  return status;
}

static enum ls_status compare_late(const struct ls_scow_row *row,
                                   const struct ls_platform *platform,
                                   struct ls_study_report *report, struct ls_error *err) {
  const struct cell cells[] = {
      {"UMR2, workers of SCOW-MP, s", row->umr2_mp_workers + row->late_more, row->late_mp_s},
      {"UMR2, workers of SCOW-PWU, s", row->pwu_workers + row->late_more, row->late_pwu_s}};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < sizeof cells / sizeof *cells && status == LS_OK; i++) {
    double makespan_s = (double)NAN;
    if (!(cells[i].printed_s > 0)) continue;
    status = play_late(row, platform, cells[i].workers, &makespan_s, err);
    if (status == LS_OK)
      ls_scow_row_compare(report, row, cells[i].what,
                          ls_scow_printed(cells[i].printed_s, 1.5 * DIGIT), makespan_s);
  }
  return status;
}

/* SCOW by both constraints, with the workers of the table. */
struct scow {
  struct ls_scow_reached mp, pwu;
};

static enum ls_status play_scow(const struct ls_scow_row *row, const struct ls_platform *platform,
                                struct scow *scow, struct ls_error *err) {
  char text[64];
  enum ls_status status =
      ls_scow_row_play(platform, "scow-mp:search=published", &scow->mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  return status == LS_OK ? ls_scow_row_play(platform, text, &scow->pwu, NULL, err) : status;
}

static enum ls_status compare_replay(const struct ls_scow_row *row,
                                     const struct ls_platform *platform,
                                     struct ls_study_report *report, struct ls_error *err) {
  struct scow scow;
  enum ls_status status = play_scow(row, platform, &scow, err);
  if (status != LS_OK) return status;
  ls_scow_row_compare(report, row, "SCOW-MP, replay less prediction, s",
                      ls_study_near(LS_STUDY_SPECIFIED, 0, 3e-3),
                      scow.mp.makespan_s - scow.mp.predicted_s);
  ls_scow_row_compare(report, row, "SCOW-PWU, replay less prediction, s",
                      ls_study_near(LS_STUDY_SPECIFIED, 0, 3e-3),
                      scow.pwu.makespan_s - scow.pwu.predicted_s);
  return status;
}

static enum ls_status play_periodic(const struct ls_scow_row *row,
                                    const struct ls_platform *platform, double *makespan_s,
                                    struct ls_error *err) {
  char text[64];
  struct ls_scow_reached result;
  (void)snprintf(text, sizeof text, "periodic:%.0f,last=together", row->bandwidth);
  enum ls_status status = ls_scow_row_play(platform, text, &result, NULL, err);
  if (status == LS_OK) *makespan_s = result.makespan_s;
  return status;
}

/* What n - 1 rounds, a last and an auxiliary one take on another program, in the rows' order. */
static const double periodic_recomputed_s[LS_SCOW_ROWS] = {99.3308, 53.4346, 38.5577,
                                                           91.6226, 51.5488, 37.1492};

static enum ls_status compare_periodic(size_t index, const struct ls_platform *platform,
                                       struct ls_study_report *report, struct ls_error *err) {
  const struct ls_scow_row *row = &ls_scow_rows[index];
  double makespan_s;
  enum ls_status status = play_periodic(row, platform, &makespan_s, err);
  if (status != LS_OK) return status;
  ls_scow_row_compare(report, row, "PERIODIC, last round as SCOW's, s",
                      ls_study_near(LS_STUDY_RECOMPUTED, periodic_recomputed_s[index], 1e-4),
                      makespan_s);
  if (row->late_periodic_s > 0)
    ls_scow_row_compare(
        report, row, "PERIODIC, s",
        ls_study_unjudged(LS_STUDY_PRINTED, row->late_periodic_s, ls_scow_not_periodic),
        makespan_s);
  return status;
}

/* UMR with the workers of the table. */
static enum ls_status compare_umr(const struct ls_scow_row *row, const struct ls_platform *platform,
                                  struct ls_study_report *report, struct ls_error *err) {
  static const char FAILS[] =
      "the thesis says that UMR's last round fails in some cases, and not in which";
  struct ls_platform few = *platform;
  struct ls_scow_reached result;
  if (!(row->late_umr_s > 0)) return LS_OK;
  few.workers_count = (size_t)row->umr_workers;
  enum ls_status status = ls_scow_row_play(&few, "umr", &result, NULL, err);
  if (status != LS_OK) return status;
  bool is_judged = fabs(row->bandwidth - 22) < 0.5;
  ls_scow_row_compare(report, row, "UMR, s",
                      is_judged ? ls_scow_printed(row->late_umr_s, 2 * DIGIT)
                                : ls_study_unjudged(LS_STUDY_PRINTED, row->late_umr_s, FAILS),
                      result.makespan_s);
  return LS_OK;
}

static enum ls_status run_table_4(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(
      report,
      "The thesis simulates with SimGrid; here the replay. UMR2 ends with the best sizes "
      "of its last round, by a linear program; PERIODIC ends as SCOW does.\n");
  for (size_t i = 0; i < LS_SCOW_ROWS && status == LS_OK; i++) {
    const struct ls_scow_row *row = &ls_scow_rows[i];
    struct ls_platform platform;
    status = ls_scow_row_open(row, &platform, err);
    if (status != LS_OK) return status;
    status = compare_replay(row, &platform, report, err);
    if (status == LS_OK) status = compare_periodic(i, &platform, report, err);
    if (status == LS_OK) status = compare_late(row, &platform, report, err);
    if (status == LS_OK) status = compare_umr(row, &platform, report, err);
    ls_platform_close(&platform);
  }
  return status;
}

const struct ls_study ls_study_scow_table_4 = {
    .name = "scow-table6-4",
    .summary = "SCOW, PERIODIC, UMR2 and UMR as simulated, with other last rounds",
    .reference = "delatorre2009, Table 6-4",
    .run = run_table_4,
};

/* ---- Table 6-5 ---- */

/* Means over the rows of makespans over SCOW's. */
struct means {
  double periodic, umr2_mp, umr2_pwu;
};

static enum ls_status add_row(const struct ls_scow_row *row, const struct ls_platform *platform,
                              struct means *means, struct ls_error *err) {
  struct scow scow;
  double periodic_s, mp_s, pwu_s;
  enum ls_status status = play_scow(row, platform, &scow, err);
  if (status == LS_OK) status = play_periodic(row, platform, &periodic_s, err);
  if (status == LS_OK)
    status = play_late(row, platform, row->umr2_mp_workers + row->late_more, &mp_s, err);
  if (status == LS_OK)
    status = play_late(row, platform, row->pwu_workers + row->late_more, &pwu_s, err);
  if (status != LS_OK) return status;
  means->periodic += periodic_s / scow.mp.makespan_s / LS_SCOW_ROWS;
  means->umr2_mp += mp_s / scow.mp.makespan_s / LS_SCOW_ROWS;
  /* "=UMR" in the other rows: no number of its own. */
  means->umr2_pwu += (row->umr2_pwu_s > 0 ? pwu_s / scow.pwu.makespan_s : 1) / LS_SCOW_ROWS;
  return LS_OK;
}

static enum ls_status run_table_5(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  static const char NOT_LEGIBLE[] = "cells of the columns that it is the mean of are not legible";
  struct means means = {0};
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(report, "Means over the six rows of Table 6-4.\n");
  for (size_t i = 0; i < LS_SCOW_ROWS && status == LS_OK; i++) {
    struct ls_platform platform;
    status = ls_scow_row_open(&ls_scow_rows[i], &platform, err);
    if (status != LS_OK) return status;
    status = add_row(&ls_scow_rows[i], &platform, &means, err);
    ls_platform_close(&platform);
  }
  if (status != LS_OK) return status;
  ls_study_compare(report, "makespan, UMR2 over SCOW-MP", ls_scow_printed(1.007, DIGIT),
                   means.umr2_mp);
  ls_study_compare(report, "makespan, UMR2 over SCOW-PWU", ls_scow_printed(1.013, DIGIT),
                   means.umr2_pwu);
  ls_study_compare(report, "makespan, PERIODIC over SCOW-MP",
                   ls_study_unjudged(LS_STUDY_PRINTED, 0.999, ls_scow_not_periodic),
                   means.periodic);
  ls_study_compare(report, "makespan, UMR over SCOW-PWU",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1, NOT_LEGIBLE), (double)NAN);
  ls_study_compare(report, "use, SCOW-MP over PERIODIC",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.036, NOT_LEGIBLE), (double)NAN);
  ls_study_compare(report, "use, SCOW-MP over UMR2",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.009, NOT_LEGIBLE), (double)NAN);
  ls_study_compare(report, "use, SCOW-PWU over UMR2",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.010, NOT_LEGIBLE), (double)NAN);
  return LS_OK;
}

const struct ls_study ls_study_scow_table_5 = {
    .name = "scow-table6-5",
    .summary = "how much longer the rivals of SCOW take as simulated, on average",
    .reference = "delatorre2009, Table 6-5",
    .run = run_table_5,
};
