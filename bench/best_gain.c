/* best_gain: the gain of planner `best`, and whether any other planner is ever better.
 *
 * Usage: best_gain [--quick]
 *
 * Families: `grid`, configurations drawn from the experiments of yang2002 (Table 1); `small
 * latencies`, those with nLat < 0.1 and cLat > 0; `different`, workers whose rates and latencies
 * are uniform with a ratio of up to 1000 between the largest and the smallest (Fig. 11).  `best`
 * may spend 2000 replays.  Every other planner is run on each configuration; those for loads whose
 * results return, which take long, on every 50th, and `lp` on a sample of each family.  Prints one
 * JSON line per comparison: configurations, how often another planner was better (1e-9), mean and
 * largest gain over `umr` (or mean and largest gap to `lp`), mean seconds of a plan.  Exit 1 when
 * another planner was ever better, or the mean gap to `lp` is 0.1 % or more.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/statistics.h"
#include "planners/planner.h"
#include "processor_time.h"

enum { WORK_MAX = 2000, INSTALLMENTS_MAX = 8, SLOW_EVERY = 50 };

enum family { GRID, SMALL_LATENCIES, DIFFERENT };

struct comparison {
  const char *what;
  enum family family;
  size_t workers_max; /* of the family */
  size_t count, quick_count;
  bool is_with_program; /* against lp, else against all others */
};

static const struct comparison comparisons[] = {
    {"grid", GRID, 50, 20000, 400, false},
    {"different", DIFFERENT, 20, 2000, 60, false},
    {"grid, lp", GRID, 20, 150, 4, true},
    {"small latencies, lp", SMALL_LATENCIES, 20, 100, 4, true},
    {"different, lp", DIFFERENT, 10, 100, 4, true},
};

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "best_gain: %s\n", what);
  exit(1);
}

