/* adaptive_workers.c: Tables 4-1 and 4-2 of the thesis on iterated applications, and the perfect
 * numbers of its Table 5-2: how many workers are right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/studies/study.h"
#include "policies/sizing.h"
#include "theory/eer.h"
#include "theory/workload.h"

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

static bool is_in_set(const struct analysis *analysis, bool is_ideal, size_t n) {
  const struct ls_eer_point *point = &analysis->points[n - 1];
  return is_ideal ? ls_eer_is_ideal(point, &analysis->points[analysis->perfect])
                  : ls_eer_is_usable(point, &analysis->points[analysis->count - 1]);
}

static void find_ends(const struct analysis *analysis, bool is_ideal, size_t ends[2]) {
  ends[0] = ends[1] = 0;
  for (size_t n = 1; n <= analysis->count; n++) {
    if (!is_in_set(analysis, is_ideal, n)) continue;
    if (ends[0] == 0) ends[0] = n;
    ends[1] = n;
  }
}

/* "19-22", or "24-26 30-33" where the set has holes. */
static void print_set(const struct analysis *analysis, bool is_ideal,
                      struct ls_study_report *report) {
  size_t from = 0;
  struct ls_bytes text = {0};
  for (size_t n = 1; n <= analysis->count + 1; n++) {
    bool is_in = n <= analysis->count && is_in_set(analysis, is_ideal, n);
    if (is_in && from == 0) from = n;
    if (is_in || from == 0) continue;
    ls_bytes_printf(&text, "%s%zu-%zu", text.length > 0 ? " " : "", from, n - 1);
    from = 0;
  }
  ls_study_print(report, " %12s", ls_bytes_text(&text));
  ls_bytes_close(&text);
}

/* Of one row of Table 4-1: the ends of the printed interval, and of the two sets that the thesis
 * may mean, by an independent computation. */
static const struct sets {
  size_t printed[2];
  bool can_be_met[2];
  size_t ideal[2], usable[2];
} sets[SHARES] = {
    {{18, 22}, {false, true}, {19, 22}, {19, 22}}, {{13, 15}, {true, true}, {13, 15}, {13, 17}},
    {{10, 12}, {true, true}, {10, 12}, {11, 13}},  {{8, 10}, {false, true}, {9, 10}, {9, 11}},
    {{7, 9}, {false, false}, {8, 8}, {8, 9}},      {{6, 8}, {false, false}, {7, 7}, {7, 8}},
    {{6, 7}, {true, false}, {6, 6}, {6, 7}}};
static const char NO_FACTOR[] =
    "no single factor of the EER gives all printed ends: they need 1.108 to 1.143";

static void compare_sets(const struct analysis *analysis, size_t row,
                         struct ls_study_report *report) {
  static const char *const ends[2] = {"from", "to"};
  const struct sets *expected = &sets[row];
  size_t ideal[2], usable[2];
  find_ends(analysis, true, ideal);
  find_ends(analysis, false, usable);
  for (size_t k = 0; k < 2; k++) {
    char name[64];
    double printed = (double)expected->printed[k];
    (void)snprintf(name, sizeof name, "ideal set, %zu %%, %s", 30 + 10 * row, ends[k]);
    ls_study_compare(report, name,
                     expected->can_be_met[k]
                         ? ls_study_near(LS_STUDY_PRINTED, printed, 0)
                         : ls_study_unjudged(LS_STUDY_PRINTED, printed, NO_FACTOR),
                     (double)ideal[k]);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, (double)expected->ideal[k], 0),
                     (double)ideal[k]);
    (void)snprintf(name, sizeof name, "E >= 0.8 and time <= 1.1, %zu %%, %s", 30 + 10 * row,
                   ends[k]);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, (double)expected->usable[k], 0),
                     (double)usable[k]);
  }
}

/* "At this point, efficiency is 0.9 and execution time is 1.01 the execution time obtained when
 * each task is executed on a different machine." */
