/* scow_motif.c: the motif finder of the thesis on periodic schedules, scheduled.
 *
 * Source: delatorre2009, Tables 6-6 and 6-8 to 6-11: X = (m - 8)^6 start vectors, with the laws of
 * Table 6-7, whose coefficients have two digits; so times come out to 5 % (docs/theory/scow.md,
 * 10). Table 6-6 says m = 22 where its times are those of m = 26. Actual times are the cluster's.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/study.h"
#include "model/plan_repeat.h"
#include "planners/planner.h"
#include "report/plot.h"

enum { CASES = 3, WORKERS = 60, SIZES = 120 };

static const double TOLERANCE = 0.05; /* of a time */
static const double WINDOW = 450;     /* its upper end */

/* e + s of the master, r + w of a worker: within [25,450] and within [500,2500] (Table 6-7). */
static const struct ls_cost send_law = {4.4e-5, 7.8e-7}, compute_law = {4.3e-5, 1.139e-5};
static const struct ls_cost far_send_law = {5.7e-6 - 1.1e-3, 4.45e-6};
static const struct ls_cost far_compute_law = {-3.3e-4, 1.51e-5};

static const char TWO_DIGITS[] =
    "the laws are printed with two digits, which leave this number open (docs/theory/scow.md, 10)";
static const char CLUSTER[] = "a time of the thesis's cluster, more than its laws say";

/* 0: the tables have none, or it is not that of the laws. */
static const struct row {
  double letters, load;
  /* Table 6-9: SCOW as predicted, with any chunks; what ran, within the window. */
  double scow_s, scow_workers, scow_chunk, actual_s;
  double window_s, fifo_s; /* Table 6-6: within the window as predicted; first come first served */
  double umr_s, umr_workers, umr_least, umr_most, umr_actual_s; /* Table 6-10 */
} rows[CASES] = {
    {13, 15625, 0.0177, 14, 363, 0.0232, 0, 0, 0.0181, 11, 147, 232, 0.0245},
    {20, 2985984, 2.3903, 15, 4558, 2.8976, 2.6832, 3.4595, 2.5279, 14, 739, 13535, 12.9534},
    {26, 34012224, 26.7541, 16, 15762, 32.3308, 30.0358, 39.1750, 26.8482, 15, 6296, 10543,
     146.8055}};

static bool is_smallest(const struct row *row) {
  return row == &rows[0];
}

/* What a plan says. */
struct found {
  double makespan_s, predicted_s, chunk, least, most;
  double workers, messages;
  double far_send_s; /* all its chunks sent by the other law */
};

static void read_plan(const struct ls_plan *plan, struct found *found) {
  double units[WORKERS];
  ls_plan_units(plan, WORKERS, units);
  *found = (struct found){.makespan_s = plan->makespan_s,
                          .predicted_s = ls_plan_get(plan, "predicted_makespan", (double)NAN),
                          .chunk = ls_plan_get(plan, "chunk", (double)NAN),
                          .least = (double)INFINITY};
  for (size_t i = 0; i < WORKERS; i++) found->workers += units[i] > 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    double chunk = plan->chunks[i].units, times = (double)ls_plan_times(plan, i);
    found->least = fmin(found->least, chunk);
    found->most = fmax(found->most, chunk);
    found->messages += times;
    found->far_send_s += times * (far_send_law.latency_s + far_send_law.per_unit_s * chunk);
  }
}

static enum ls_status play(double load, size_t workers, const char *algorithm, struct found *found,
                           struct ls_error *err) {
  struct ls_platform platform;
  const struct ls_planner *planner;
  struct ls_plan plan;
  enum ls_status status = ls_platform_init(&platform, WORKERS, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < WORKERS; i++) {
    platform.workers[i].costs[LS_OPERATION_SEND] = send_law;
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = compute_law;
  }
  struct ls_platform few = platform;
  few.workers_count = workers;
  struct ls_planner_setup setup = {.platform = &few, .load = load};
  status = ls_planner_parse(algorithm, &planner, &setup, err);
  if (status == LS_OK) {
    status = ls_planner_run(planner, &setup, algorithm, &plan, err);
    if (status == LS_OK && plan.outcome != LS_PLAN_OK)
      status = ls_fail(err, LS_EINVAL, "%s does not apply: %s", algorithm, plan.why);
    if (status == LS_OK) read_plan(&plan, found);
    ls_plan_close(&plan);
    ls_arguments_close(&setup.arguments);
  }
  ls_platform_close(&platform);
  return status;
}

