/* adaptive_loss.c: Tables 5-1 and 5-2 of the thesis on iterated batches, and its section 5.6: what
 * a lost machine costs, and what copies save.
 *
 * The printed figures are means of 100 random runs: they are judged by their deviation from the
 * exact expectation in units of the noise of such a mean. */
#include <math.h>
#include <stdio.h>

#include "model/loss.h"
#include "model/workload.h"
#include "runtime/parallel_map.h"
#include "studies/study.h"

enum { SHARES = 7, COLUMNS = 9, TASKS_MAX = 150, MIDPOINTS = 40, RUNS = 100 };

/* Columns of the printed tables; SR and CR of one extra machine are one. */
static const struct {
  const char *name;
  size_t extra, replicas;
} columns[COLUMNS] = {{"NR0", 0, 0}, {"NR1", 1, 0}, {"SR1", 1, 1}, {"NR2", 2, 0}, {"SR2", 2, 1},
                      {"CR2", 2, 2}, {"NR3", 3, 0}, {"SR3", 3, 1}, {"CR3", 3, 3}};

struct table {
  size_t tasks, workers[SHARES];
  double time[SHARES][COLUMNS], efficiency[SHARES][COLUMNS]; /* printed, per cent */
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
     {15.06, 20.47, 17.94, 27.47, 25.5, 24.58, 33.56, 31.47, 31.05}}};

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
     {14.27, 15.69, 16.95, 18.72, 17.3, 18.67, 22.39, 21.84, 19.35}}};

struct job {
  const struct table *table;
  size_t midpoints;
};

static enum ls_status compute_cell(void *context, size_t index, void *result,
                                   struct ls_error *err) {
  const struct job *job = context;
  const struct table *table = job->table;
  double work[TASKS_MAX];
  size_t row = index / COLUMNS, column = index % COLUMNS;
  struct ls_workload workload = {table->tasks, 30 + 10 * (double)row, true, true, 100};
  enum ls_status status = ls_workload_make(&workload, work, err);
  struct ls_loss_study study = {.work = work,
                                .tasks = table->tasks,
                                .workers = table->workers[row],
                                .extra = columns[column].extra,
                                .replicas = columns[column].replicas,
                                .midpoints = job->midpoints};
  return status == LS_OK ? ls_loss_expect(&study, result, err) : status;
}

/* Squared deviation of the print in units of its noise. */
static double weigh(double printed, double expected, double deviation) {
  double noise = deviation / sqrt(RUNS);
  return noise > 0 ? (printed - expected) * (printed - expected) / (noise * noise) : 0;
}

static void print_rows(const struct table *table, struct ls_worsening cells[SHARES][COLUMNS],
                       struct ls_study_report *report) {
  ls_study_print(report, "Worsening of time / efficiency in %%; below it the print.\n\nW %%  ");
  for (size_t j = 0; j < COLUMNS; j++) ls_study_print(report, " %11s", columns[j].name);
  for (size_t i = 0; i < SHARES; i++) {
    ls_study_print(report, "\n%3zu  ", 30 + 10 * i);
    for (size_t j = 0; j < COLUMNS; j++) {
      ls_study_print(report, "   %4.1f/%4.1f", cells[i][j].time_percent,
                     cells[i][j].efficiency_percent);
    }
    ls_study_print(report, "\n     ");
    for (size_t j = 0; j < COLUMNS; j++) {
      ls_study_print(report, "   %4.1f/%4.1f", table->time[i][j], table->efficiency[i][j]);
    }
  }
  ls_study_print(report, "\n\n");
}

static enum ls_status run_table(const struct table *table, const double expected_rms[2],
                                const struct ls_study_options *options,
                                struct ls_study_report *report, struct ls_error *err) {
  struct ls_worsening cells[SHARES][COLUMNS];
  /* A sample is one of the instants of loss. */
  struct job job = {table, options->sample > 0 && options->sample < MIDPOINTS
                               ? (size_t)options->sample
                               : MIDPOINTS};
  struct ls_parallel_map map = {.count = SHARES * COLUMNS,
                                .result_bytes = sizeof(struct ls_worsening),
                                .processes = options->processes,
                                .compute = compute_cell,
                                .context = &job};
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status != LS_OK) return status;
  double time = 0, efficiency = 0;
  for (size_t i = 0; i < SHARES; i++) {
    for (size_t j = 0; j < COLUMNS; j++) {
      const struct ls_worsening *cell = &cells[i][j];
      time += weigh(table->time[i][j], cell->time_percent, cell->time_deviation);
      efficiency +=
          weigh(table->efficiency[i][j], cell->efficiency_percent, cell->efficiency_deviation);
    }
  }
  print_rows(table, cells, report);
  ls_study_print(report,
                 "The print's root mean square deviation from these expectations, in units of the "
                 "noise\nof a mean of %d runs: about 1 where both agree, judged up to 1.3.\n",
                 RUNS);
  ls_study_compare(report, "deviation of the times from ours / noise", expected_rms[0],
                   sqrt(time / (SHARES * COLUMNS)), 0.3);
  ls_study_compare(report, "deviation of the efficiencies from ours / noise", expected_rms[1],
                   sqrt(efficiency / (SHARES * COLUMNS)), 0.3);
  return LS_OK;
}

