/* online_prefetch.c: Figures 5.5 to 5.8 of the thesis on Monitor, simulated: the strategies when
 * more and more tasks wait at the workers.
 *
 * The thesis ran 1024 image tasks on 8 machines and prints curves without numbers, and words, which
 * stand here beside ours.  One unit of our prefetch is up to two of the thesis' (it has two
 * queues).  Its static chunking falls with the prefetch, and is flat from 64 on, because the
 * worker beside its master is slow as long as that one has anything to send; no worker of ours is
 * there.  An independent computation gives some means of the static environment, which depend on
 * the latency and the speeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/online_world.h"
#include "lab/studies/study.h"
#include "report/plot.h"
#include "runtime/os/parallel_map.h"

enum { POLICIES = 7, STEPS = 10, PLAYED = STEPS + 1, SEEDS = 10 };
enum { SS = 1, FAC = 4, MONITOR = 6 };                                  /* of the policies */
enum { AT_0, AT_1, AT_2, AT_3, AT_16 = 6, AT_32, AT_64, AT_128, AUTO }; /* of the steps */

/* Strategies that may be faster than ss. */
static const double FASTER_MAX = 3;
/* A mean is off by more than four times its deviation once in 16,000 times. */
static const double NOISES = 4;
/* The least by which a strategy is slower at 128 than at 2: "very badly". */
static const double BAD_LEAST = 1.05;
/* Strategies whose curves lie on each other in the figures. */
static const double EQUAL_MOST = 1.03;
/* "Among the very fastest": beside the best but static chunking. */
static const double AMONG_MOST = 1.03;
/* What docs/theory and the thesis' own conclusion leave Monitor behind ss. */
static const double BEHIND_STATIC_MOST = 0.01, BEHIND_DYNAMIC_MOST = 0.045;
/* A prefetch that was found on the same draws, over the best one of all. */
static const double CHOSEN_MOST = 1.01;

static const char *const policies[POLICIES] = {
    "sc", "ss", "gss", "tss", "fac2", "wf", "monitor:report_every=4"};
/* The last one is found by itself. */
static const double prefetches[PLAYED] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128, -1};

struct grid {
  uint64_t seed;
  size_t seeds;
};

/* One that is found takes as many simulations as all others together: for those only that are equal
 * in the figures. */
static bool is_played(size_t policy, size_t step) {
  return step != AUTO || policy == SS || policy == FAC || policy == MONITOR;
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct grid *grid = context;
  struct ls_online_result *cell = result;
  size_t number = index / grid->seeds;
  *cell = (struct ls_online_result){(double)NAN, (double)NAN};
  if (!is_played(number % POLICIES, number / POLICIES % PLAYED)) return LS_OK;
  struct ls_online_case played = {.policy = policies[number % POLICIES],
                                  .is_dynamic = number / POLICIES / PLAYED > 0,
                                  .seed = grid->seed + index % grid->seeds,
                                  .prefetch = prefetches[number / POLICIES % PLAYED]};
  return ls_online_play(&played, cell, err);
}

/* Means over the seeds: [environment][step][policy]. */
struct means {
  double of[2][PLAYED][POLICIES];
  double chosen[2][POLICIES]; /* the prefetch that was found */
};

static void average(const struct ls_online_result *cells, size_t seeds, struct means *means) {
  for (size_t index = 0; index < (size_t)2 * PLAYED * POLICIES; index++) {
    struct ls_moments moments = {0}, chosen = {0};
    size_t environment = index / POLICIES / PLAYED, step = index / POLICIES % PLAYED;
    for (size_t k = 0; k < seeds; k++) {
      ls_moments_add(&moments, cells[index * seeds + k].to_bound);
      ls_moments_add(&chosen, cells[index * seeds + k].prefetch);
    }
    means->of[environment][step][index % POLICIES] = moments.mean;
    if (step == AUTO) means->chosen[environment][index % POLICIES] = chosen.mean;
  }
}

/* A line of the table behind its first column; what was not played is left out. */
static void print_cells(struct ls_study_report *report, int digits, const double cells[POLICIES]) {
  for (size_t k = 0; k < POLICIES; k++)
    if (isnan(cells[k]))
      ls_study_print(report, " %8s", "");
    else
      ls_study_print(report, " %8.*f", digits, cells[k]);
  ls_study_print(report, "\n");
}

static void print_table(struct ls_study_report *report, const char *title,
                        double (*means)[POLICIES], const double chosen[POLICIES]) {
  ls_study_print(report, "%s: makespan over work / total speed\n%8s", title, "prefetch");
  for (size_t k = 0; k < POLICIES; k++) ls_study_print(report, " %8.7s", policies[k]);
  ls_study_print(report, "\n");
  for (size_t step = 0; step < STEPS; step++) {
    ls_study_print(report, "%8g", prefetches[step]);
    print_cells(report, 4, means[step]);
  }
  ls_study_print(report, "%8s", "auto");
  print_cells(report, 4, means[AUTO]);
  ls_study_print(report, "%8s", "is then");
  print_cells(report, 1, chosen);
  ls_study_print(report, "\n");
}

