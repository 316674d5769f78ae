/* returns_speed: how long the planners of loads with results take, and how good the search is.
 *
 * Usage: returns_speed [WORKERS_MAX [PLATFORMS]]
 *
 * Platforms are random (seed: how many workers): c in [0.5, 1.5], w in [0.5, 1.5] times w/c of 0.1,
 * 1, 3 or 10, and d = z c with z of 0.2, 0.8, 1 or 1.5, or d in [0.5, 1.5].  One thread.
 * returns-exact: the median over PLATFORMS (20) for each number of workers to WORKERS_MAX (8; at
 * most 10), each plan stopped after ten minutes.  returns-search: the median time at 8 workers and
 * how often it comes within 0.1 % of the optimum; one platform of 100 workers.  fifo, lifo:
 * 1,000,000 workers.  Prints one JSON line per measure; exit 1 when one is not reached.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "planners/planner.h"
#include "processor_time.h"

enum { PLATFORMS_MAX = 100, WORKERS_MAX = 10 };

static const double STOP_S = 600;

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "returns_speed: %s\n", err->text);
  exit(1);
}

/* The classes of platforms, one after the other. */
static void open_platform(struct ls_platform *platform, size_t workers, size_t kind,
                          struct ls_random *random) {
  static const double ratios[] = {0.1, 1, 3, 10};
  static const double returned[] = {0.2, 0.8, 1, 1.5, (double)NAN};
  struct ls_error err;
  require(ls_platform_init(platform, workers, &err), &err);
  double z = returned[kind / 4 % 5];
  for (size_t i = 0; i < workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s = 0.5 + ls_random_real(random);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s =
        (0.5 + ls_random_real(random)) * ratios[kind % 4];
    double own = 0.5 + ls_random_real(random);
    worker->costs[LS_OPERATION_REPLY].per_unit_s =
        isnan(z) ? own : z * worker->costs[LS_OPERATION_TRANSFER].per_unit_s;
  }
}

struct result {
  double seconds, throughput, gap, nodes;
};

static bool is_late(void *context) {
  return read_clock() > *(const double *)context;
}

static struct result plan_once(const struct ls_platform *platform, const char *algorithm) {
  struct ls_error err;
  const struct ls_planner *planner;
  struct ls_plan plan;
  double start_s = read_clock(), end_s = start_s + STOP_S;
  struct ls_planner_setup setup = {
      .platform = platform, .load = 1, .budget = {.stop = is_late, .stop_context = &end_s}};
  require(ls_planner_parse(algorithm, &planner, &setup, &err), &err);
  require(ls_planner_run(planner, &setup, NULL, &plan, &err), &err);
  struct result result = {read_clock() - start_s, ls_plan_get(&plan, "throughput", (double)NAN),
                          ls_plan_get(&plan, "search_gap", 0), ls_plan_get(&plan, "nodes", 0)};
  ls_plan_close(&plan);
  return result;
}

static double find_median(double *values, size_t count) {
  ls_sort_ascending(values, count);
  return ls_quantile_sorted(values, count, 0.5);
}

static bool run_exact(size_t workers, size_t platforms, double reach_s) {
  double seconds[PLATFORMS_MAX], nodes[PLATFORMS_MAX], gap = 0;
  struct ls_random random;
  ls_random_init(&random, workers, "returns speed");
  for (size_t kind = 0; kind < platforms; kind++) {
    struct ls_platform platform;
    open_platform(&platform, workers, kind, &random);
    struct result result = plan_once(&platform, "returns-exact");
    seconds[kind] = result.seconds;
    nodes[kind] = result.nodes;
    gap = fmax(gap, result.gap);
    ls_platform_close(&platform);
  }
  double median_s = find_median(seconds, platforms);
  printf(
      "{\"what\": \"returns-exact, %zu workers\", \"seconds\": %.4g, \"longest\": %.4g, "
      "\"reach\": %.4g, \"platforms\": %zu, \"nodes\": %.0f, \"gap\": %.4g}\n",
      workers, median_s, seconds[platforms - 1], reach_s, platforms, find_median(nodes, platforms),
      gap);
  fflush(stdout);
  return median_s <= reach_s;
}

/* Within 0.1 % of the optimum on so many of the platforms. */
static bool run_search(size_t platforms) {
  double seconds[PLATFORMS_MAX], worst = 1;
  size_t near = 0;
  struct ls_random random;
  ls_random_init(&random, 8, "returns speed");
  for (size_t kind = 0; kind < platforms; kind++) {
    struct ls_platform platform;
    open_platform(&platform, 8, kind, &random);
    struct result found = plan_once(&platform, "returns-search");
    double quotient = found.throughput / plan_once(&platform, "returns-exact").throughput;
    seconds[kind] = found.seconds;
    worst = fmin(worst, quotient);
    if (quotient >= 0.999) near++;
    ls_platform_close(&platform);
  }
  double part = (double)near / (double)platforms, median_s = find_median(seconds, platforms);
  printf(
      "{\"what\": \"returns-search, 8 workers\", \"seconds\": %.4g, \"longest\": %.4g, "
      "\"reach\": 0.01, \"within_0.001\": %.3g, \"reach_within\": 0.95, \"worst\": %.6g}\n",
      median_s, seconds[platforms - 1], part, worst);
  fflush(stdout);
  return median_s <= 0.01 && part >= 0.95;
}

static bool run_large(const char *algorithm, size_t workers, double reach_s) {
  struct ls_random random;
  struct ls_platform platform;
  double longest_s = 0;
  ls_random_init(&random, workers, "returns speed");
  for (size_t kind = 4; kind < 8; kind++) { /* z = 0.8, every w/c */
    open_platform(&platform, workers, kind, &random);
    longest_s = fmax(longest_s, plan_once(&platform, algorithm).seconds);
    ls_platform_close(&platform);
  }
  printf("{\"what\": \"%s, %zu workers\", \"seconds\": %.4g, \"reach\": %.4g}\n", algorithm,
         workers, longest_s, reach_s);
  fflush(stdout);
  return longest_s <= reach_s;
}

int main(int count, char **arguments) {
  static const double reaches_s[] = {0.02, 0.3, 1, 10, 120};
  size_t workers_max = count > 1 ? strtoul(arguments[1], NULL, 10) : 8;
  size_t platforms = count > 2 ? strtoul(arguments[2], NULL, 10) : 20;
  bool is_reached = true;
  if (workers_max > WORKERS_MAX || platforms < 1 || platforms > PLATFORMS_MAX) {
    fprintf(stderr, "returns_speed: expected at most %d workers and 1 to %d platforms\n",
            WORKERS_MAX, PLATFORMS_MAX);
    return 2;
  }
  if (!run_large("fifo", 1000000, 0.5)) is_reached = false;
  if (!run_large("lifo", 1000000, 0.5)) is_reached = false;
  if (!run_large("returns-search", 100, 1)) is_reached = false;
  for (size_t workers = 6; workers <= workers_max; workers++) {
    if (!run_exact(workers, platforms, reaches_s[workers - 6])) is_reached = false;
  }
  if (workers_max >= 8 && !run_search(platforms)) is_reached = false;
  return is_reached ? 0 : 1;
}