static void compare_perfect_point(const struct analysis *analysis, struct ls_study_report *report) {
  const struct ls_eer_point *perfect = &analysis->points[analysis->perfect];
  double slower = perfect->time_s / analysis->points[analysis->count - 1].time_s;
  static const char *const names[2] = {"30 %, 20 workers: efficiency",
                                       "30 %, 20 workers: time / that of 50"};
  ls_study_compare(report, names[0], ls_study_near(LS_STUDY_PRINTED, 0.9, 0.05),
                   perfect->efficiency);
  ls_study_compare(report, names[0], ls_study_near(LS_STUDY_RECOMPUTED, 0.915, 0.0005),
                   perfect->efficiency);
  ls_study_compare(report, names[1],
                   ls_study_unjudged(LS_STUDY_PRINTED, 1.01,
                                     "largest first gives 1.002, which is 1.01 only rounded up"),
                   slower);
  ls_study_compare(report, names[1], ls_study_near(LS_STUDY_RECOMPUTED, 1.002, 0.0005), slower);
}

static enum ls_status run_table_4_1(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const size_t printed[2][SHARES] = {{20, 14, 11, 9, 8, 7, 6}, {57, 40, 31, 26, 22, 19, 17}};
  (void)options;
  ls_study_print(report,
                 "Perfect numbers of equal workers, largest task first; all times differ.\n\n"
                 "tasks  W %%  perfect    asp    EER<=1.1   E>=.8, time<=1.1\n");
  for (size_t i = 0; i < 2 * SHARES; i++) {
    struct analysis analysis;
    char name[64];
    size_t tasks = i < SHARES ? 50 : 150;
    double share = 30 + 10 * (double)(i % SHARES);
    enum ls_status status = analyse(tasks, share, true, &analysis, err);
    if (status != LS_OK) return status;
    ls_study_print(report, "%5zu  %3.0f  %7zu  %5.1f", tasks, share, count_perfect(&analysis),
                   analysis.asp);
    print_set(&analysis, true, report);
    print_set(&analysis, false, report);
    ls_study_print(report, "\n");
    (void)snprintf(name, sizeof name, "perfect number, %zu tasks, %.0f %%", tasks, share);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_PRINTED, (double)printed[i / SHARES][i % SHARES], 0),
                     (double)count_perfect(&analysis));
    if (i == 0) compare_perfect_point(&analysis, report);
    if (i < SHARES) compare_sets(&analysis, i, report);
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

static const char NEAR_TIE_WORDS[] = "24 and 30 workers are a near tie: 24 is in the ideal set";

static void compare_tie(const struct analysis *analysis, size_t workers,
                        struct ls_study_report *report) {
  bool is_ideal =
      ls_eer_is_ideal(&analysis->points[workers - 1], &analysis->points[analysis->perfect]);
  ls_study_compare(report, "similar, 40 %: the printed number is in the ideal set (1: yes)",
                   ls_study_near(LS_STUDY_SPECIFIED, 1, 0), is_ideal);
}

static enum ls_status run_table_4_2(const struct ls_study_options *options,
                                    struct ls_study_report *report, struct ls_error *err) {
  static const double printed[2][SHARES] = {{.60, .48, .40, .34, .30, .26, .22},
                                            {.40, .28, .22, .18, .16, .14, .12}};
  (void)options;
  ls_study_print(report,
                 "Workers as a share of 50 tasks, whose large ones are similar or different.\n");
  for (size_t i = 0; i < 2 * SHARES; i++) {
    struct analysis analysis;
    char name[64];
    bool differ = i >= SHARES;
    double share = 30 + 10 * (double)(i % SHARES), fraction = printed[differ][i % SHARES];
    enum ls_status status = analyse(50, share, differ, &analysis, err);
    if (status != LS_OK) return status;
    double ours = (double)count_perfect(&analysis) / 50;
    (void)snprintf(name, sizeof name, "workers / tasks, %s, %.0f %%",
                   differ ? "different" : "similar", share);
    ls_study_compare(report, name,
                     i == NEAR_TIE ? ls_study_unjudged(LS_STUDY_PRINTED, fraction, NEAR_TIE_WORDS)
                                   : ls_study_near(LS_STUDY_PRINTED, fraction, 1e-9),
                     ours);
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
