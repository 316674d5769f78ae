/* replay_speed: chunks a second of the replay that only wants the makespan.
 *
 * Usage: replay_speed [TURNS]
 *
 * Plans of the published grid's size and a larger one, identical and different workers.  Median
 * over the turns, of processor time.  Prints one JSON line per plan: what, chunks, chunks_per_s,
 * reach.  Then plans whose body is played a million times, beside the flat replay of one play:
 * what, chunks, bytes, periods (so many single plays take the same time), reach.  Exit 1 when one
 * is not reached.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/statistics.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "processor_time.h"

enum { TURNS_MAX = 101, CHUNKS_OF_TURN = 1000000 };

static const double REACH = 50e6;

struct measure {
  const char *what;
  size_t workers, rounds;
  bool is_mixed;
};

static const struct measure measures[] = {{"50 identical workers, 8 rounds", 50, 8, false},
                                          {"50 different workers, 8 rounds", 50, 8, true},
                                          {"1000 different workers, 50 rounds", 1000, 50, true}};

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "replay_speed: %s\n", what);
  exit(1);
}

static double spread(struct ls_random *random, bool is_mixed) {
  return is_mixed ? 0.5 + ls_random_real(random) : 1;
}

static void open_plan(const struct measure *measure, struct ls_platform *platform,
                      struct ls_plan *plan) {
  struct ls_random random;
  ls_random_init(&random, 1, "replay speed");
  require(ls_platform_init(platform, measure->workers, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < measure->workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){0.01 * spread(&random, measure->is_mixed), 0.5 / (double)measure->workers};
    worker->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.3, spread(&random, measure->is_mixed)};
  }
  ls_plan_init(plan, "speed", 0);
  for (size_t i = 0; i < measure->workers * measure->rounds; i++) {
    double units = spread(&random, true);
    plan->load += units;
    ls_plan_add(plan, (uint32_t)(i % measure->workers), (uint32_t)(i / measure->workers), units);
  }
}

/* Whether it is reached. */
static bool run_measure(const struct measure *measure, size_t turns) {
  struct ls_platform platform;
  struct ls_plan plan;
  double rates[TURNS_MAX], makespan_s;
  open_plan(measure, &platform, &plan);
  size_t replays = CHUNKS_OF_TURN / plan.chunks_count + 1;
  for (size_t turn = 0; turn < turns; turn++) {
    double begin = read_clock();
    for (size_t i = 0; i < replays; i++) {
      require(ls_replay_makespan(&plan, &platform, &makespan_s, NULL) == LS_OK,
              "a plan cannot be replayed");
    }
    rates[turn] = (double)(replays * plan.chunks_count) / (read_clock() - begin);
  }
  double median = ls_median(rates, turns);
  printf("{\"what\": \"%s\", \"chunks\": %zu, \"chunks_per_s\": %.4g, \"reach\": %.4g}\n",
         measure->what, plan.chunks_count, median, REACH);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return median >= REACH;
}

enum { PERIODS = 1000000, BODY_WORKERS = 50, BODY_ROUNDS = 4 };
/* Single plays; what settles takes three plays to see it, one to end, and their bookkeeping. */
static const double PERIODS_REACH = 25;

struct periodic {
  const char *what;
  double compute_s, reply_s;
};

static const struct periodic periodics[] = {{"body at the pace of the network", 0.001, 0},
                                            {"body at the pace of the workers", 2, 0},
                                            {"body with results", 0.001, 0.0001}};

static void open_periodic(const struct periodic *periodic, struct ls_platform *platform,
                          struct ls_plan *plan) {
  struct ls_random random;
  ls_random_init(&random, 1, "replay speed");
  require(ls_platform_init(platform, BODY_WORKERS, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < BODY_WORKERS; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.01 * spread(&random, true), 0.01};
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = periodic->compute_s * spread(&random, true);
    worker->costs[LS_OPERATION_REPLY].latency_s = periodic->reply_s;
  }
  ls_plan_init(plan, "speed", 1);
  for (size_t i = 0; i < BODY_WORKERS * BODY_ROUNDS; i++)
    ls_plan_add(plan, (uint32_t)(i % BODY_WORKERS), 0, spread(&random, true));
}

/* Seconds of one replay, the median over the turns. */
static double time_replay(const struct ls_plan *plan, const struct ls_platform *platform,
                          size_t turns) {
  double seconds[TURNS_MAX], makespan_s;
  const size_t replays = 500;
  for (size_t turn = 0; turn < turns; turn++) {
    double begin = read_clock();
    for (size_t i = 0; i < replays; i++)
      require(ls_replay_makespan(plan, platform, &makespan_s, NULL) == LS_OK,
              "a plan cannot be replayed");
    seconds[turn] = (read_clock() - begin) / (double)replays;
  }
  return ls_median(seconds, turns);
}

static bool run_periodic(const struct periodic *periodic, size_t turns) {
  struct ls_platform platform;
  struct ls_plan plan;
  open_periodic(periodic, &platform, &plan);
  double single_s = time_replay(&plan, &platform, turns);
  ls_plan_repeat(&plan, 0, plan.chunks_count, PERIODS);
  double periods = time_replay(&plan, &platform, turns) / single_s;
  printf(
      "{\"what\": \"%s\", \"chunks\": %llu, \"bytes\": %zu, \"periods\": %.4g, \"reach\": %.4g}\n",
      periodic->what, (unsigned long long)ls_plan_messages(&plan),
      plan.chunks_capacity * sizeof *plan.chunks, periods, PERIODS_REACH);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return periods <= PERIODS_REACH;
}

int main(int count, char **arguments) {
  size_t turns = count > 1 ? strtoul(arguments[1], NULL, 10) : 11;
  bool is_reached = true;
  if (turns < 1 || turns > TURNS_MAX) {
    fprintf(stderr, "replay_speed: TURNS is %s, expected 1 to %d\n", arguments[1], TURNS_MAX);
    return 2;
  }
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    if (!run_measure(&measures[i], turns)) is_reached = false;
  }
  for (size_t i = 0; i < sizeof periodics / sizeof *periodics; i++) {
    if (!run_periodic(&periodics[i], turns)) is_reached = false;
  }
  return is_reached ? 0 : 1;
}