/* Table 1: N = 10, 15, ...; B = floor(1.1 N) .. 5 N; latencies 0, 0.03, .. 0.99. */
static void draw_grid(struct ls_random *random, const struct comparison *comparison,
                      struct ls_platform *platform) {
  bool is_small = comparison->family == SMALL_LATENCIES;
  uint64_t count = 10 + 5 * ls_random_below(random, (comparison->workers_max - 10) / 5 + 1);
  uint64_t bandwidth_least = count * 11 / 10;
  uint64_t bandwidth = bandwidth_least + ls_random_below(random, 5 * count - bandwidth_least + 1);
  struct ls_cost compute = {0.03 * (double)ls_random_below(random, 34), 1};
  if (is_small) compute.latency_s = 0.03 * (double)(1 + ls_random_below(random, 33));
  struct ls_cost transfer = {0.03 * (double)ls_random_below(random, is_small ? 4 : 34),
                             1 / (double)bandwidth};
  require(ls_platform_init(platform, count, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < count; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = transfer;
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = compute;
  }
}

static double draw_around(struct ls_random *random, double mean, double ratio) {
  double spread = (ratio - 1) / (ratio + 1);
  return mean * (1 - spread + 2 * spread * ls_random_real(random));
}

/* Fig. 11: means S 1, B 2 N, cLat 1, nLat 0.1. */
static void draw_different(struct ls_random *random, const struct comparison *comparison,
                           struct ls_platform *platform) {
  static const double ratios[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};
  double ratio = ratios[ls_random_below(random, 9)];
  size_t count = 10;
  if (comparison->workers_max > 10)
    count = 2 + ls_random_below(random, comparison->workers_max - 1);
  require(ls_platform_init(platform, count, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1 / draw_around(random, 1, ratio);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s =
        1 / draw_around(random, 2 * (double)count, ratio);
    worker->costs[LS_OPERATION_COMPUTE].latency_s = draw_around(random, 1, ratio);
    worker->costs[LS_OPERATION_TRANSFER].latency_s = draw_around(random, 0.1, ratio);
  }
}

/* The makespan; INFINITY where the planner does not apply. */
static double plan_with(const struct ls_planner *planner, const struct ls_platform *platform,
                        int rounds, double *seconds) {
  struct ls_planner_setup setup = {.platform = platform, .load = 1000, .budget.work_max = WORK_MAX};
  struct ls_plan plan;
  double makespan_s = (double)INFINITY, begin = read_clock();
  ls_arguments_init(&setup.arguments, planner->parameters);
  if (rounds > 0) setup.arguments.values[0] = rounds;
  if (ls_planner_run(planner, &setup, NULL, &plan, NULL) == LS_OK && plan.outcome == LS_PLAN_OK) {
    makespan_s = plan.makespan_s;
  }
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  *seconds += read_clock() - begin;
  return makespan_s;
}

/* Planners of one round for loads whose results return look through many orders and sets. */
static bool is_slow(const char *name) {
  return strncmp(name, "returns-", 8) == 0 || strncmp(name, "fifo", 4) == 0 ||
         strcmp(name, "lifo") == 0;
}

/* The least makespan of all planners but `best` and `lp`; the slow ones take turns. */
static double plan_with_others(const struct ls_platform *platform, size_t turn) {
  double least_s = (double)INFINITY, seconds = 0;
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    const char *name = ls_planners[i]->name;
    if (strcmp(name, "best") == 0 || strcmp(name, "lp") == 0) continue;
    if (is_slow(name) && turn % SLOW_EVERY != 0) continue;
    int rounds_max = strcmp(name, "mi") == 0 ? INSTALLMENTS_MAX : 1;
    for (int rounds = 1; rounds <= rounds_max; rounds++) {
      int wanted = rounds_max > 1 ? rounds : 0;
      least_s = fmin(least_s, plan_with(ls_planners[i], platform, wanted, &seconds));
    }
  }
  return least_s;
}

static bool compare(const struct comparison *comparison, size_t count) {
  const struct ls_planner *best = ls_planner_find("best"), *umr = ls_planner_find("umr"),
                          *lp = ls_planner_find("lp");
  struct ls_random random;
  struct ls_moments gains = {0}, gaps = {0};
  double best_seconds = 0, rival_seconds = 0;
  size_t worse = 0;
  ls_random_init(&random, 1, comparison->what);
  for (size_t i = 0; i < count; i++) {
    struct ls_platform platform;
    if (comparison->family == DIFFERENT) draw_different(&random, comparison, &platform);
    if (comparison->family != DIFFERENT) draw_grid(&random, comparison, &platform);
    double best_s = plan_with(best, &platform, 0, &best_seconds);
    double rival_s = comparison->is_with_program ? plan_with(lp, &platform, 0, &rival_seconds)
                                                 : plan_with_others(&platform, i);
    if (!(best_s <= rival_s * (1 + 1e-9))) worse++;
    ls_moments_add(&gaps, best_s / rival_s - 1);
    ls_moments_add(&gains, plan_with(umr, &platform, 0, &rival_seconds) / best_s - 1);
    ls_platform_close(&platform);
  }
  printf(
      "{\"what\": \"%s\", \"configurations\": %zu, \"worse\": %zu, \"mean_gap\": %.4g, "
      "\"largest_gap\": %.4g, \"umr_mean_gain\": %.4g, \"umr_largest_gain\": %.4g, "
      "\"seconds\": %.4g}\n",
      comparison->what, count, worse, gaps.mean, gaps.largest, gains.mean, gains.largest,
      best_seconds / (double)count);
  fflush(stdout);
  return comparison->is_with_program ? gaps.mean < 0.001 : worse == 0;
}

int main(int count, char **words) {
  bool is_quick = count == 2 && strcmp(words[1], "--quick") == 0, is_reached = true;
  if (count > 1 && !is_quick) {
    fprintf(stderr, "usage: best_gain [--quick]\n");
    return 2;
  }
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    size_t wanted = is_quick ? comparisons[i].quick_count : comparisons[i].count;
    if (!compare(&comparisons[i], wanted)) is_reached = false;
  }
  return is_reached ? 0 : 1;
}
