/* adaptive_loss.c: Tables 5-1 and 5-2 of the thesis on iterated applications: the cost of a lost
 * worker, and the gain of replicas.
 *
 * The printed figures are means of 100 random runs: they are judged by their distance from the
 * exact expectation in units of the noise of such a mean.  The expectations themselves are judged
 * by an independent computation. */
#include <math.h>
#include <stdio.h>

#include "lab/studies/loss_cells.h"
#include "lab/studies/study.h"
#include "runtime/os/parallel_map.h"

enum { SHARES = 7, COLUMNS = LS_STUDY_LOSS_STRATEGIES, RUNS = 100 };

/* A mean of 100 runs leaves four times its noise once in 16,000 times; of all of a table they are
 * to be off by no more than 1.3 in the root mean square (docs/theory/adaptive.md, 10). */
static const double NOISES = 4, RMS_MAX = 1.3, RECOMPUTED_TOLERANCE = 0.05;

struct table {
  size_t tasks, workers[SHARES];
  double time[SHARES][COLUMNS], efficiency[SHARES][COLUMNS]; /* printed, per cent */
  double time_recomputed[SHARES][COLUMNS], efficiency_recomputed[SHARES][COLUMNS];
};

static const struct table table_5_1 = {
    50,
    {20, 14, 11, 9, 8, 7, 6},
    {{13.35, 6.42, 8.49, 5.93, 5.5, 6.27, 8.42, 6.24, 3.91},
     {13.06, 8.91, 11.59, 9.57, 5.6, 5.42, 8.64, 5.56, 3.34},
     {16.43, 15.95, 11.83, 9.14, 4.48, 4.02, 6.24, 3.82, 2.5},
     {18.23, 9.96, 11.46, 10.06, 5.07, 4.26, 13.58, 6.93, 1.2},
     {23.33, 12.85, 11.18, 11.74, 8.02, 5.34, 12.13, 6.81, 2.27},
     {28.53, 18.38, 16.29, 12.31, 7.15, 7.98, 10.82, 7.71, 2.14},
     {34.63, 22.43, 15.86, 15.04, 10.94, 7.55, 9.63, 4.86, 3.08}},
    {{7.32, 6.96, 9.1, 11.02, 10.99, 12, 16.11, 14.94, 14.21},
     {6.64, 9.26, 11.85, 15.49, 13.34, 13.73, 20.21, 18.42, 17.6},
     {7.24, 13.8, 12.61, 16.84, 14.42, 15.08, 21.76, 20.34, 20.17},
     {7.6, 11.05, 13.47, 19.34, 16.93, 17.31, 28.27, 25.01, 22.42},
     {9.59, 13.23, 13.62, 22.23, 20.43, 19.43, 29.88, 27.42, 25.36},
     {12.23, 17.12, 17.26, 24.04, 21.61, 22.65, 31.81, 30.34, 27.67},
     {15.06, 20.47, 17.94, 27.47, 25.5, 24.58, 33.56, 31.47, 31.05}},
    {{11.29, 8.28, 7.91, 7.22, 5.21, 5.68, 6.51, 4.35, 3.71},
     {14.24, 9.08, 9.17, 8.22, 4.95, 5.48, 7.66, 4.41, 3.14},
     {14.93, 9.07, 8.97, 7.85, 4.09, 4.96, 7.05, 3.35, 1.87},
     {17.76, 9.86, 10.25, 8.22, 4.02, 5.12, 7.26, 3.03, 1.39},
     {20.30, 13.43, 11.27, 11.72, 6.70, 5.55, 10.49, 5.89, 2.31},
     {24.51, 15.94, 13.39, 13.01, 7.96, 6.50, 11.27, 6.41, 2.70},
     {31.09, 18.68, 17.04, 13.61, 8.76, 8.29, 10.78, 5.82, 2.66}},
    {{6.05, 8.07, 8.58, 11.59, 10.59, 11.43, 15.05, 13.95, 13.97},
     {7.08, 9.21, 10.40, 14.52, 12.81, 13.80, 19.39, 17.75, 17.49},
     {6.34, 9.64, 10.90, 16.09, 14.17, 15.54, 21.89, 20.04, 19.76},
     {7.36, 10.82, 12.58, 18.23, 16.19, 17.76, 24.88, 22.82, 22.52},
     {8.00, 13.74, 13.64, 21.95, 19.50, 19.45, 28.83, 26.78, 25.26},
     {9.86, 16.01, 15.61, 24.36, 22.02, 21.73, 31.50, 29.45, 27.91},
     {12.91, 18.44, 18.57, 26.57, 24.48, 24.74, 33.87, 31.84, 30.63}}};