/* One of the two environments. */
struct environment {
  const char *file, *title, *words;
};

static void draw(struct ls_study_report *report, const struct environment *environment,
                 const struct grid *grid, double (*means)[POLICIES]) {
  static const char *const names[POLICIES] = {
      "sc", "ss", "gss", "tss", "fac2", "wf", "monitor, reports every 4"};
  double columns[POLICIES][STEPS];
  char subtitle[128];
  struct ls_plot_series series[POLICIES];
  struct ls_bytes svg = {0};
  for (size_t k = 0; k < POLICIES; k++) {
    for (size_t step = 0; step < STEPS; step++) columns[k][step] = means[step][k];
    series[k] = (struct ls_plot_series){.name = names[k],
                                        .x = prefetches,
                                        .y = columns[k],
                                        .count = STEPS,
                                        .has_points = true,
                                        .has_line = true};
  }
  (void)snprintf(subtitle, sizeof subtitle, "%d tasks, %d workers, mean of %zu draws, seed %llu on",
                 LS_ONLINE_UNITS, LS_ONLINE_WORKERS, grid->seeds, (unsigned long long)grid->seed);
  struct ls_plot plot = {.title = environment->title,
                         .subtitle = subtitle,
                         .x = {.label = "prefetch, units", .is_log = true, .has_zero = true},
                         .y = {.label = "makespan / (work / total speed) (no unit)"},
                         .series = series,
                         .series_count = POLICIES};
  ls_plot_write(&plot, &svg);
  ls_study_draw(report, environment->file, &svg);
}

/* Every strategy but static chunking, which sends all at once. */
static bool do_all_lose(double const (*steps)[POLICIES], size_t step) {
  for (size_t k = 1; k < POLICIES; k++)
    if (!(steps[step][k] > fmin(steps[AT_1][k], steps[AT_2][k]))) return false;
  return true;
}

/* The most by which Monitor is behind the best but static chunking, from 1 to 32. */
static double find_behind(double const (*steps)[POLICIES]) {
  double behind = 0;
  for (size_t step = AT_1; step <= AT_32; step++) {
    double best = steps[step][SS];
    for (size_t k = SS; k < POLICIES; k++) best = fmin(best, steps[step][k]);
    behind = fmax(behind, steps[step][MONITOR] / best);
  }
  return behind;
}

/* How much slower every strategy but static chunking is at least with 128 than with 2. */
static double find_worsening(double const (*steps)[POLICIES]) {
  double least = (double)INFINITY;
  for (size_t k = SS; k < POLICIES; k++) least = fmin(least, steps[AT_128][k] / steps[AT_2][k]);
  return least;
}

static double find_spread(double const steps[POLICIES]) {
  double least = fmin(steps[SS], fmin(steps[FAC], steps[MONITOR]));
  return fmax(steps[SS], fmax(steps[FAC], steps[MONITOR])) / least;
}

/* By how much Monitor is behind ss, from 1 to 3, at most. */
static double find_behind_ss(double const (*steps)[POLICIES]) {
  double behind = -(double)INFINITY;
  for (size_t step = AT_1; step <= AT_3; step++)
    behind = fmax(behind, steps[step][MONITOR] / steps[step][SS] - 1);
  return behind;
}

/* The most by which the prefetch that was found is behind the best fixed one. */
static double find_chosen(double const (*steps)[POLICIES]) {
  double most = 0;
  for (size_t k = 0; k < POLICIES; k++) {
    double best = steps[0][k];
    if (!is_played(k, AUTO)) continue;
    for (size_t step = 1; step < STEPS; step++) best = fmin(best, steps[step][k]);
    most = fmax(most, steps[AUTO][k] / best);
  }
  return most;
}

/* How many strategies are faster than ss; "SS clearly is among the fastest", says the thesis. */
static double count_faster(double const (*steps)[POLICIES]) {
  double best[POLICIES];
  size_t faster = 0;
  for (size_t k = 0; k < POLICIES; k++) {
    best[k] = steps[0][k];
    for (size_t step = 1; step < STEPS; step++) best[k] = fmin(best[k], steps[step][k]);
  }
  for (size_t k = 0; k < POLICIES; k++) faster += best[k] < best[1];
  return (double)faster;
}

/* Means of an independent computation over 30,000 draws of the speeds, and the deviation of one. */
static const struct recomputed {
  size_t policy, step;
  double mean, deviation;
} recomputed[] = {
    {1, 0, 1.22032, 0.01309},
    {1, 1, 1.00752, 0.00193},
    {4, 0, 1.01856, 0.00160},
    {4, 1, 1.00754, 0.00198},
};

