/* scow_tables.c: Tables 6-2 and 6-3 of the thesis on periodic schedules, its predictions.
 *
 * Source: delatorre2009, section 6.1.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/scow_rows.h"
#include "lab/studies/study.h"

/* Numbers are truncated, some rounded. */
static const double DIGIT = 1e-3;

/* ---- Table 6-2 ---- */

static enum ls_status compare_scow(const struct ls_scow_row *row,
                                   const struct ls_platform *platform,
                                   struct ls_study_report *report, struct ls_error *err) {
  char text[64];
  struct ls_scow_reached mp, pwu;
  /* B = 33: the corrected number of auxiliary workers is 15, where 38.236 belongs to 14. */
  bool is_corrected = fabs(row->bandwidth - 33) < 0.5;
  struct ls_study_expected expected = is_corrected
                                          ? ls_study_near(LS_STUDY_SPECIFIED, 38.2376, 1e-4)
                                          : ls_scow_printed(row->mp_s, DIGIT);
  enum ls_status status = ls_scow_row_play(platform, "scow-mp:search=published", &mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  if (status == LS_OK) status = ls_scow_row_play(platform, text, &pwu, NULL, err);
  if (status != LS_OK) return status;
  ls_scow_row_compare(report, row, "SCOW-MP, s", expected, mp.predicted_s);
  ls_scow_row_compare(report, row, "SCOW-MP, workers", ls_scow_printed(row->mp_workers, 0),
                      mp.workers);
  ls_scow_row_compare(report, row, "SCOW-MP, use of workers", ls_scow_printed(row->mp_used, DIGIT),
                      mp.used);
  ls_scow_row_compare(report, row, "SCOW-PWU, s", ls_scow_printed(row->pwu_s, DIGIT),
                      pwu.predicted_s);
  ls_scow_row_compare(report, row, "SCOW-PWU, use of workers",
                      ls_scow_printed(row->pwu_used, DIGIT), pwu.used);
  return LS_OK;
}

static enum ls_status compare_umr2(const struct ls_scow_row *row,
                                   const struct ls_platform *platform,
                                   struct ls_study_report *report, struct ls_error *err) {
  char text[32];
  struct ls_scow_reached result;
  enum ls_status status = LS_OK;
  if (row->umr2_mp_s > 0) {
    (void)snprintf(text, sizeof text, "umr2:%.0f", row->umr2_mp_workers);
    status = ls_scow_row_play(platform, text, &result, NULL, err);
    if (status != LS_OK) return status;
    ls_scow_row_compare(report, row, "UMR2, workers of SCOW-MP, s",
                        ls_scow_printed(row->umr2_mp_s, DIGIT), result.makespan_s);
  }
  if (row->umr2_pwu_s > 0) {
    (void)snprintf(text, sizeof text, "umr2:%.0f", row->pwu_workers);
    status = ls_scow_row_play(platform, text, &result, NULL, err);
    if (status != LS_OK) return status;
    ls_scow_row_compare(report, row, "UMR2, workers of SCOW-PWU, s",
                        ls_scow_printed(row->umr2_pwu_s, DIGIT), result.makespan_s);
  }
  return status;
}

/* W/(N S) + M cLat + (N + 1)/2 (nLat + c_0/B); INFINITY: the first chunk is not positive. */
static double predict_umr(double bandwidth, double workers, double rounds) {
  double theta = bandwidth / workers;
  double alpha = bandwidth * (workers * 0.03 - 0.03) / (bandwidth - workers);
  double first = alpha + (1 - theta) * (LS_SCOW_ROW_LOAD - workers * rounds * alpha) /
                             (workers * (1 - pow(theta, rounds)));
  if (!(first > 0)) return (double)INFINITY;
  return LS_SCOW_ROW_LOAD / workers + rounds * 0.03 +
         (workers + 1) / 2 * (0.03 + first / bandwidth);
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

static void compare_umr(const struct ls_scow_row *row, struct ls_study_report *report) {
  static const char NO_FORMULA[] =
      "no formula of UMR gives this number with these workers (docs/theory/scow.md, 10)";
  bool is_judged = fabs(row->bandwidth - 22) < 0.5 || fabs(row->bandwidth - 34) < 0.5;
  if (!(row->umr_s > 0)) return;
  ls_scow_row_compare(report, row, "UMR by formula, s",
                      is_judged ? ls_scow_printed(row->umr_s, 2 * DIGIT)
                                : ls_study_unjudged(LS_STUDY_PRINTED, row->umr_s, NO_FORMULA),
                      find_umr(row->bandwidth, row->umr_workers));
}

static enum ls_status compare_periodic(const struct ls_scow_row *row,
                                       const struct ls_platform *platform,
                                       struct ls_study_report *report, struct ls_error *err) {
  char text[64];
  struct ls_scow_reached result;
  (void)snprintf(text, sizeof text, "periodic:%.0f,last=together", row->bandwidth);
  enum ls_status status = ls_scow_row_play(platform, text, &result, NULL, err);
  if (status != LS_OK) return status;
  ls_scow_row_compare(report, row, "PERIODIC, s",
                      ls_study_unjudged(LS_STUDY_PRINTED, row->periodic_s, ls_scow_not_periodic),
                      result.makespan_s);
  return LS_OK;
}

static enum ls_status run_table_2(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only six rows: all are played.\n");
  ls_study_print(report, "The thesis truncates to 3 digits; its makespans are predictions.\n");
  for (size_t i = 0; i < LS_SCOW_ROWS && status == LS_OK; i++) {
    struct ls_platform platform;
    status = ls_scow_row_open(&ls_scow_rows[i], &platform, err);
    if (status != LS_OK) return status;
    status = compare_scow(&ls_scow_rows[i], &platform, report, err);
    if (status == LS_OK) status = compare_umr2(&ls_scow_rows[i], &platform, report, err);
    if (status == LS_OK) status = compare_periodic(&ls_scow_rows[i], &platform, report, err);
    compare_umr(&ls_scow_rows[i], report);
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

static enum ls_status add_row(const struct ls_scow_row *row, struct means *means,
                              struct ls_error *err) {
  struct ls_platform platform;
  struct ls_scow_reached mp, pwu, umr2, periodic;
  char text[64];
  enum ls_status status = ls_scow_row_open(row, &platform, err);
  if (status != LS_OK) return status;
  status = ls_scow_row_play(&platform, "scow-mp:search=published", &mp, NULL, err);
  (void)snprintf(text, sizeof text, "scow-pwu:%.0f,search=published", row->pwu_workers);
  if (status == LS_OK) status = ls_scow_row_play(&platform, text, &pwu, NULL, err);
  (void)snprintf(text, sizeof text, "umr2:%.0f", row->umr2_mp_workers);
  if (status == LS_OK) status = ls_scow_row_play(&platform, text, &umr2, NULL, err);
  if (status == LS_OK) means->umr2_mp += umr2.makespan_s / mp.predicted_s / LS_SCOW_ROWS;
  (void)snprintf(text, sizeof text, "umr2:%.0f", row->pwu_workers);
  if (status == LS_OK) status = ls_scow_row_play(&platform, text, &umr2, NULL, err);
  /* "=UMR" in the other rows: no number of its own. */
  if (status == LS_OK)
    means->umr2_pwu += (row->umr2_pwu_s > 0 ? umr2.makespan_s / pwu.predicted_s : 1) / LS_SCOW_ROWS;
  (void)snprintf(text, sizeof text, "periodic:%.0f,last=together", row->bandwidth);
  if (status == LS_OK) status = ls_scow_row_play(&platform, text, &periodic, NULL, err);
  if (status == LS_OK) means->periodic_mp += periodic.makespan_s / mp.predicted_s / LS_SCOW_ROWS;
  means->printed_s += row->periodic_s / row->mp_s / LS_SCOW_ROWS;
  /* The network is always in use: the system's utilization is the mean of both, and the printed
   * ratio is that of SCOW over its rival. */
  means->printed_use += (1 + row->mp_used) / (1 + row->periodic_used) / LS_SCOW_ROWS;
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
  for (size_t i = 0; i < LS_SCOW_ROWS && status == LS_OK; i++)
    status = add_row(&ls_scow_rows[i], &means, err);
  if (status != LS_OK) return status;
  ls_study_compare(report, "makespan, UMR2 over SCOW-MP", ls_scow_printed(1.022, DIGIT),
                   means.umr2_mp);
  ls_study_compare(report, "makespan, UMR2 over SCOW-PWU", ls_scow_printed(1.027, DIGIT),
                   means.umr2_pwu);
  ls_study_compare(report, "makespan, PERIODIC over SCOW-MP, of the printed columns",
                   ls_scow_printed(1.005, DIGIT), means.printed_s);
  ls_study_compare(report, "use, SCOW-MP over PERIODIC, of the printed columns",
                   ls_scow_printed(1.038, DIGIT), means.printed_use);
  ls_study_compare(report, "makespan, PERIODIC over SCOW-MP, ours",
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.005, ls_scow_not_periodic),
                   means.periodic_mp);
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