static void compare(struct ls_study_report *report, const struct row *row, const char *what,
                    struct ls_study_expected expected, double ours) {
  char name[80];
  (void)snprintf(name, sizeof name, "m = %g: %s", row->letters, what);
  ls_study_compare(report, name, expected, ours);
}

static struct ls_study_expected printed_time(double value_s) {
  return ls_study_near(LS_STUDY_PRINTED, value_s, TOLERANCE * value_s);
}

static struct ls_study_expected open_number(double value) {
  return ls_study_unjudged(LS_STUDY_PRINTED, value, TWO_DIGITS);
}

/* ---- Tables 6-6 and 6-9 ---- */

static enum ls_status compare_scow(const struct row *row, struct ls_study_report *report,
                                   struct ls_error *err) {
  struct found free_sizes, within;
  char name[80];
  enum ls_status status = play(row->load, WORKERS, "scow-mp:search=published", &free_sizes, err);
  if (status == LS_OK) status = play(row->load, WORKERS, "scow-mp:window=25-450", &within, err);
  if (status != LS_OK) return status;
  bool is_open = is_smallest(row);
  compare(report, row, "SCOW, any chunks, s",
          is_open ? open_number(row->scow_s) : printed_time(row->scow_s), free_sizes.predicted_s);
  compare(report, row, "SCOW, any chunks: workers", open_number(row->scow_workers),
          free_sizes.workers);
  compare(report, row, "SCOW, any chunks: chunk", open_number(row->scow_chunk), free_sizes.chunk);
  if (!is_open) {
    compare(report, row, "SCOW within the window, s", printed_time(row->window_s),
            within.makespan_s);
    compare(report, row, "SCOW within the window: chunk",
            ls_study_near(LS_STUDY_PRINTED, WINDOW, 0.5), within.chunk);
    compare(report, row, "SCOW within the window: workers", open_number(14), within.workers);
    /* What first come first served takes more, for each chunk of 450: a request. */
    (void)snprintf(name, sizeof name, "m = %g: FIFO, as measured: microseconds more for a chunk",
                   row->letters);
    ls_study_show(report, name, 1e6 * (row->fifo_s - row->actual_s) / (row->load / WINDOW));
  }
  compare(report, row, "SCOW as it ran, s",
          ls_study_unjudged(LS_STUDY_PRINTED, row->actual_s, CLUSTER), within.makespan_s);
  return LS_OK;
}

/* ---- Table 6-10 ---- */

static enum ls_status compare_umr(const struct row *row, struct ls_study_report *report,
                                  struct ls_error *err) {
  struct found umr;
  enum ls_status status = play(row->load, (size_t)row->umr_workers, "umr", &umr, err);
  if (status != LS_OK) return status;
  bool is_open = is_smallest(row);
  compare(report, row, "UMR, s", is_open ? open_number(row->umr_s) : printed_time(row->umr_s),
          umr.makespan_s);
  compare(report, row, "UMR: smallest chunk", open_number(row->umr_least), umr.least);
  compare(report, row, "UMR: largest chunk", open_number(row->umr_most), umr.most);
  /* Far beyond 450 sending costs six times as much: that is what its runs took. */
  if (!is_open)
    compare(report, row, "UMR as it ran, by the laws of [500,2500], s",
            printed_time(row->umr_actual_s), umr.far_send_s);
  return LS_OK;
}

/* ---- Table 6-11 ---- */

