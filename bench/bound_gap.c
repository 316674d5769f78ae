/* bound_gap: how far plans of `best` are from what no plan can beat, on different workers.
 *
 * Usage: bound_gap [--quick]
 *
 * Platforms of 100 workers and loads of 100 units a worker.  Seconds of a unit are drawn around 1
 * with a ratio of up to 20 between the slowest and the fastest worker, those of its transfer alike,
 * so that all workers together want 0.3 to 3 times what the network moves (0.01 s a unit);
 * latencies of transfers are up to 0.001 s, of computing too on every second platform.  Prints one
 * JSON line: median, 90 % and largest gap (makespan / lower bound - 1), how often each bound was
 * the best one, and the mean seconds of a bound.  Exit 1 when the median is above 0.5 % or the 90 %
 * above 3 %.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/metrics.h"
#include "planners/planner.h"
#include "processor_time.h"

enum { WORKERS = 100, PLATFORMS = 200, PLATFORMS_QUICK = 16, WORK_MAX = 3000 };
static const double load = 100.0 * WORKERS;

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "bound_gap: %s\n", what);
  exit(1);
}

/* From 1 / sqrt(ratio) to sqrt(ratio), the logarithm uniform. */
static double draw(struct ls_random *random, double ratio) {
  return pow(ratio, ls_random_real(random) - 0.5);
}

static void draw_platform(struct ls_random *random, bool has_latencies,
                          struct ls_platform *platform) {
  double ratio = 1 + 19 * ls_random_real(random), wanted = 0;
  double demand = 0.3 * pow(10, ls_random_real(random));
  require(ls_platform_init(platform, WORKERS, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < WORKERS; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_COMPUTE].per_unit_s = draw(random, ratio);
    costs[LS_OPERATION_TRANSFER].per_unit_s = draw(random, ratio);
    costs[LS_OPERATION_TRANSFER].latency_s = 0.001 * ls_random_real(random);
    if (has_latencies) costs[LS_OPERATION_COMPUTE].latency_s = 0.001 * ls_random_real(random);
    wanted += costs[LS_OPERATION_TRANSFER].per_unit_s / costs[LS_OPERATION_COMPUTE].per_unit_s;
  }
  for (size_t i = 0; i < WORKERS; i++)
    platform->workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s *= demand / wanted;
}

static double plan_best(const struct ls_platform *platform) {
  const struct ls_planner *planner = ls_planner_find("best");
  struct ls_planner_setup setup = {.platform = platform, .load = load, .budget.work_max = WORK_MAX};
  struct ls_plan plan;
  ls_arguments_init(&setup.arguments, planner->parameters);
  require(ls_planner_run(planner, &setup, NULL, &plan, NULL) == LS_OK, "no plan");
  require(plan.outcome == LS_PLAN_OK, plan.why);
  double makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return makespan_s;
}

static int compare_numbers(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

struct tally {
  const char *name;
  size_t count;
};

static void count_name(struct tally *tallies, size_t room, const char *name) {
  for (size_t i = 0; i < room; i++) {
    if (tallies[i].name != NULL && strcmp(tallies[i].name, name) != 0) continue;
    tallies[i].name = name;
    tallies[i].count++;
    return;
  }
}

int main(int count, char **words) {
  bool is_quick = count == 2 && strcmp(words[1], "--quick") == 0;
  size_t platforms = is_quick ? PLATFORMS_QUICK : PLATFORMS;
  double gaps[PLATFORMS], seconds = 0;
  struct tally tallies[8] = {{0}};
  struct ls_random random;
  if (count > 1 && !is_quick) {
    fprintf(stderr, "usage: bound_gap [--quick]\n");
    return 2;
  }
  ls_random_init(&random, 1, "bound gap");
  for (size_t i = 0; i < platforms; i++) {
    struct ls_platform platform;
    draw_platform(&random, i % 2 == 1, &platform);
    double begin = read_clock();
    struct ls_lower_bound bound;
    require(ls_lower_bound(&platform, load, &bound, NULL) == LS_OK, "no memory");
    seconds += read_clock() - begin;
    gaps[i] = plan_best(&platform) / bound.bound_s - 1;
    count_name(tallies, sizeof tallies / sizeof *tallies, bound.name);
    ls_platform_close(&platform);
  }
  qsort(gaps, platforms, sizeof *gaps, compare_numbers);
  double median = gaps[platforms / 2], ninth = gaps[platforms * 9 / 10];
  printf("{\"platforms\": %zu, \"median_gap\": %.4g, \"gap_90\": %.4g, \"largest_gap\": %.4g, ",
         platforms, median, ninth, gaps[platforms - 1]);
  printf("\"bounds\": {");
  for (size_t i = 0; i < 8 && tallies[i].name != NULL; i++)
    printf("%s\"%s\": %zu", i > 0 ? ", " : "", tallies[i].name, tallies[i].count);
  printf("}, \"bound_seconds\": %.3g}\n", seconds / (double)platforms);
  return median <= 0.005 && ninth <= 0.03 ? 0 : 1;
}
