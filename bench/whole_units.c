/* whole_units: what plans lose when units are whole, and whether planners that choose choose well
 * among whole-unit plans.
 *
 * Usage: whole_units [--quick]
 *
 * Random platforms: 1 to 40 workers, half of them alike; rates over a factor of 10, links from fast
 * to slow, latencies of 0 to 10 s, half of the platforms without those of computing; loads of 10 to
 * 20,000 units evenly by their logarithm, at least two for each worker. Prints one JSON line per
 * planner: plans, the median, 90 % and largest of the makespan in whole units divided by the one in
 * real units; and one per pair: the largest of the makespan divided by its rival's, both in whole
 * units. Exit 1 where a median is above 1.005, a 90 % above 1.03, or a planner is worse than its
 * rival. --quick: a tenth of the platforms.
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

/* Linear programs, which may take minutes. */
enum { PLATFORMS = 200, WORKERS_MAX = 40, PROGRAMS_MAX = 8 };
static const double LOAD_MOST = 20000, MEDIAN_MOST = 1.005, NINETY_MOST = 1.03;

static const char *const losers[] = {"umr",       "umr-best", "xmi",          "lp",
                                     "one-round", "periodic", "steady-state", "asymptotic",
                                     "scow-mp",   "scow",     "umr-scow"};
enum { LOSERS = sizeof losers / sizeof *losers, RIVALS_MAX = 4 };

struct pair {
  const char *planner, *rivals[RIVALS_MAX];
};
static const struct pair pairs[] = {
    {"umr-best", {"umr"}},
    {"xmi", {"one-round"}},
    {"scow", {"scow-mp", "scow-pwu", "asymptotic", "steady-state"}},
    {"umr-scow", {"scow"}},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "whole_units: %s\n", what);
  exit(1);
}

/* Between the two, evenly by the logarithm. */
static double draw_between(struct ls_random *random, double least, double most) {
  return least * pow(most / least, ls_random_real(random));
}

/* A platform and a load for it. */
struct scene {
  struct ls_platform platform;
  double load;
};

static void draw_scene(struct ls_random *random, struct scene *scene) {
  size_t count = 1 + ls_random_below(random, WORKERS_MAX);
  bool are_alike = ls_random_below(random, 2) == 0;
  double compute_latency_s = ls_random_below(random, 2) == 0 ? 0 : 10 * ls_random_real(random);
  double send_latency_s = 10 * ls_random_real(random) * ls_random_real(random);
  double work_s = draw_between(random, 0.1, 10);
  double send_s = work_s / (double)count * draw_between(random, 0.1, 2);
  require(ls_platform_init(&scene->platform, count, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < count; i++) {
    struct ls_cost *costs = scene->platform.workers[i].costs;
    double spread = are_alike ? 1 : draw_between(random, 0.32, 3.2);
    double reach = are_alike ? 1 : draw_between(random, 0.5, 2);
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){compute_latency_s * reach, work_s * spread};
    costs[LS_OPERATION_TRANSFER] = (struct ls_cost){send_latency_s * reach, send_s * reach};
  }
  scene->load = floor(draw_between(random, fmax(10, 2 * (double)count), LOAD_MOST + 1));
}

/* The makespan; INFINITY where the planner does not apply. */
static double plan_with(const char *name, const struct scene *scene, bool is_whole) {
  const struct ls_planner *planner = ls_planner_find(name);
  struct ls_planner_setup setup = {
      .platform = &scene->platform, .load = scene->load, .is_whole = is_whole};
  struct ls_plan plan;
  double makespan_s = (double)INFINITY;
  require(planner != NULL, name);
  if (planner->cost == LS_PLANNER_PROGRAMS) setup.budget.work_max = PROGRAMS_MAX;
  ls_arguments_init(&setup.arguments, planner->parameters);
  if (ls_planner_run(planner, &setup, NULL, &plan, NULL) == LS_OK && plan.outcome == LS_PLAN_OK)
    makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return makespan_s;
}

