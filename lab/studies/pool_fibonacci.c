/* pool_fibonacci.c: Tables 4-3 to 4-6 of the thesis: a synthetic application of 28 tasks and 35
 * iterations on so many workers, and on as many as the static table says.
 *
 * The large fifth of the tasks has 50 % of the work, as 1 : 2 : 3 ... (Tables 4-3, 4-5), or 30 %,
 * all alike (4-4, 4-6); a task lasts up to 30 % longer or shorter in each iteration.  What is
 * expected are means over runs under list scheduling, whose times are those of apps/fibonacci with
 * the same seed.  Speed-up is the work over the time, efficiency the work over the workers' time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "lab/studies/batches.h"
#include "lab/studies/side_by_side.h"
#include "lab/studies/study.h"
#include "policies/sizing.h"
#include "runtime/os/parallel_map.h"
#include "theory/workload.h"

enum { TASKS = 28, ITERATIONS = 35, RUNS = 200, RUNS_LEAST = 20, FEW_WORKERS = 15 };
enum { SPEED_UP, EFFICIENCY, FIGURES };
static const char *const figure_names[FIGURES] = {"speed-up", "efficiency"};
static const double VARIATION = 0.3;
/* Of what is measured: a share of the speed-up, and points of efficiency (docs/theory/pool.md, 1).
 */
static const double SPEED_UP_SHARE = 0.05, EFFICIENCY_NEAR = 0.03;
/* Of what is specified, which is a mean of fewer runs: a share beyond half of the last digit; and
 * where fewer runs than usual are played, four standard errors of ours. */
static const double SPECIFIED_SHARE = 0.01, NOISES = 4;

static const struct load {
  double share_percent;
  bool is_different;
} loads[] = {{50, true}, {30, false}};

