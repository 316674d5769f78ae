/* adaptive_orders.c: Tables 3-3 and 3-4 of the thesis on iterated applications: how far other
 * orders are behind the one that knows all times.
 *
 * A case is a workload with 30 tasks, a deviation of its times and a number of workers; its figures
 * are the means over 35 iterations.  The two tables contradict each other (17.29 % less efficiency
 * at equal work is 20.9 % more time, not 12.33 %), so that ours cannot meet both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "lab/studies/study.h"
#include "policies/ordering.h"
#include "runtime/os/parallel_map.h"
#include "theory/list_schedule.h"
#include "theory/workload.h"

enum { TASKS = 30, ITERATIONS = 35, ORDERS = 3, SHARES = 7, KINDS = 4, DEVIATIONS = 5 };
enum { LOADS = SHARES * KINDS * DEVIATIONS };
enum { RANDOM = 0, WORST_LOAD = (DEVIATIONS - 1) * SHARES * KINDS }; /* W 30 %, 0-0, D 100 % */

static const char *const orders[ORDERS] = {"random", "average", "lptf-expectation"};
static const double deviations[DEVIATIONS] = {0, 0.1, 0.3, 0.6, 1};

/* Of one workload: for each number of workers the loss against lptf, in per cent. */
struct losses {
  double time[ORDERS][TASKS], efficiency[ORDERS][TASKS];
};

static enum ls_status play(const char *name, const struct ls_ordering_view *view, double *spans,
                           struct ls_error *err) {
  uint64_t list[TASKS];
  const struct ls_ordering *ordering = ls_ordering_find(name);
  struct ls_ordering_view own = *view;
  ls_arguments_init(&own.arguments, ordering->parameters);
  enum ls_status status = ordering->arrange(list, &own, err);
  for (size_t n = 1; n <= TASKS && status == LS_OK; n++) {
    struct ls_list_schedule schedule;
    struct ls_list_setup setup = {.work = view->actual, .tasks = TASKS, .list = list, .workers = n};
    status = ls_list_schedule(&setup, &schedule, NULL, err);
    spans[n - 1] = schedule.makespan_s;
  }
  return status;
}

struct sums {
  double best[TASKS], best_efficiency[TASKS], work;
  double time[ORDERS][TASKS], efficiency[ORDERS][TASKS];
};

static enum ls_status play_iteration(const struct ls_ordering_view *view, struct sums *sums,
                                     struct ls_error *err) {
  double spans[TASKS], work = 0;
  enum ls_status status = play("lptf", view, spans, err);
  for (size_t i = 0; i < TASKS; i++) work += view->actual[i];
  for (size_t n = 0; n < TASKS && status == LS_OK; n++) {
    sums->best[n] += spans[n];
    sums->best_efficiency[n] += work / ((double)(n + 1) * spans[n]);
  }
  for (size_t k = 0; k < ORDERS && status == LS_OK; k++) {
    status = play(orders[k], view, spans, err);
    for (size_t n = 0; n < TASKS && status == LS_OK; n++) {
      sums->time[k][n] += spans[n];
      sums->efficiency[k][n] += work / ((double)(n + 1) * spans[n]);
    }
  }
  return status;
}

static void compare_orders(const struct sums *sums, struct losses *losses) {
  for (size_t k = 0; k < ORDERS; k++) {
    for (size_t n = 0; n < TASKS; n++) {
      losses->time[k][n] = 100 * (sums->time[k][n] / sums->best[n] - 1);
      losses->efficiency[k][n] = 100 * (1 - sums->efficiency[k][n] / sums->best_efficiency[n]);
    }
  }
}

static enum ls_status compute_load(void *context, size_t index, void *result,
                                   struct ls_error *err) {
  const struct ls_study_options *options = context;
  double base[TASKS], actual[TASKS], deviation = deviations[index / (SHARES * KINDS)];
  struct ls_workload workload = {TASKS, 30 + 10 * (double)(index % SHARES), index / SHARES % 2,
                                 index / SHARES / 2 % 2, 100};
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  struct ls_random random;
  struct sums sums;
  char stream[32];
  memset(&sums, 0, sizeof sums);
  (void)snprintf(stream, sizeof stream, "load-%zu", index);
  ls_random_init(&random, options->seed, stream);
  enum ls_status status = ls_workload_make(&workload, base, err);
  if (status == LS_OK) status = ls_task_history_create(&setup, &history, err);
  if (status == LS_OK) status = ls_task_history_reserve(history, TASKS, err);
  struct ls_ordering_view view = {.units = TASKS,
                                  .seed = options->seed + index,
                                  .expected = base,
                                  .actual = actual,
                                  .history = history};
  for (view.iteration = 0; view.iteration < ITERATIONS && status == LS_OK; view.iteration++) {
    for (size_t i = 0; i < TASKS; i++) {
      actual[i] = ls_workload_vary(base[i], deviation, ls_random_real(&random));
    }
    status = play_iteration(&view, &sums, err);
    for (size_t i = 0; i < TASKS; i++) ls_task_history_observe(history, i, actual[i]);
    ls_task_history_close_iteration(history);
  }
  ls_task_history_destroy(history);
  if (status == LS_OK) compare_orders(&sums, result);
  return status;
}

/* The loss of one order in one figure: the 95 % bound, the worst and the mean of all cases. */
struct summary {
  double bound, worst, mean;
  bool is_expected_worst; /* the worst case is the one that the thesis names */
};