/* What has been measured of one planner: ratios, one for each platform where it applies. */
struct tally {
  double ratios[PLATFORMS];
  size_t count;
  double seconds; /* in whole units */
};

static void measure_loss(const char *name, const struct scene *scene, struct tally *tally) {
  double begin = read_clock();
  double whole_s = plan_with(name, scene, true);
  tally->seconds += read_clock() - begin;
  double real_s = plan_with(name, scene, false);
  if (isfinite(whole_s) && isfinite(real_s)) tally->ratios[tally->count++] = whole_s / real_s;
}

static void measure_pair(const struct pair *pair, const struct scene *scene, struct tally *tally) {
  double least_s = (double)INFINITY;
  for (size_t i = 0; i < RIVALS_MAX && pair->rivals[i] != NULL; i++)
    least_s = fmin(least_s, plan_with(pair->rivals[i], scene, true));
  if (!isfinite(least_s)) return;
  double begin = read_clock();
  double makespan_s = plan_with(pair->planner, scene, true);
  tally->seconds += read_clock() - begin;
  tally->ratios[tally->count++] = makespan_s / least_s;
}

static bool tell_loss(const char *name, struct tally *tally) {
  require(tally->count > 0, name);
  ls_sort_ascending(tally->ratios, tally->count);
  double median = ls_quantile_sorted(tally->ratios, tally->count, 0.5);
  double ninety = ls_quantile_sorted(tally->ratios, tally->count, 0.9);
  printf(
      "{\"planner\": \"%s\", \"plans\": %zu, \"median\": %.5g, \"ninety\": %.5g, \"largest\": "
      "%.5g, \"seconds\": %.3g}\n",
      name, tally->count, median, ninety, tally->ratios[tally->count - 1],
      tally->seconds / (double)tally->count);
  return median <= MEDIAN_MOST && ninety <= NINETY_MOST;
}

static bool tell_pair(const struct pair *pair, struct tally *tally) {
  size_t worse = 0;
  require(tally->count > 0, pair->planner);
  for (size_t i = 0; i < tally->count; i++) worse += !(tally->ratios[i] <= 1 + 1e-9);
  ls_sort_ascending(tally->ratios, tally->count);
  printf(
      "{\"planner\": \"%s\", \"beside\": \"%s%s\", \"plans\": %zu, \"worse\": %zu, \"median\": "
      "%.5g, \"largest\": %.5g, \"seconds\": %.3g}\n",
      pair->planner, pair->rivals[0], pair->rivals[1] != NULL ? " and others" : "", tally->count,
      worse, ls_quantile_sorted(tally->ratios, tally->count, 0.5), tally->ratios[tally->count - 1],
      tally->seconds / (double)tally->count);
  return worse == 0;
}

int main(int count, char **words) {
  static struct tally losses[LOSERS], rivalries[PAIRS];
  bool is_quick = count == 2 && strcmp(words[1], "--quick") == 0, is_reached = true;
  struct ls_random random;
  if (count > 1 && !is_quick) {
    fprintf(stderr, "usage: whole_units [--quick]\n");
    return 2;
  }
  ls_random_init(&random, 1, "whole units");
  for (size_t i = 0; i < (is_quick ? PLATFORMS / 10 : PLATFORMS); i++) {
    struct scene scene;
    draw_scene(&random, &scene);
    for (size_t k = 0; k < LOSERS; k++) measure_loss(losers[k], &scene, &losses[k]);
    for (size_t k = 0; k < PAIRS; k++) measure_pair(&pairs[k], &scene, &rivalries[k]);
    ls_platform_close(&scene.platform);
  }
  for (size_t k = 0; k < LOSERS; k++)
    if (!tell_loss(losers[k], &losses[k])) is_reached = false;
  for (size_t k = 0; k < PAIRS; k++)
    if (!tell_pair(&pairs[k], &rivalries[k])) is_reached = false;
  return is_reached ? 0 : 1;
}