/* One column of the tables; 0: nothing is printed or specified. */
static const struct column {
  const struct load *load;
  const char *order;
  size_t workers; /* 0: as the static table says */
  double printed[FIGURES], specified[FIGURES];
} columns[] = {
    {&loads[0], "average", 5, {4.81, 0.94}, {4.93, 0.99}},
    {&loads[0], "average", 8, {6.49, 0.80}, {6.70, 0.84}},
    {&loads[0], "average", 10, {6.49, 0.65}, {6.78, 0.68}},
    {&loads[0], "average", 15, {6.16, 0.43}, {6.80, 0.45}},
    {&loads[0], "average", 18, {0, 0}, {0, 0}},
    {&loads[0], "average", 20, {6.68, 0.33}, {6.81, 0.34}},
    {&loads[0], "average", 25, {6.52, 0.28}, {6.81, 0.27}},
    {&loads[0], "average", 28, {6.31, 0.22}, {6.81, 0.24}},
    {&loads[0], "average", 0, {0, 0}, {0, 0}},
    {&loads[0], "random", 5, {4.00, 0.80}, {0, 0}},
    {&loads[0], "random", 10, {5.68, 0.56}, {0, 0}},
    {&loads[0], "random", 15, {6.04, 0.40}, {0, 0}},
    {&loads[0], "random", 20, {6.59, 0.34}, {0, 0}},
    {&loads[0], "random", 25, {6.62, 0.26}, {0, 0}},
    {&loads[0], "random", 28, {6.31, 0.26}, {0, 0}},
    {&loads[1], "average", 5, {4.52, 0.88}, {4.68, 0}},
    {&loads[1], "average", 8, {0, 0}, {0, 0}},
    {&loads[1], "average", 10, {8.03, 0.78}, {8.56, 0}},
    {&loads[1], "average", 15, {11.13, 0.79}, {11.8, 0}},
    {&loads[1], "average", 18, {11.56, 0.74}, {13.7, 0}},
    {&loads[1], "average", 20, {12.25, 0.65}, {14.5, 0}},
    {&loads[1], "average", 25, {13.78, 0.65}, {15.9, 0}},
    {&loads[1], "average", 28, {14.35, 0.65}, {16.4, 0}},
    {&loads[1], "average", 0, {0, 0}, {0, 0}},
    {&loads[1], "random", 5, {4.31, 0.87}, {0, 0}},
    {&loads[1], "random", 10, {6.70, 0.82}, {0, 0}},
    {&loads[1], "random", 15, {10.99, 0.81}, {0, 0}},
    {&loads[1], "random", 20, {12.03, 0.70}, {0, 0}},
    {&loads[1], "random", 25, {14.07, 0.66}, {0, 0}},
    {&loads[1], "random", 28, {15.31, 0.63}, {0, 0}},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char NOT_THERE[] =
    "machines of the thesis came late, were taken away and were not all there (speed-up over "
    "efficiency is 22 of 28)";

/* ---- one run ---- */

struct run {
  const struct column *column;
  const struct ls_sizing *sizing; /* NULL: so many workers as the column has */
  struct ls_sizing_view sizing_view;
  struct ls_sizing_memory memory;
  struct ls_ordering_view view;
  struct ls_task_history *history;
  double work_s, time_s, up_s;
};

static size_t choose_workers(struct run *run) {
  return run->sizing == NULL ? run->column->workers : run->sizing->wanted(&run->sizing_view, TASKS);
}

static enum ls_status play_iteration(struct run *run, const double *times, struct ls_error *err) {
  const struct ls_study_order order = {run->column->order, NULL};
  struct ls_list_schedule schedule;
  size_t workers = choose_workers(run);
  enum ls_status status = ls_study_batch(&order, &run->view, workers, &schedule, err);
  if (status == LS_OK) status = ls_task_facts(times, TASKS, &run->sizing_view.tasks, err);
  if (status != LS_OK) return status;
  run->work_s += schedule.useful_cost;
  run->up_s += schedule.up_cost;
  run->time_s += schedule.makespan_s;
  run->sizing_view.is_start = 0;
  run->sizing_view.iteration = run->view.iteration;
  /* Whoever is asked for joins in the iteration; whoever is released is gone before it. */
  run->sizing_view.was_changed = run->view.iteration > 0 && workers > run->sizing_view.current;
  run->sizing_view.wanted = run->sizing_view.current = workers;
  run->sizing_view.iteration_seconds = schedule.makespan_s;
  run->sizing_view.efficiency = schedule.efficiency;
  for (size_t i = 0; i < TASKS; i++) ls_task_history_observe(run->history, i, times[i]);
  ls_task_history_close_iteration(run->history);
  return LS_OK;
}

static enum ls_status play_run(struct run *run, uint64_t seed, struct ls_error *err) {
  const struct load *load = run->column->load;
  const struct ls_workload workload = {TASKS, load->share_percent, load->is_different,
                                       load->is_different, TASKS};
  double usual[TASKS], times[TASKS];
  struct ls_random random;
  enum ls_status status = ls_workload_make(&workload, usual, err);
  ls_random_init(&random, seed, "workload");
  run->view.actual = times;
  for (uint32_t k = 0; k < ITERATIONS && status == LS_OK; k++) {
    for (size_t i = 0; i < TASKS; i++)
      times[i] = ls_workload_vary(usual[i], VARIATION, ls_random_real(&random));
    run->view.iteration = k;
    status = play_iteration(run, times, err);
  }
  return status;
}

struct figures {
  double of[FIGURES];
};

struct work {
  uint64_t seed;
};

static enum ls_status play_item(void *context, size_t index, void *result, struct ls_error *err) {
  const struct work *work = context;
  const struct column *column = &columns[index % COLUMNS];
  const struct ls_task_history_setup setup = {0};
  uint64_t seed = work->seed + index / COLUMNS;
  struct figures *figures = result;
  struct run run = {.column = column,
                    .sizing = column->workers == 0 ? ls_sizing_find("table") : NULL,
                    .sizing_view = {.is_start = 1, .units = TASKS},
                    .view = {.units = TASKS, .seed = seed}};
  run.sizing_view.memory = &run.memory;
  if (run.sizing != NULL) ls_arguments_init(&run.sizing_view.arguments, run.sizing->parameters);
  enum ls_status status = ls_task_history_create(&setup, &run.history, err);
  if (status == LS_OK) status = ls_task_history_reserve(run.history, TASKS, err);
  run.view.history = run.history;
  if (status == LS_OK) status = play_run(&run, seed, err);
  ls_task_history_destroy(run.history);
  if (status != LS_OK) return status;
  figures->of[SPEED_UP] = run.work_s / run.time_s;
  figures->of[EFFICIENCY] = run.work_s / run.up_s;
  return LS_OK;
}

/* ---- what is reported ---- */

static void name_row(const struct column *column, const char *figure, struct ls_study_beside *row) {
  char workers[32] = "table";
  if (column->workers > 0) (void)snprintf(workers, sizeof workers, "%zu workers", column->workers);
  (void)snprintf(row->name, sizeof row->name, "W %.0f %%, %s, %s: %s", column->load->share_percent,
                 column->order, workers, figure);
}

/* Half of the last digit that is specified. */
static double find_half_digit(double value) {
  return value >= 10 ? 0.05 : 0.005;
}

static void fill_row(const struct column *column, size_t figure, const struct ls_moments *ours,
                     struct ls_study_beside *row) {
  double printed = column->printed[figure], specified = column->specified[figure];
  double error = ls_moments_deviation(ours) / sqrt((double)ours->count);
  double noise = ours->count < RUNS ? NOISES * error : 0;
  name_row(column, figure_names[figure], row);
  row->printed = printed > 0 ? printed : (double)NAN;
  row->specified = specified > 0 ? specified : (double)NAN;
  row->near = find_half_digit(specified) + SPECIFIED_SHARE * specified + noise;
  if (ours->count < RUNS_LEAST) row->near = (double)NAN;
  row->expected = ours->mean;
  row->tolerance = figure == SPEED_UP ? SPEED_UP_SHARE * ours->mean : EFFICIENCY_NEAR;
}

/* "For less than 15 processors, the Random & Average policy performs significantly better than the
 * Random policy [...]. When 15 or more processors are used, differences between both policies were
 * almost negligible." */
static void compare_orders(const struct ls_study_beside *rows, size_t random, size_t average,
                           bool is_judged, struct ls_study_report *report) {
  const struct column *column = &columns[random];
  const struct ls_study_beside *slow = &rows[FIGURES * random], *fast = &rows[FIGURES * average];
  char name[96];
  (void)snprintf(name, sizeof name, "W %.0f %%, %zu workers: speed-up of average / random",
                 column->load->share_percent, column->workers);
  struct ls_study_expected expected =
      column->workers < FEW_WORKERS
          ? ls_study_judged_if(is_judged, ls_study_at_least(LS_STUDY_PRINTED, 1))
          : ls_study_unjudged(LS_STUDY_PRINTED, fast->printed / slow->printed, NOT_THERE);
  ls_study_compare(report, name, expected, fast->expected / slow->expected);
}

static void compare_all_orders(const struct ls_study_beside *rows, bool is_judged,
                               struct ls_study_report *report) {
  for (size_t i = 0; i < COLUMNS; i++) {
    if (strcmp(columns[i].order, "random") != 0) continue;
    for (size_t j = 0; j < COLUMNS; j++) {
      bool is_alike =
          columns[j].load == columns[i].load && columns[j].workers == columns[i].workers;
      if (is_alike && j != i) compare_orders(rows, i, j, is_judged, report);
    }
  }
}

/* The print's shares of the tasks, W 30 to 90 %, where the large tasks are similar and where they
 * are different.  Of 100 tasks each hundredth is a worker. */
static void compare_table(struct ls_study_report *report) {
  enum { SHARES = 7, KINDS = 2, HUNDRED = 100 };
  static const double table_4_2[KINDS][SHARES] = {{.60, .48, .40, .34, .30, .26, .22},
                                                  {.40, .28, .22, .18, .16, .14, .12}};
  for (size_t i = 0; i < KINDS * SHARES; i++) {
    char name[64];
    size_t kind = i / SHARES, place = i % SHARES, column;
    struct ls_task_facts facts = {
        .tasks = HUNDRED, .share_percent = 30 + 10 * (double)place, .is_large_different = kind > 0};
    double ours = (double)ls_sizing_table_workers(&facts, HUNDRED, &column) / HUNDRED;
    (void)snprintf(name, sizeof name, "W %.0f %%, %s: workers of the table / tasks",
                   facts.share_percent, kind > 0 ? "different" : "similar");
    ls_study_compare(report, name, ls_study_near(LS_STUDY_PRINTED, table_4_2[kind][place], 1e-9),
                     ours);
  }
}

static enum ls_status report_runs(const struct ls_study_options *options,
                                  const struct figures *figures, size_t runs,
                                  struct ls_study_report *report, struct ls_error *err) {
  struct ls_study_beside rows[COLUMNS * FIGURES] = {0};
  for (size_t i = 0; i < COLUMNS * FIGURES; i++) {
    struct ls_moments moments = {0};
    for (size_t k = 0; k < runs; k++)
      ls_moments_add(&moments, figures[k * COLUMNS + i / FIGURES].of[i % FIGURES]);
    fill_row(&columns[i / FIGURES], i % FIGURES, &moments, &rows[i]);
  }
  enum ls_status status = ls_study_beside_read(options->measured, rows, COLUMNS * FIGURES, err);
  if (status != LS_OK) return status;
  ls_study_print(
      report,
      "Expected are means of %zu runs under list scheduling.  Slips of the print: Tables 4-4 and "
      "4-6 have the\nefficiencies .78 .79 and .84 .82 for the same runs (W 30 %%, 10 and 15 "
      "workers); the 8 workers of Table 4-3\nare the share of Table 4-2 for W 40 %% (.28 of 28), "
      "that for 50 %% gives 6.\n\n",
      runs);
  ls_study_beside_report(rows, COLUMNS * FIGURES, NOT_THERE, report);
  compare_all_orders(rows, runs >= RUNS_LEAST, report);
  compare_table(report);
  return LS_OK;
}

static enum ls_status run_fibonacci(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  struct work work = {options->seed};
  size_t runs = options->sample > 0 ? (size_t)options->sample : RUNS;
  struct figures *figures = calloc(runs * COLUMNS, sizeof *figures);
  if (figures == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu runs", runs);
  struct ls_parallel_map map = {.count = runs * COLUMNS,
                                .result_bytes = sizeof *figures,
                                .processes = options->processes,
                                .compute = play_item,
                                .context = &work};
  enum ls_status status = ls_parallel_map(&map, figures, err);
  if (status == LS_OK) status = report_runs(options, figures, runs, report, err);
  free(figures);
  return status;
}

const struct ls_study ls_study_pool_fibonacci = {
    .name = "pool-fibonacci",
    .summary = "28 tasks that vary, on 5 to 28 workers: printed, expected, and measured",
    .reference = "heymann2001, Tables 4-3 to 4-6",
    .takes_measured = true,
    .run = run_fibonacci,
};