static enum ls_status summarise(const struct losses *all, size_t order, bool is_time,
                                struct summary *summary, struct ls_error *err) {
  struct ls_sum sum = {0};
  size_t worst = 0;
  double *losses = calloc(LOADS * TASKS, sizeof *losses);
  if (losses == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %d cases", LOADS * TASKS);
  for (size_t i = 0; i < LOADS; i++) {
    memcpy(losses + i * TASKS, is_time ? all[i].time[order] : all[i].efficiency[order],
           TASKS * sizeof *losses);
  }
  for (size_t i = 0; i < LOADS * TASKS; i++) {
    ls_sum_add(&sum, losses[i]);
    if (losses[i] > losses[worst]) worst = i;
  }
  ls_sort_ascending(losses, LOADS * TASKS);
  *summary = (struct summary){.bound = ls_quantile_sorted(losses, LOADS * TASKS, 0.95),
                              .worst = losses[LOADS * TASKS - 1],
                              .mean = ls_sum_value(&sum) / (LOADS * TASKS),
                              .is_expected_worst = worst / TASKS == WORST_LOAD};
  free(losses);
  return LS_OK;
}

/* Means of an independent computation with 12 seeds; a tolerance is four times the deviation of one
 * seed (docs/theory/adaptive.md, 7). */
static const struct reference {
  double bound, bound_tolerance, mean, mean_tolerance;
  double bound_printed, worst_printed;
} references[2][ORDERS] = {{{22.71, 0.53, 7.213, 0.26, 25.4, 26.96},
                            {3.81, 0.43, 0.681, 0.055, 8.65, 16.86},
                            {3.02, 0.56, 0.435, 0.053, 8.91, 17.29}},
                           {{30.61, 0.99, 8.833, 0.34, 29.46, 35.7},
                            {3.90, 0.39, 0.738, 0.063, 7.16, 16.24},
                            {2.93, 0.39, 0.439, 0.049, 6.85, 12.33}}};
static const char CONTRADICTORY[] =
    "the two tables contradict each other: 17.29 % less efficiency at equal work is 20.9 % more "
    "time, not 12.33 %";

static void compare_summary(const struct summary *summary, size_t order, bool is_time,
                            struct ls_study_report *report) {
  const struct reference *reference = &references[is_time][order];
  const char *figure = is_time ? "time" : "efficiency";
  const struct {
    const char *name;
    struct ls_study_expected expected;
    double ours;
  } rows[] = {
      {"bound in 95 % of the cases",
       ls_study_unjudged(LS_STUDY_PRINTED, reference->bound_printed, CONTRADICTORY),
       summary->bound},
      {"bound in 95 % of the cases",
       ls_study_near(LS_STUDY_RECOMPUTED, reference->bound, reference->bound_tolerance),
       summary->bound},
      {"mean", ls_study_near(LS_STUDY_RECOMPUTED, reference->mean, reference->mean_tolerance),
       summary->mean},
      {"worst", ls_study_unjudged(LS_STUDY_PRINTED, reference->worst_printed, CONTRADICTORY),
       summary->worst},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[96];
    (void)snprintf(name, sizeof name, "%s, %s: %s, %%", figure, orders[order], rows[i].name);
    ls_study_compare(report, name, rows[i].expected, rows[i].ours);
  }
}

static const char LEFT_TO_CHANCE[] =
    "which of 4200 random cases is the worst is left to chance; for a random order it is another";

/* "Never performed worse than 7% in more than 95% of cases"; the worst efficiency "always
 * corresponded to 30% 0-0 workload with D=100%". */
static void compare_words(const struct summary *summary, size_t order, bool is_time,
                          struct ls_study_report *report) {
  char name[96];
  if (is_time && order != RANDOM) {
    (void)snprintf(name, sizeof name, "time, %s: bound in 95 %% of the cases, %%", orders[order]);
    ls_study_compare(report, name, ls_study_at_most(LS_STUDY_PRINTED, 7), summary->bound);
  }
  if (!is_time) {
    (void)snprintf(name, sizeof name, "efficiency, %s: worst with W 30 %% 0-0, D 100 %% (1: yes)",
                   orders[order]);
    ls_study_compare(report, name, ls_study_unjudged(LS_STUDY_PRINTED, 1, LEFT_TO_CHANCE),
                     summary->is_expected_worst);
  }
}

static enum ls_status run_orders(const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  struct losses *all = calloc(LOADS, sizeof *all);
  if (all == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %d workloads", LOADS);
  struct ls_parallel_map map = {.count = LOADS,
                                .result_bytes = sizeof *all,
                                .processes = options->processes,
                                .compute = compute_load,
                                .context = (void *)options};
  enum ls_status status = ls_parallel_map(&map, all, err);
  ls_study_print(report, "Loss against the order that knows all times, in %%, over %d cases.\n",
                 LOADS * TASKS);
  for (size_t i = 0; i < 2 * ORDERS && status == LS_OK; i++) {
    struct summary summary = {0};
    size_t order = i % ORDERS;
    bool is_time = i >= ORDERS;
    status = summarise(all, order, is_time, &summary, err);
    if (status != LS_OK) break;
    compare_summary(&summary, order, is_time, report);
    compare_words(&summary, order, is_time, report);
  }
  free(all);
  return status;
}

const struct ls_study ls_study_adaptive_orders = {
    .name = "adaptive-orders",
    .summary = "orders without foreknowledge against largest first: bounds of the loss",
    .reference = "heymann2001, Tables 3-3 and 3-4",
    .run = run_orders,
};