/* The two phases by their printed sizes: 7 rounds of 371 to 448 for 13 workers, and 248 for the
 * 14th; 486 rounds of 450 for 13 workers and 222 for the 14th. */
static enum ls_status compare_hybrid(struct ls_study_report *report, struct ls_error *err) {
  const struct row *row = &rows[1];
  struct found hybrid, scow;
  double first_s = ls_cost_time(&send_law, 248);
  for (int i = 0; i < 7; i++)
    first_s += 13 * ls_cost_time(&send_law, 371 * pow(448.0 / 371, (double)i / 6));
  double second_s = 486 * (13 * ls_cost_time(&send_law, 450) + ls_cost_time(&send_law, 222));
  compare(report, row, "UMR-SCOW: first phase, s", printed_time(0.0329), first_s);
  compare(report, row, "UMR-SCOW: second phase, s", printed_time(2.6058), second_s);
  enum ls_status status = play(row->load, WORKERS, "umr-scow:window=25-450", &hybrid, err);
  if (status == LS_OK) status = play(row->load, WORKERS, "scow:window=25-450", &scow, err);
  if (status != LS_OK) return status;
  compare(report, row, "UMR-SCOW over SCOW, both within the window",
          ls_study_near(LS_STUDY_SPECIFIED, 1, 0.01), hybrid.makespan_s / scow.makespan_s);
  compare(report, row, "UMR-SCOW as it ran, s",
          ls_study_unjudged(LS_STUDY_PRINTED, 2.9434, CLUSTER), hybrid.makespan_s);
  return LS_OK;
}

/* ---- the drawing ---- */

/* What limits all tasks of m = 20 in chunks of one size: the master, or 14 workers. */
static double find_time(double chunk) {
  bool is_near = chunk <= WINDOW;
  const struct ls_cost *send = is_near ? &send_law : &far_send_law;
  const struct ls_cost *compute = is_near ? &compute_law : &far_compute_law;
  return rows[1].load / chunk * fmax(ls_cost_time(send, chunk), ls_cost_time(compute, chunk) / 14);
}

static void draw(struct ls_study_report *report) {
  double x[2][SIZES], y[2][SIZES];
  struct ls_bytes svg = {0};
  for (size_t i = 0; i < SIZES; i++) {
    double part = (double)i / (SIZES - 1);
    x[0][i] = 25 + part * (WINDOW - 25);
    x[1][i] = 500 + part * 2000;
    for (size_t k = 0; k < 2; k++) y[k][i] = find_time(x[k][i]);
  }
  const struct ls_plot_series series[] = {
      {"by the laws of [25,450]", x[0], y[0], SIZES, false, true},
      {"by the laws of [500,2500]", x[1], y[1], SIZES, false, true}};
  const struct ls_plot plot = {.title = "All tasks over the size of their chunks",
                               .subtitle = "de la Torre 2009, Table 6-7: m = 20, 14 workers",
                               .x = {.label = "tasks of a chunk"},
                               .y = {.label = "s", .has_zero = true},
                               .series = series,
                               .series_count = 2};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "scow-motif.svg", &svg);
}

static enum ls_status run(const struct ls_study_options *options, struct ls_study_report *report,
                          struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only three cases: all are played.\n");
  ls_study_print(report,
                 "X = (m - 8)^6 core tasks. Table 6-6 says m = 22; its times are those of m = "
                 "26.\n");
  for (size_t i = 0; i < CASES && status == LS_OK; i++) {
    status = compare_scow(&rows[i], report, err);
    if (status == LS_OK) status = compare_umr(&rows[i], report, err);
  }
  if (status == LS_OK) status = compare_hybrid(report, err);
  if (status == LS_OK) draw(report);
  return status;
}

const struct ls_study ls_study_scow_motif = {
    .name = "scow-motif",
    .summary = "the motif finder by SCOW, UMR, both, and first come first served",
    .reference = "delatorre2009, Tables 6-6 and 6-9 to 6-11",
    .run = run,
};
