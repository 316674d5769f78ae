/* adaptive_workers.c: Tables 4-1 and 4-2 of the thesis on iterated batches, and the perfect numbers
 * of its Table 5-2: how many workers are right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/eer.h"
#include "model/workload.h"
#include "policies/sizing.h"
#include "studies/study.h"

enum { SHARES = 7, TASKS_MAX = 150 };

struct analysis {
  struct ls_eer_point points[TASKS_MAX];
  size_t count, perfect;
  double asp;
};

static enum ls_status analyse(size_t tasks, double share, bool differ, struct analysis *analysis,
                              struct ls_error *err) {
  double work[TASKS_MAX];
  struct ls_workload workload = {tasks, share, differ, differ, 100};
  enum ls_status status = ls_workload_make(&workload, work, err);
  struct ls_list_setup setup = {.work = work, .tasks = tasks, .workers = tasks};
  if (status == LS_OK) status = ls_eer_curve(&setup, analysis->points, err);
  if (status != LS_OK) return status;
  analysis->count = tasks;
  analysis->perfect = ls_eer_perfect(analysis->points, tasks);
  analysis->asp = ls_task_asp(work, tasks);
  return LS_OK;
}

static size_t count_perfect(const struct analysis *analysis) {
  return analysis->points[analysis->perfect].workers;
}

/* "19-22", or "24-26 30-33" where the set has holes. */
static void print_set(const struct analysis *analysis, bool is_ideal,
                      struct ls_study_report *report) {
  const struct ls_eer_point *perfect = &analysis->points[analysis->perfect];
  size_t from = 0;
  struct ls_bytes text = {0};
  for (size_t n = 1; n <= analysis->count + 1; n++) {
    bool is_in = n <= analysis->count &&
                 (is_ideal ? ls_eer_is_ideal(&analysis->points[n - 1], perfect)
                           : ls_eer_is_usable(&analysis->points[n - 1],
                                              &analysis->points[analysis->count - 1]));
    if (is_in && from == 0) from = n;
    if (is_in || from == 0) continue;
    ls_bytes_printf(&text, "%s%zu-%zu", text.length > 0 ? " " : "", from, n - 1);
    from = 0;
  }
  ls_study_print(report, " %12s", ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static enum ls_status run_table_4_1(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const size_t printed[2][SHARES] = {{20, 14, 11, 9, 8, 7, 6}, {57, 40, 31, 26, 22, 19, 17}};
  static const char *const intervals[SHARES] = {"18-22", "13-15", "10-12", "8-10",
                                                "7-9",   "6-8",   "6-7"};
  (void)options;
  ls_study_print(report,
                 "Perfect numbers of equal workers, largest task first; all times differ. No "
                 "single factor\ngives the printed intervals (their ends need 1.108 to 1.143): "
                 "they are shown, not judged.\n\n"
                 "tasks  W %%  perfect  printed    asp    EER<=1.1   E>=.8, time<=1.1  printed\n");
  for (size_t i = 0; i < 2 * SHARES; i++) {
    struct analysis analysis;
    char name[64];
    size_t tasks = i < SHARES ? 50 : 150;
    double share = 30 + 10 * (double)(i % SHARES);
    enum ls_status status = analyse(tasks, share, true, &analysis, err);
    if (status != LS_OK) return status;
    ls_study_print(report, "%5zu  %3.0f  %7zu  %7zu  %5.1f", tasks, share, count_perfect(&analysis),
                   printed[i / SHARES][i % SHARES], analysis.asp);
    print_set(&analysis, true, report);
    print_set(&analysis, false, report);
    ls_study_print(report, "       %s\n", i < SHARES ? intervals[i] : "");
    (void)snprintf(name, sizeof name, "perfect number, %zu tasks, %.0f %%", tasks, share);
    ls_study_compare(report, name, (double)printed[i / SHARES][i % SHARES],
                     (double)count_perfect(&analysis), 0);
  }
  return LS_OK;
}

const struct ls_study ls_study_adaptive_table_4_1 = {
    .name = "adaptive-table-4-1",
    .summary = "perfect numbers and ideal sets of workers, for 50 and 150 tasks",
    .reference = "heymann2001, Tables 4-1 and 5-2",
    .run = run_table_4_1,
};

/* Row of Table 4-2 whose printed number is not ours. */
enum { NEAR_TIE = 1 };

static void compare_tie(const struct analysis *analysis, size_t workers,
                        struct ls_study_report *report) {
  bool is_ideal =
      ls_eer_is_ideal(&analysis->points[workers - 1], &analysis->points[analysis->perfect]);
  ls_study_compare(report, "similar, 40 %: the printed number is in the ideal set (1: yes)", 1,
                   is_ideal, 0);
}

static enum ls_status run_table_4_2(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const double printed[2][SHARES] = {{.60, .48, .40, .34, .30, .26, .22},
                                            {.40, .28, .22, .18, .16, .14, .12}};
  (void)options;
  ls_study_print(report,
                 "Workers as a share of 50 tasks. With similar tasks and W = 40 %% the printed 24 "
                 "and our 30\nare a near tie: judged is that 24 is in the ideal set.\n\n"
                 "large tasks   W %%  perfect/50  printed\n");
  for (size_t i = 0; i < 2 * SHARES; i++) {
    struct analysis analysis;
    char name[64];
    bool differ = i >= SHARES;
    double share = 30 + 10 * (double)(i % SHARES), fraction = printed[differ][i % SHARES];
    enum ls_status status = analyse(50, share, differ, &analysis, err);
    if (status != LS_OK) return status;
    double ours = (double)count_perfect(&analysis) / 50;
    ls_study_print(report, "%-11s  %4.0f  %10.2f  %7.2f\n", differ ? "different" : "similar", share,
                   ours, fraction);
    (void)snprintf(name, sizeof name, "workers / tasks, %s, %.0f %%",
                   differ ? "different" : "similar", share);
    ls_study_compare(report, name, fraction, ours, i == NEAR_TIE ? (double)NAN : 1e-9);
    if (i == NEAR_TIE) compare_tie(&analysis, (size_t)(50 * fraction + 0.5), report);
  }
  return LS_OK;
}

const struct ls_study ls_study_adaptive_table_4_2 = {
    .name = "adaptive-table-4-2",
    .summary = "the static table of workers by the share of the large tasks",
    .reference = "heymann2001, Table 4-2",
    .run = run_table_4_2,
};