static const struct table table_5_2 = {
    150,
    {57, 40, 31, 26, 22, 19, 17},
    {{7.18, 8.55, 7.87, 5.8, 5.31, 5.63, 6.23, 5.26, 4.79},
     {9.15, 7.47, 5.95, 5.46, 4.27, 4.59, 6.08, 5.76, 4.2},
     {12.4, 7.54, 6.68, 7.44, 6.28, 5.62, 6.4, 5.85, 4.9},
     {15.77, 14.82, 11.74, 9.71, 7.7, 8.1, 11.12, 10.24, 7.14},
     {16.44, 14.88, 13.74, 14.18, 13.74, 9.47, 13.48, 12.74, 7.81},
     {18.76, 16.05, 16.22, 15.46, 13.25, 12.54, 12.88, 10.72, 9.42},
     {24.43, 19.35, 20.39, 17.39, 14.04, 15.48, 16.63, 15.01, 9.61}},
    {{4.46, 6.96, 6.69, 6.53, 6.39, 6.55, 8.46, 8.09, 8.02},
     {5.32, 6.63, 5.78, 7.42, 6.77, 7.18, 10.01, 9.78, 9.11},
     {7.2, 6.66, 6.72, 9.56, 9.28, 8.05, 11.48, 11.21, 10.67},
     {9.15, 10.78, 10.1, 10.4, 10.28, 11.2, 15, 15.76, 13.75},
     {9.54, 11.27, 11.19, 14.82, 14.75, 12.15, 17.47, 16.76, 13.93},
     {10.72, 12.92, 13.99, 16.66, 15.5, 15.76, 19, 17.88, 17.87},
     {14.27, 15.69, 16.95, 18.72, 17.3, 18.67, 22.39, 21.84, 19.35}},
    {{8.03, 7.16, 6.88, 6.89, 6.05, 5.86, 6.56, 5.80, 5.01},
     {9.02, 8.07, 7.44, 7.72, 6.54, 6.06, 7.45, 6.24, 4.80},
     {10.72, 8.56, 8.68, 7.96, 6.66, 6.93, 7.73, 6.14, 5.42},
     {12.68, 10.70, 10.23, 10.31, 8.46, 8.10, 9.87, 8.16, 6.30},
     {15.27, 12.29, 12.21, 11.17, 9.49, 9.57, 10.49, 8.57, 7.34},
     {18.48, 14.66, 14.69, 12.87, 11.17, 11.42, 11.70, 9.68, 8.67},
     {23.96, 19.59, 19.25, 17.06, 15.36, 15.26, 15.24, 13.25, 11.95}},
    {{5.09, 5.97, 6.03, 7.37, 6.91, 7.00, 8.67, 8.28, 8.02},
     {5.22, 6.72, 6.59, 8.70, 8.05, 7.99, 10.66, 9.99, 9.32},
     {6.14, 7.14, 7.83, 9.52, 8.85, 9.56, 12.07, 11.16, 11.29},
     {7.11, 8.88, 9.10, 11.94, 10.89, 11.09, 14.78, 13.82, 13.09},
     {8.67, 10.18, 10.82, 13.20, 12.34, 12.99, 16.30, 15.27, 15.15},
     {10.64, 12.09, 12.85, 15.06, 14.28, 15.09, 18.26, 17.19, 17.34},
     {14.14, 15.77, 16.17, 18.62, 17.86, 18.32, 21.66, 20.69, 20.54}}};

struct job {
  const struct table *table;
  size_t midpoints;
};

static enum ls_status compute_cell(void *context, size_t index, void *result,
                                   struct ls_error *err) {
  const struct job *job = context;
  size_t row = index / COLUMNS;
  struct ls_study_loss_cell cell = {job->table->tasks, 30 + 10 * (double)row,
                                    job->table->workers[row], index % COLUMNS, job->midpoints};
  return ls_study_loss_weigh(&cell, result, NULL, err);
}

/* The cells of one of the two figures together. */
struct verdict {
  const char *figure;
  double squares;  /* of the print's distances, in units of its noise */
  double furthest; /* from the recomputed expectations */
};

