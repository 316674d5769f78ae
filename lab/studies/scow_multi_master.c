/* scow_multi_master.c: many masters instead of one, each with workers and load of its own.
 *
 * Source: delatorre2009, section 6.5, Tables 6-12 and 6-13: branch and bound level by level, on 5
 * sequences of 40 characters with motifs of 5.  Every worker of a level becomes the master of what
 * it found, so level 5 has 54 masters.  The thesis prints no costs of this program.  Those of a
 * level are found here from what it prints of one master (Table 6-12), with the latencies of Table
 * 6-7; Table 6-13 is then a prediction.
 */
#include <math.h>
#include <stdio.h>

#include "lab/studies/planning.h"
#include "lab/studies/study.h"
#include "report/plot.h"

enum { LEVELS = 4, POSITIONS = 36, WORKERS_MOST = 60, BISECTIONS = 40, SPLITS = 10 };

/* Table 6-7 in [25,450]: E + S of the master, R + W of a worker. */
static const double SEND_LATENCY_S = 4.4e-5, COMPUTE_LATENCY_S = 4.3e-5;
/* Table 6-12 prints the sum of its four times as 5.2390 s. */
static const double PRINTED_TOTAL_S = 5.2390;
static const double PRINTED_MAKESPAN_S = 0.5547;
/* 42 masters with 15 workers, 11 with 16, one with 18. */
static const double WORKERS_IN_ALL = 42 * 15 + 11 * 16 + 18;
/* What docs/theory/scow.md, 10, allows where coefficients are printed with two digits. */
static const double TOLERANCE = 0.05;

static const struct level {
  double number, tasks;
  double workers, predicted_s, actual_s; /* of one master, Table 6-12 */
  double masters, longest_s;             /* Table 6-13 */
} levels[LEVELS] = {{2, 36, 2, 0.0076, 0.0101, 1, 0.0076},
                    {3, 1296, 3, 0.0697, 0.0799, 2, 0.0402},
                    {4, 46656, 9, 0.7925, 0.8282, 6, 0.1843},
                    {5, 362401, 16, 4.1138, 4.3308, 54, 0.5068}};

/* What a task of a level costs. */
struct law {
  struct ls_cost send, compute;
};

static enum ls_status plan(const struct law *law, size_t workers, double tasks,
                           const char *algorithm, struct ls_study_plan *result,
                           struct ls_error *err) {
  struct ls_platform platform;
  enum ls_status status = ls_study_identical(&platform, workers, law->send, law->compute, err);
  if (status != LS_OK) return status;
  status = ls_study_plan(&platform, tasks, algorithm, result, err);
  ls_platform_close(&platform);
  return status;
}

/* A master that keeps k workers busy, and no more, sends a task in 1/k to 1/(k-1) of the time that
 * a worker computes it in; between both, the time that is printed has one solution. */
static enum ls_status find_law(const struct level *level, struct law *law, struct ls_error *err) {
  double ratio = level->workers - 0.5;
  double each_s = level->predicted_s / level->tasks, least_s = each_s / 10, most_s = 2 * each_s;
  enum ls_status status = LS_OK;
  for (int i = 0; i < BISECTIONS && status == LS_OK; i++) {
    double middle_s = (least_s + most_s) / 2;
    struct ls_study_plan found;
    *law = (struct law){{SEND_LATENCY_S, middle_s}, {COMPUTE_LATENCY_S, ratio * middle_s}};
    status = plan(law, WORKERS_MOST, level->tasks, "scow-mp:search=published", &found, err);
    if (status != LS_OK) break;
    if (found.predicted_s > level->predicted_s)
      most_s = middle_s;
    else
      least_s = middle_s;
  }
  return status;
}

static void compare(struct ls_study_report *report, double level, const char *what,
                    struct ls_study_expected expected, double ours) {
  char name[96];
  (void)snprintf(name, sizeof name, "level %g: %s", level, what);
  ls_study_compare(report, name, expected, ours);
}

/* ---- Table 6-12: one master ---- */

