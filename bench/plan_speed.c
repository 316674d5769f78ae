/* plan_speed: how long the planners of the UMR family take for one plan.
 *
 * Usage: plan_speed [TURNS]
 *
 * Each plan is made as a user gets it: platform checked, planned, replayed.  The time of a plan is
 * the median over the turns of the mean of as many plans as fill a few milliseconds.  Prints one
 * JSON line per plan: what, seconds, reach (seconds), plans, messages, makespan.  Exit 1 when one
 * is not reached.
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

enum { TURNS_MAX = 101 };

struct measure {
  const char *what, *algorithm;
  size_t workers;
  bool is_mixed;          /* workers that differ; else identical */
  double ratio;           /* B / (N S) of identical workers */
  double round_latency_s; /* of sending to each worker once */
  double compute_latency_s;
  double reach_s;
};

static const struct measure measures[] = {
    {"umr, 50 identical workers", "umr", 50, false, 2, 0.5, 0.3, 20e-6},
    {"umr, 50 different workers", "umr", 50, true, 2, 0.5, 0.3, 20e-6},
    {"xmi, 50 identical workers", "xmi", 50, false, 2, 0.5, 0.3, 200e-6},
    {"xmi, 50 different workers", "xmi", 50, true, 2, 0.5, 0.3, 200e-6},
    {"xmi, 50 different workers, no latencies", "xmi", 50, true, 2, 0, 0, 200e-6},
    {"umr, 100000 identical workers", "umr", 100000, false, 2, 0.5, 0.3, 0.2},
    {"umr, 100000 different workers", "umr", 100000, true, 2, 0.5, 0.3, 0.2},
    {"umr, 100000 different workers, most left out", "umr", 100000, true, 2, 1000, 0.3, 0.2},
};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "plan_speed: %s\n", err->text);
  exit(1);
}

static double spread(struct ls_random *random, bool is_mixed) {
  return is_mixed ? 0.5 + ls_random_real(random) : 1;
}

/* Latencies and rates such that several rounds are best, whatever the number of workers. */
static void open_platform(const struct measure *measure, struct ls_platform *platform) {
  struct ls_error err;
  struct ls_random random;
  double workers = (double)measure->workers;
  ls_random_init(&random, 1, "plan speed");
  require(ls_platform_init(platform, measure->workers, &err), &err);
  for (size_t i = 0; i < measure->workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER].latency_s =
        measure->round_latency_s / workers * spread(&random, measure->is_mixed);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s =
        1 / (measure->ratio * workers) * spread(&random, measure->is_mixed);
    worker->costs[LS_OPERATION_COMPUTE].latency_s =
        measure->compute_latency_s * spread(&random, measure->is_mixed);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = 1 * spread(&random, measure->is_mixed);
  }
}

static double plan_once(const struct measure *measure, const struct ls_platform *platform,
                        size_t *messages, double *makespan_s) {
  struct ls_error err;
  struct ls_planner_setup setup = {.platform = platform, .load = 20 * (double)measure->workers};
  const struct ls_planner *planner;
  struct ls_plan plan;
  require(ls_planner_parse(measure->algorithm, &planner, &setup, &err), &err);
  double start_s = read_clock();
  require(ls_planner_run(planner, &setup, NULL, &plan, &err), &err);
  *messages = plan.chunks_count;
  *makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  return read_clock() - start_s;
}

/* Whether it is reached. */
static bool run_measure(const struct measure *measure, size_t turns) {
  struct ls_platform platform;
  double seconds[TURNS_MAX], makespan_s;
  size_t messages;
  open_platform(measure, &platform);
  double first_s = plan_once(measure, &platform, &messages, &makespan_s);
  size_t plans = (size_t)fmax(1, ceil(5e-3 / fmax(first_s, 1e-7)));
  for (size_t turn = 0; turn < turns; turn++) {
    seconds[turn] = 0;
    for (size_t i = 0; i < plans; i++) {
      seconds[turn] += plan_once(measure, &platform, &messages, &makespan_s);
    }
    seconds[turn] /= (double)plans;
  }
  ls_platform_close(&platform);
  double median_s = ls_median(seconds, turns);
  printf(
      "{\"what\": \"%s\", \"seconds\": %.4g, \"reach\": %.4g, \"plans\": %zu, \"messages\": %zu, "
      "\"makespan\": %.6g}\n",
      measure->what, median_s, measure->reach_s, plans * turns, messages, makespan_s);
  return median_s <= measure->reach_s;
}

int main(int count, char **arguments) {
  size_t turns = count > 1 ? strtoul(arguments[1], NULL, 10) : 11;
  bool is_reached = true;
  if (turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "plan_speed: TURNS is %s, expected 1 to %d\n", arguments[1], TURNS_MAX);
    return 2;
  }
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    if (!run_measure(&measures[i], turns)) is_reached = false;
  }
  return is_reached ? 0 : 1;
}