static void judge_means(struct ls_study_report *report, const struct means *means, size_t seeds) {
  for (size_t i = 0; i < sizeof recomputed / sizeof *recomputed; i++) {
    const struct recomputed *row = &recomputed[i];
    char name[96];
    (void)snprintf(name, sizeof name, "static: %s, prefetch %g: makespan over the bound",
                   policies[row->policy], prefetches[row->step]);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_RECOMPUTED, row->mean,
                                   NOISES * row->deviation / sqrt((double)seeds)),
                     means->of[0][row->step][row->policy]);
  }
}

/* Statements of the thesis, in its words, and of docs/theory/online.md, 5; the means of a few draws
 * may differ. */
static void judge_environment(struct ls_study_report *report, bool is_dynamic,
                              double const (*steps)[POLICIES], bool is_judged) {
  struct ls_study_expected yes =
      ls_study_judged_if(is_judged, ls_study_near(LS_STUDY_SPECIFIED, 1, 0));
  ls_online_compare(report, is_dynamic, "with 16 all but sc lose against 1 or 2", yes,
                    do_all_lose(steps, AT_16));
  ls_online_compare(report, is_dynamic, "a prefetch of 1 hides latency from ss", yes,
                    steps[AT_1][SS] < steps[AT_0][SS]);
  ls_online_compare(report, is_dynamic, "strategies faster than ss, each at its best",
                    ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_SPECIFIED, FASTER_MAX)),
                    count_faster(steps));
  ls_online_compare(report, is_dynamic,
                    "\"up to 32 monitor among the very fastest\": over the best",
                    ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, AMONG_MOST)),
                    find_behind(steps));
  ls_online_compare(report, is_dynamic, "\"all but sc very badly\": 128 over 2, the least",
                    ls_study_judged_if(is_judged, ls_study_at_least(LS_STUDY_PRINTED, BAD_LEAST)),
                    find_worsening(steps));
  ls_online_compare(report, is_dynamic, "ss, monitor, fac equal at 3: slowest over fastest",
                    ls_study_judged_if(is_judged, ls_study_at_most(LS_STUDY_PRINTED, EQUAL_MOST)),
                    find_spread(steps[AT_3]));
  ls_online_compare(
      report, is_dynamic, "monitor slower than ss from 1 to 3, share",
      ls_study_judged_if(is_judged,
                         ls_study_at_most(LS_STUDY_SPECIFIED,
                                          is_dynamic ? BEHIND_DYNAMIC_MOST : BEHIND_STATIC_MOST)),
      find_behind_ss(steps));
  ls_online_compare(report, is_dynamic, "prefetch auto over the best fixed one, the worst",
                    ls_study_at_most(LS_STUDY_SPECIFIED, CHOSEN_MOST), find_chosen(steps));
}

static void judge(struct ls_study_report *report, const struct means *means, size_t seeds) {
  for (size_t e = 0; e < 2; e++) judge_environment(report, e > 0, means->of[e], seeds >= SEEDS);
  double least = means->of[0][0][0], largest = least;
  for (size_t step = 1; step < STEPS; step++) {
    least = fmin(least, means->of[0][step][0]);
    largest = fmax(largest, means->of[0][step][0]);
  }
  ls_study_compare(report, "static: sc is flat, all is sent at once (largest / least)",
                   ls_study_near(LS_STUDY_SPECIFIED, 1, 1e-9), largest / least);
}

static enum ls_status run_prefetch(const struct ls_study_options *options,
                                   struct ls_study_report *report, struct ls_error *err) {
  struct grid grid = {.seed = options->seed,
                      .seeds = options->sample > 0 ? (size_t)options->sample : SEEDS};
  size_t count = 2 * PLAYED * POLICIES * grid.seeds;
  static const struct environment environments[2] = {
      {"online-prefetch-static.svg", "Rosenvinge 2004, Figures 5.5 and 5.6: static environment",
       "Static environment (Figures 5.5 and 5.6)"},
      {"online-prefetch-dynamic.svg", "Rosenvinge 2004, Figures 5.7 and 5.8: dynamic environment",
       "Dynamic environment (Figures 5.7 and 5.8)"}};
  struct means means;
  struct ls_online_result *cells = calloc(count, sizeof *cells);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *cells,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &grid};
  if (cells == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu simulations", count);
  enum ls_status status = ls_parallel_map(&map, cells, err);
  if (status == LS_OK) {
    average(cells, grid.seeds, &means);
    for (size_t e = 0; e < 2; e++) {
      print_table(report, environments[e].words, means.of[e], means.chosen[e]);
      draw(report, &environments[e], &grid, means.of[e]);
    }
    judge(report, &means, grid.seeds);
    judge_means(report, &means, grid.seeds);
  }
  free(cells);
  return status;
}

const struct ls_study ls_study_online_prefetch = {
    .name = "online-prefetch",
    .summary =
        "strategies over the prefetch, and one found by itself, in static and dynamic environments",
    .reference = "rosenvinge2004, Figures 5.5 to 5.8",
    .run = run_prefetch,
};