/* One printed cell. */
static void compare_cell(const char *where, double printed, double expected, double deviation,
                         struct verdict *verdict, struct ls_study_report *report) {
  char name[64];
  double noise = deviation / sqrt(RUNS);
  if (noise > 0) verdict->squares += (printed - expected) * (printed - expected) / (noise * noise);
  (void)snprintf(name, sizeof name, "%s: %s, %%", where, verdict->figure);
  ls_study_compare(report, name, ls_study_near(LS_STUDY_PRINTED, printed, NOISES * noise),
                   expected);
}

static void compare_cells(const struct table *table, struct ls_worsening (*cells)[COLUMNS],
                          struct verdict *time, struct verdict *efficiency,
                          struct ls_study_report *report) {
  for (size_t i = 0; i < SHARES; i++) {
    for (size_t j = 0; j < COLUMNS; j++) {
      const struct ls_worsening *cell = &cells[i][j];
      char where[32];
      (void)snprintf(where, sizeof where, "W %zu %%, %s", 30 + 10 * i,
                     ls_study_loss_strategies[j].name);
      compare_cell(where, table->time[i][j], cell->time_percent, cell->time_deviation, time,
                   report);
      compare_cell(where, table->efficiency[i][j], cell->efficiency_percent,
                   cell->efficiency_deviation, efficiency, report);
      time->furthest =
          fmax(time->furthest, fabs(table->time_recomputed[i][j] - cell->time_percent));
      efficiency->furthest = fmax(efficiency->furthest, fabs(table->efficiency_recomputed[i][j] -
                                                             cell->efficiency_percent));
    }
  }
}

static void compare_all(const struct verdict *verdict, bool is_all,
                        struct ls_study_report *report) {
  char name[96];
  (void)snprintf(name, sizeof name, "%s: rms distance of the print, in its noise", verdict->figure);
  ls_study_compare(report, name, ls_study_at_most(LS_STUDY_SPECIFIED, RMS_MAX),
                   sqrt(verdict->squares / (SHARES * COLUMNS)));
  (void)snprintf(name, sizeof name, "%s: largest distance from the recomputed cells, points",
                 verdict->figure);
  ls_study_compare(
      report, name,
      ls_study_judged_if(is_all, ls_study_at_most(LS_STUDY_RECOMPUTED, RECOMPUTED_TOLERANCE)),
      verdict->furthest);
}

static enum ls_status run_table(const struct table *table, const struct ls_study_options *options,
                                struct ls_study_report *report, struct ls_error *err) {
  struct ls_worsening cells[SHARES][COLUMNS];
  struct verdict time = {.figure = "time"}, efficiency = {.figure = "efficiency"};
  /* A sample is one of the instants of loss. */
  bool is_all = options->sample == 0 || options->sample >= LS_STUDY_LOSS_MIDPOINTS;
  struct job job = {table, is_all ? LS_STUDY_LOSS_MIDPOINTS : (size_t)options->sample};
  struct ls_parallel_map map = {.count = SHARES * COLUMNS,
                                .result_bytes = sizeof(struct ls_worsening),
                                .processes = options->processes,
                                .compute = compute_cell,
                                .context = &job};
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status != LS_OK) return status;
  ls_study_print(report,
                 "Worsening of time and efficiency in %% when one worker is lost in a cycle. The "
                 "print is a mean of %d\nruns: each cell is judged by four times the noise of such "
                 "a mean.\n",
                 RUNS);
  compare_cells(table, cells, &time, &efficiency, report);
  compare_all(&time, is_all, report);
  compare_all(&efficiency, is_all, report);
  return LS_OK;
}

static enum ls_status run_table_5_1(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  return run_table(&table_5_1, options, report, err);
}

static enum ls_status run_table_5_2(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  return run_table(&table_5_2, options, report, err);
}

const struct ls_study ls_study_adaptive_table_5_1 = {
    .name = "adaptive-table-5-1",
    .summary = "a lost worker with 50 tasks: no, single and complete replication",
    .reference = "heymann2001, Table 5-1",
    .run = run_table_5_1,
};

const struct ls_study ls_study_adaptive_table_5_2 = {
    .name = "adaptive-table-5-2",
    .summary = "a lost worker with 150 tasks: no, single and complete replication",
    .reference = "heymann2001, Table 5-2",
    .run = run_table_5_2,
};