static enum ls_status compare_one_master(const struct law *laws, struct ls_study_report *report,
                                         struct ls_error *err) {
  static const char FITTED[] = "the costs of the level were found from it";
  static const char SUM[] = "the printed times add up to 5.2490";
  double total_s = 0, tasks = 1;
  enum ls_status status = LS_OK;
  ls_study_print(report,
                 "One master (Table 6-12); h, c: seconds of a task at the master, at a worker\n"
                 "level    tasks         h           c\n");
  for (size_t i = 0; i < LEVELS && status == LS_OK; i++) {
    const struct level *level = &levels[i];
    struct ls_study_plan found;
    tasks *= POSITIONS;
    total_s += level->actual_s;
    ls_study_print(report, "%5g  %7g  %9.4g  %10.4g\n", level->number, level->tasks,
                   laws[i].send.per_unit_s, laws[i].compute.per_unit_s);
    status = plan(&laws[i], WORKERS_MOST, level->tasks, "scow-mp:search=published", &found, err);
    if (status != LS_OK) return status;
    /* Level 5 has 22 % of all nodes, a number without digits. */
    compare(report, level->number, "tasks",
            ls_study_near(LS_STUDY_PRINTED, level->tasks, i + 1 < LEVELS ? 0 : 0.005 * tasks),
            i + 1 < LEVELS ? tasks : 0.22 * tasks);
    compare(report, level->number, "one master: workers",
            ls_study_near(LS_STUDY_PRINTED, level->workers, 0), (double)found.workers);
    compare(report, level->number, "one master, s",
            ls_study_unjudged(LS_STUDY_PRINTED, level->predicted_s, FITTED), found.predicted_s);
  }
  ls_study_compare(report, "one master: all levels as measured, s",
                   ls_study_unjudged(LS_STUDY_PRINTED, PRINTED_TOTAL_S, SUM), total_s);
  return status;
}

/* ---- Table 6-13: a master for each worker of the level before ---- */

static const char NOT_PRINTED[] =
    "how many nodes are left to each master is not printed; in the mean they are few";

/* When the levels end, from the start: what the row of longest times must be, since they add up to
 * more than the makespan, and 0.5068 s of level 5 alone would be more tasks than a master can have.
 */
struct ends {
  double even_s; /* every master has as many tasks as the others */
  double full_s; /* one master of level 5 has all children of its nodes */
  double workers;
};

/* Of even shares: those of level 5 are not. */
static struct ls_study_expected expect_end(size_t index) {
  double end_s = levels[index].longest_s;
  if (index == 0)
    return ls_study_unjudged(LS_STUDY_PRINTED, end_s, "the costs of the level were found from it");
  if (index == 1)
    return ls_study_unjudged(LS_STUDY_PRINTED, end_s,
                             "so few tasks are ruled by latencies, which are not printed");
  if (index + 1 == LEVELS) return ls_study_at_most(LS_STUDY_PRINTED, end_s);
  return ls_study_near(LS_STUDY_PRINTED, end_s, TOLERANCE * end_s);
}

static enum ls_status play_levels(const struct law *laws, struct ls_study_report *report,
                                  struct ends *ends, struct ls_error *err) {
  double masters = 1, end_s = 0;
  ls_study_print(report,
                 "\nA master for each worker of the level before (Table 6-13)\n"
                 "level  masters  tasks each  workers each      s   ends at\n");
  for (size_t i = 0; i < LEVELS; i++) {
    const struct level *level = &levels[i];
    struct ls_study_plan even;
    double share = level->tasks / masters;
    enum ls_status status =
        plan(&laws[i], WORKERS_MOST, share, "scow-mp:search=published", &even, err);
    if (status != LS_OK) return status;
    end_s += even.makespan_s;
    ls_study_print(report, "%5g  %7g  %10.5g  %12zu  %.4f  %8.4f\n", level->number, masters, share,
                   even.workers, even.makespan_s, end_s);
    compare(report, level->number, "masters", ls_study_near(LS_STUDY_PRINTED, level->masters, 0),
            masters);
    if (i + 1 == LEVELS) ends->workers = (double)even.workers;
    compare(report, level->number, "ends, even shares, s", expect_end(i), end_s);
    if (i + 1 < LEVELS) masters *= (double)even.workers;
  }
  ends->even_s = end_s;
  return LS_OK;
}

static enum ls_status compare_many_masters(const struct law *laws, struct ls_study_report *report,
                                           struct ls_error *err) {
  const struct level *last = &levels[LEVELS - 1];
  struct ls_study_plan full, even;
  struct ends ends = {0, 0, 0};
  enum ls_status status = play_levels(laws, report, &ends, err);
  /* All children of the nodes of one master of level 4: 18 workers are printed for the largest. */
  double nodes = levels[LEVELS - 2].tasks / last->masters * POSITIONS, longest_s = 0;
  const struct law *law = &laws[LEVELS - 1];
  if (status == LS_OK) status = plan(law, 18, nodes, "scow-mp:search=published", &full, err);
  if (status == LS_OK)
    status = plan(law, WORKERS_MOST, last->tasks / last->masters, "scow-mp:search=published", &even,
                  err);
  if (status != LS_OK) return status;
  ends.full_s = ends.even_s - even.makespan_s + full.makespan_s;
  for (size_t i = 0; i < LEVELS; i++) longest_s += levels[i].longest_s;
  ls_study_print(report,
                 "a master of level 5 with nothing eliminated: %g tasks, %.4f s, ends at %.4f\n",
                 nodes, full.makespan_s, ends.full_s);
  compare(report, last->number, "workers of a master (of 42 in 54)",
          ls_study_near(LS_STUDY_PRINTED, 15, 0), ends.workers);
  compare(report, last->number, "workers in all",
          ls_study_near(LS_STUDY_PRINTED, WORKERS_IN_ALL, TOLERANCE * WORKERS_IN_ALL),
          last->masters * ends.workers);
  compare(report, last->number, "ends, nothing eliminated at one master, s",
          ls_study_at_least(LS_STUDY_PRINTED, last->longest_s), ends.full_s);
  ls_study_compare(report, "makespan, nothing eliminated at one master, s",
                   ls_study_unjudged(LS_STUDY_PRINTED, PRINTED_MAKESPAN_S, NOT_PRINTED),
                   ends.full_s);
  ls_study_compare(report, "makespan, even shares, s",
                   ls_study_at_most(LS_STUDY_PRINTED, PRINTED_MAKESPAN_S), ends.even_s);
  ls_study_compare(report, "longest times of Table 6-13 added up: more than its makespan, s",
                   ls_study_at_least(LS_STUDY_PRINTED, PRINTED_MAKESPAN_S), longest_s);
  return LS_OK;
}

