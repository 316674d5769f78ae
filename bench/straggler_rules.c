/* straggler_rules: our replication `gain` beside fixed rules where some runs of tasks take eight
 * times as long as the others, and small jobs in a mix of jobs.
 *
 * Usage: straggler_rules [SEEDS]       (1,000)
 *
 * Rows: 1, 2, 5 and 10 % stragglers, by chance for each run of a task; 20 tasks on 40 workers, 100
 * tasks on 20, in one iteration, where nothing is known before, and in ten.  Each rule plays the
 * same seeds.  Prints one JSON line for each row: the mean makespan of each rule, and how far
 * `gain` is behind the best fixed one in per cent (the limit is 2).
 *
 * Mix: jobs one by one on 100 workers, 5 % stragglers; 80 % of the jobs have 1 to 10 tasks, the
 * others 11 to 1,000 by Pareto's law of shape 1.  Prints for each rule by how much sooner small
 * jobs end than without replicas, on average, and the further seconds of computing of all jobs, in
 * per cent (34 % for 5 %).  Exits 1 when a limit is not met.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/replication.h"
#include "simulate/simulate.h"

enum { RULES = 7, GAIN = RULES - 1, SMALL = 10, MIX_WORKERS = 100 };

static const struct rule {
  const char *name, *replication, *parameter, *value;
} rules[RULES] = {{"none", "none", NULL, NULL},   {"late", "late", NULL, NULL},
                  {"fork", "fork", NULL, NULL},   {"fork_30", "fork", "left", "0.3"},
                  {"clone", "clone", NULL, NULL}, {"clone_all", "clone", "tasks", "1000000"},
                  {"gain", "gain", NULL, NULL}};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "straggler_rules: %s\n", err->text);
  exit(2);
}

struct job {
  uint64_t tasks, seed;
  size_t workers;
  uint32_t iterations;
  double share; /* of stragglers */
};

struct played {
  double makespan_s, computing_s;
};

static double sum_computing(const struct ls_timeline *timeline) {
  double sum_s = 0;
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].operation == LS_OPERATION_COMPUTE)
      sum_s += timeline->spans[i].end_s - timeline->spans[i].start_s;
  return sum_s;
}

static struct played play(const struct job *job, const struct rule *rule, bool wants_cost) {
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_arguments arguments;
  struct ls_error err = {0};
  struct ls_simulated result = {0};
  const struct ls_replication *replication = ls_replication_find(rule->replication);
  double mean = 1 + 7 * job->share, deviation = 7 * sqrt(job->share * (1 - job->share));
  require(ls_platform_init(&platform, job->workers, &err), &err);
  for (size_t i = 0; i < job->workers; i++)
    ls_worker_spread_units(&platform.workers[i], LS_DURATION_STRAGGLERS, mean, deviation);
  ls_arguments_init(&arguments, replication->parameters);
  if (rule->parameter != NULL)
    require(
        ls_arguments_set(&arguments, replication->parameters, rule->parameter, rule->value, &err),
        &err);
  struct ls_simulation setup = {.platform = &platform,
                                .units = job->tasks,
                                .asking = LS_ASKING_ONE,
                                .iterations = job->iterations,
                                .wants_spans = wants_cost};
  setup.config.chunking = ls_chunking_find("ss");
  setup.config.mean_seconds = setup.config.deviation_seconds = (double)NAN;
  setup.config.overhead_seconds = (double)NAN;
  setup.config.seed = job->seed;
  setup.config.replication = replication;
  setup.config.replication_arguments = &arguments;
  ls_timeline_init(&timeline);
  require(ls_simulate(&setup, &result, wants_cost ? &timeline : NULL, &err), &err);
  struct played played = {result.makespan_s, wants_cost ? sum_computing(&timeline) : 0};
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
  return played;
}

static bool compare_row(struct job job, uint64_t seeds) {
  double means[RULES], best = (double)INFINITY;
  for (size_t i = 0; i < RULES; i++) {
    struct ls_moments times = {0};
    for (job.seed = 1; job.seed <= seeds; job.seed++)
      ls_moments_add(&times, play(&job, &rules[i], false).makespan_s);
    means[i] = times.mean;
    if (i != GAIN) best = fmin(best, times.mean);
  }
  printf("{\"stragglers\": %g, \"tasks\": %d, \"workers\": %zu, \"iterations\": %u", job.share,
         (int)job.tasks, job.workers, (unsigned)job.iterations);
  for (size_t i = 0; i < RULES; i++) printf(", \"%s\": %.4g", rules[i].name, means[i]);
  double behind = 100 * (means[GAIN] / best - 1);
  printf(", \"gain_behind_percent\": %.3g}\n", behind);
  (void)fflush(stdout);
  return behind <= 2;
}

static uint64_t draw_tasks(struct ls_random *random) {
  if (ls_random_below(random, 5) < 4) return 1 + ls_random_below(random, SMALL);
  double tasks = (SMALL + 1) / (1 - ls_random_real(random));
  return tasks < 1000 ? (uint64_t)tasks : 1000;
}

static bool compare_mix(uint64_t jobs) {
  struct totals {
    double small_s, computing_s;
  } totals[RULES] = {{0, 0}};
  bool is_reached = false;
  for (size_t i = 0; i < RULES; i++) {
    struct ls_random random;
    ls_random_init(&random, 1, "mix");
    for (uint64_t seed = 1; seed <= jobs; seed++) {
      struct job job = {draw_tasks(&random), seed, MIX_WORKERS, 1, 0.05};
      struct played played = play(&job, &rules[i], true);
      totals[i].computing_s += played.computing_s;
      if (job.tasks <= SMALL) totals[i].small_s += played.makespan_s;
    }
    double sooner = 100 * (1 - totals[i].small_s / totals[0].small_s);
    double more = 100 * (totals[i].computing_s / totals[0].computing_s - 1);
    printf(
        "{\"mix_rule\": \"%s\", \"small_jobs_sooner_percent\": %.3g, "
        "\"computing_more_percent\": %.3g}\n",
        rules[i].name, sooner, more);
    is_reached = is_reached || (sooner >= 34 && more <= 5);
  }
  return is_reached;
}

int main(int count, char **words) {
  static const double shares[] = {0.01, 0.02, 0.05, 0.1};
  uint64_t seeds = count == 2 ? strtoull(words[1], NULL, 10) : 1000;
  bool is_reached = true;
  if (count > 2 || seeds == 0) {
    fprintf(stderr, "usage: straggler_rules [SEEDS]\n");
    return 2;
  }
  for (uint32_t iterations = 1; iterations <= 10; iterations += 9) {
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
      if (!compare_row((struct job){20, 0, 40, iterations, shares[i]}, seeds)) is_reached = false;
      if (!compare_row((struct job){100, 0, 20, iterations, shares[i]}, seeds)) is_reached = false;
    }
  }
  if (!compare_mix(seeds)) is_reached = false;
  return is_reached ? 0 : 1;
}
