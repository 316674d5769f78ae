/* scow_rows.h: the six rows of Tables 6-2 to 6-5 of the thesis on periodic schedules, and how a
 * plan of one of them is played.
 *
 * Source: delatorre2009, section 6.1 and 6.2, whose numbers are truncated to 3 digits; what of them
 * comes out again, and what cannot: docs/theory/scow.md, 10.
 */
#ifndef LS_LAB_SCOW_ROWS_H
#define LS_LAB_SCOW_ROWS_H

#include "base/status.h"
#include "lab/studies/study.h"
#include "model/plan.h"
#include "model/platform.h"

enum { LS_SCOW_ROWS = 6, LS_SCOW_ROW_WORKERS = 60, LS_SCOW_ROW_LOAD = 1000 };

/* A column is 0 where the table has none, or is not legible. */
struct ls_scow_row {
  double bandwidth;
  double mp_s, mp_workers, mp_used;    /* SCOW-MP: makespan, workers, their utilization */
  double pwu_s, pwu_workers, pwu_used; /* SCOW-PWU */
  double umr2_mp_s, umr2_mp_workers;   /* UMR2 beside SCOW-MP */
  double umr2_pwu_s;                   /* with the workers of SCOW-PWU */
  double umr_s, umr_workers;           /* UMR */
  double periodic_s, periodic_used;    /* PERIODIC */
  /* Table 6-4, as simulated: UMR2 with its last round redistributed, PERIODIC, UMR. */
  double late_mp_s, late_pwu_s, late_periodic_s, late_umr_s;
  double late_more; /* workers of UMR2 above those that are printed: its numbers are theirs */
};
extern const struct ls_scow_row ls_scow_rows[LS_SCOW_ROWS];

/* Table 6-1; the caller closes it. */
LS_CHECKED enum ls_status ls_scow_row_open(const struct ls_scow_row *row,
                                           struct ls_platform *platform, struct ls_error *err);

/* What a plan reaches; NAN: it does not say. */
struct ls_scow_reached {
  double makespan_s, predicted_s, used, network, workers;
};
/* Plays `algorithm` ("umr2:21") on 1000 units. The plan is the caller's when `kept` is not NULL. */
LS_CHECKED enum ls_status ls_scow_row_play(const struct ls_platform *platform,
                                           const char *algorithm, struct ls_scow_reached *reached,
                                           struct ls_plan *kept, struct ls_error *err);
/* Adds a figure "B = 22: WHAT". */
void ls_scow_row_compare(struct ls_study_report *report, const struct ls_scow_row *row,
                         const char *what, struct ls_study_expected expected, double ours);
/* Near a printed value. */
struct ls_study_expected ls_scow_printed(double value, double tolerance);
/* Why what PERIODIC takes is shown beside what is printed, and not judged. */
extern const char ls_scow_not_periodic[];

#endif