static enum ls_status run_table_5_1(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const double rms[2] = {1, 1};
  return run_table(&table_5_1, rms, options, report, err);
}

static enum ls_status run_table_5_2(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const double rms[2] = {1, 1};
  return run_table(&table_5_2, rms, options, report, err);
}

const struct ls_study ls_study_adaptive_table_5_1 = {
    .name = "adaptive-table-5-1",
    .summary = "a lost machine with 50 tasks: no, single and complete replication",
    .reference = "heymann2001, Table 5-1",
    .run = run_table_5_1,
};

const struct ls_study ls_study_adaptive_table_5_2 = {
    .name = "adaptive-table-5-2",
    .summary = "a lost machine with 150 tasks: no, single and complete replication",
    .reference = "heymann2001, Table 5-2",
    .run = run_table_5_2,
};

/* ---- section 5.6: a loss with a probability ---- */

static enum ls_status weigh_probabilities(double share, size_t workers,
                                          struct ls_study_report *report, double *at_40,
                                          struct ls_error *err) {
  static const size_t shown[] = {0, 1, 2, 3, 5, 6, 8};
  double work[TASKS_MAX];
  struct ls_workload workload = {50, share, true, true, 100};
  enum ls_status status = ls_workload_make(&workload, work, err);
  ls_study_print(report, "\nW = %.0f %%, %zu workers; probability of a loss 10 %% .. 90 %%\n",
                 share, workers);
  for (size_t j = 0; j < sizeof shown / sizeof *shown && status == LS_OK; j++) {
    size_t column = shown[j];
    struct ls_worsening lost, spared;
    struct ls_loss_study study = {.work = work,
                                  .tasks = 50,
                                  .workers = workers,
                                  .extra = columns[column].extra,
                                  .replicas = columns[column].replicas,
                                  .midpoints = MIDPOINTS};
    status = ls_loss_expect(&study, &lost, err);
    if (status == LS_OK) {
      /* Without a loss nothing is copied: the machines are the same, the copies idle. */
      study.replicas = 0;
      status = ls_loss_spared(&study, &spared, err);
    }
    if (status != LS_OK) return status;
    ls_study_print(report, "%-4s", columns[column].name);
    for (int k = 1; k <= 9; k++) {
      double q = k / 10.0;
      ls_study_print(report, " %5.1f/%4.1f", q * lost.time_percent + (1 - q) * spared.time_percent,
                     q * lost.efficiency_percent + (1 - q) * spared.efficiency_percent);
    }
    ls_study_print(report, "\n");
    if (column == 0) *at_40 = 0.4 * lost.time_percent + 0.6 * spared.time_percent;
  }
  return status;
}

static enum ls_status run_probability(const struct ls_study_options *options,
                                      struct ls_study_report *report, struct ls_error *err) {
  double at_40[2] = {0};
  (void)options;
  ls_study_print(report,
                 "Worsening of time / efficiency in %% when a machine is lost in a cycle with some "
                 "probability.\nThe statement that the time worsens by more than 10 %% only from a "
                 "probability of 50 %% on\nfails for W = 90 %%.\n");
  enum ls_status status = weigh_probabilities(30, 20, report, &at_40[0], err);
  if (status == LS_OK) status = weigh_probabilities(90, 6, report, &at_40[1], err);
  if (status != LS_OK) return status;
  ls_study_compare(report, "time at a probability of 40 %, W = 90 % (recomputed)", 12.4, at_40[1],
                   0.05);
  return LS_OK;
}

const struct ls_study ls_study_adaptive_loss_probability = {
    .name = "adaptive-loss-probability",
    .summary = "what extra machines and copies gain when a loss is only likely",
    .reference = "heymann2001, section 5.6, Figures 5-8 and 5-9",
    .run = run_probability,
};