/* ---- The same workers and the same load, divided among K masters ---- */

/* Shares differ by one worker at most; load goes by workers. */
static enum ls_status play_split(const struct law *law, double masters,
                                 struct ls_study_plan *slower, double *used, struct ls_error *err) {
  double least = floor(WORKERS_IN_ALL / masters), more = WORKERS_IN_ALL - masters * least;
  *slower = (struct ls_study_plan){.makespan_s = 0};
  *used = 0;
  for (int extra = 0; extra < 2; extra++) {
    double count = extra ? more : masters - more, workers = least + extra;
    struct ls_study_plan found;
    if (!(count > 0)) continue;
    double load = levels[LEVELS - 1].tasks * workers / WORKERS_IN_ALL;
    enum ls_status status = plan(law, (size_t)workers, load, "scow", &found, err);
    if (status != LS_OK) return status;
    *used += count * (double)found.workers;
    if (found.makespan_s > slower->makespan_s) *slower = found;
  }
  return LS_OK;
}

static void draw_split(const double *masters, const double *makespans_s, const double *bounds_s,
                       struct ls_study_report *report) {
  const struct ls_plot_series series[] = {
      {"scow", masters, makespans_s, SPLITS, true, true},
      {"all workers busy from the start", masters, bounds_s, SPLITS, false, true}};
  const struct ls_plot plot = {
      .title = "One level divided among masters, de la Torre 2009, Table 6-13",
      .subtitle = "362401 tasks of level 5, 824 workers in all",
      .x = {.label = "masters", .is_log = true},
      .y = {.label = "makespan, s", .is_log = true},
      .series = series,
      .series_count = 2};
  struct ls_bytes svg = {0};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, "scow-multi-master.svg", &svg);
}

static enum ls_status compare_splits(const struct law *law, struct ls_study_report *report,
                                     struct ls_error *err) {
  static const double masters[SPLITS] = {1, 2, 6, 13, 27, 54, 82, 103, 206, 412};
  double makespans_s[SPLITS], bounds_s[SPLITS];
  double bound_s = levels[LEVELS - 1].tasks * law->compute.per_unit_s / WORKERS_IN_ALL;
  ls_study_print(report,
                 "\nThe tasks of level 5 and %g workers divided among K masters, each by scow\n"
                 "    K  makespan s  times faster  workers in use\n",
                 WORKERS_IN_ALL);
  for (size_t i = 0; i < SPLITS; i++) {
    struct ls_study_plan slower;
    double used;
    char name[64];
    enum ls_status status = play_split(law, masters[i], &slower, &used, err);
    if (status != LS_OK) return status;
    makespans_s[i] = slower.makespan_s;
    bounds_s[i] = bound_s;
    ls_study_print(report, "%5g  %10.4f  %12.2f  %14.0f\n", masters[i], makespans_s[i],
                   makespans_s[0] / makespans_s[i], used);
    (void)snprintf(name, sizeof name, "%g masters, level 5 alone, s", masters[i]);
    ls_study_show(report, name, makespans_s[i]);
  }
  draw_split(masters, makespans_s, bounds_s, report);
  return LS_OK;
}

static enum ls_status run_masters(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  struct law laws[LEVELS];
  enum ls_status status = LS_OK;
  if (options->sample > 0) ls_study_print(report, "Only four levels: all are played.\n");
  for (size_t i = 0; i < LEVELS && status == LS_OK; i++)
    status = find_law(&levels[i], &laws[i], err);
  if (status == LS_OK) status = compare_one_master(laws, report, err);
  if (status == LS_OK) status = compare_many_masters(laws, report, err);
  if (status == LS_OK) status = compare_splits(&laws[LEVELS - 1], report, err);
  return status;
}

const struct ls_study ls_study_scow_multi_master = {
    .name = "scow-multi-master",
    .summary = "1, 2, 6 and 54 masters, each with workers and load of its own",
    .reference = "delatorre2009, Tables 6-12 and 6-13",
    .run = run_masters,
};
