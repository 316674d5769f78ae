/* advise_regret: what choosing by simulation is worth, over the grid of scenarios.
 *
 * Usage: advise_regret [EVERY [WORKERS [DRAWS]]]
 *
 * Scenarios: 1024 units on 8 (or 32) workers; equal, mildly and strongly different speeds; five
 * laws of task times; one-way latencies of 0, 0.1 and 1 task; prefetch 0, 1, 2, 16; static load,
 * the seven patterns, fast random load.  Each is played on 2 machines x 5 draws with every policy;
 * `auto` chooses on 4 other draws for each machine.  Figures are makespan / lower bound.  EVERY k:
 * each k-th scenario.  Prints one JSON line; regret is against the best policy of each scenario in
 * hindsight; `decision` is the time of one choice in seconds of the processor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advise/advise.h"
#include "base/random.h"
#include "simulate/load_pattern.h"
#include "simulate/task_times.h"

enum { UNITS = 1024, WORKERS_MAX = 32, MACHINES = 2, DRAWS = 5, SCENARIOS = 540 };

static const struct {
  const char *policy, *name, *value;
  bool is_weighted;
} entries[] = {
    {"wf2", NULL, NULL, true},          {"af", NULL, NULL, false},
    {"awf-b", NULL, NULL, true},        {"awf-c", NULL, NULL, true},
    {"awf-d", NULL, NULL, true},        {"awf-e", NULL, NULL, true},
    {"ss", NULL, NULL, false},          {"sc", NULL, NULL, true},
    {"mfsc", NULL, NULL, false},        {"fsc", "rounding", "multiple", false},
    {"tss", NULL, NULL, false},         {"tfss", NULL, NULL, false},
    {"fac2", NULL, NULL, false},        {"bold", NULL, NULL, false},
    {"gss", NULL, NULL, false},         {"fac", NULL, NULL, false},
    {"rumr", NULL, NULL, false},        {"monitor", "benchmark_tasks", "5", false},
    {"gss", "least_units", "4", false}, {"fsc", NULL, NULL, false},
};
enum { POLICIES = sizeof entries / sizeof *entries };

struct scenario {
  size_t workers, index;
  int speeds, law, dynamics;
  double latency_s;
  uint64_t prefetch, machine;
  struct ls_platform platform;
  double weights[WORKERS_MAX], work[UNITS];
  struct ls_availability *availability[WORKERS_MAX];
  size_t availability_count[WORKERS_MAX];
  double bound_s; /* of the last draw */
};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "advise_regret: %s\n", err->text);
  exit(1);
}

static void release_load(struct scenario *scenario) {
  for (size_t i = 0; i < WORKERS_MAX; i++) {
    free(scenario->availability[i]);
    scenario->availability[i] = NULL;
    scenario->availability_count[i] = 0;
  }
}

static void open_machine(struct scenario *scenario, uint64_t machine) {
  struct ls_random random;
  struct ls_error err = {0};
  char stream[64];
  scenario->machine = machine;
  snprintf(stream, sizeof stream, "machine-%zu-%llu", scenario->index, (unsigned long long)machine);
  ls_random_init(&random, 1, stream);
  require(ls_platform_init(&scenario->platform, scenario->workers, &err), &err);
  for (size_t i = 0; i < scenario->workers; i++) {
    double chance = ls_random_real(&random), speed = 1;
    if (scenario->speeds == 1) speed = 0.7 + 0.6 * chance;
    if (scenario->speeds == 2) speed = pow(2, -1.6 + 3.2 * chance);
    scenario->weights[i] = speed;
    scenario->platform.workers[i].compute.per_unit_s = 1 / speed;
    scenario->platform.workers[i].delay_s = scenario->latency_s;
  }
  scenario->platform.prepare.latency_s = 0.01;
}

static void draw_load(struct scenario *scenario, struct ls_random *random, double t0) {
  static const double BUSY[] = {1, 0.5, 1.0 / 3};
  struct ls_error err = {0};
  release_load(scenario);
  if (scenario->dynamics == 0) return;
  bool is_fast = scenario->dynamics == 2;
  struct ls_load_pattern pattern = {.kind = is_fast ? LS_PATTERN_RANDOM : LS_PATTERN_SEVEN,
                                    .first = (size_t)ls_random_below(random, LS_PATTERNS),
                                    .duration_s = is_fast ? 2 * t0 : 1.3 * t0,
                                    .busy = BUSY[scenario->dynamics],
                                    .slot_s = is_fast ? t0 / 12 : fmax(0.5, t0 / 64)};
  for (size_t i = 0; i < scenario->workers; i++) {
    require(ls_load_pattern_make(&pattern, i, random, &scenario->availability[i],
                                 &scenario->availability_count[i], &err),
            &err);
  }
}

static double variation_of(const struct scenario *scenario) {
  static const enum ls_task_law laws[] = {LS_TASK_CONSTANT, LS_TASK_GAMMA, LS_TASK_EXPONENTIAL,
                                          LS_TASK_BIMODAL, LS_TASK_RAMP_DOWN};
  struct ls_task_times times = {laws[scenario->law], 1, 0.3};
  return ls_task_times_variation(&times);
}

/* Work that the workers can do until then. */
static double count_work(const struct scenario *scenario, double until_s) {
  double work = 0;
  for (size_t i = 0; i < scenario->workers; i++) {
    double from_s = 0, share = 1;
    for (size_t k = 0; k < scenario->availability_count[i]; k++) {
      const struct ls_availability *piece = &scenario->availability[i][k];
      double next_s = fmin(piece->from_s, until_s);
      work += scenario->weights[i] * share * (next_s - from_s);
      from_s = next_s;
      share = piece->share;
    }
    work += scenario->weights[i] * share * (until_s - from_s);
  }
  return work;
}

/* When the workers together could have done it all. */
static double bound_work(const struct scenario *scenario, double work, double speed) {
  double low_s = work / speed, high_s = 100 * low_s;
  for (int i = 0; i < 100; i++) {
    double middle_s = (low_s + high_s) / 2;
    if (count_work(scenario, middle_s) < work) {
      low_s = middle_s;
    } else {
      high_s = middle_s;
    }
  }
  return high_s;
}

static enum ls_status draw_world(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  static const enum ls_task_law laws[] = {LS_TASK_CONSTANT, LS_TASK_GAMMA, LS_TASK_EXPONENTIAL,
                                          LS_TASK_BIMODAL, LS_TASK_RAMP_DOWN};
  struct scenario *scenario = context;
  struct ls_random random;
  char stream[64];
  double total = 0, largest = 0, speed = 0, fastest = 0;
  snprintf(stream, sizeof stream, "draw-%zu-%llu-%zu", scenario->index,
           (unsigned long long)scenario->machine, draw);
  ls_random_init(&random, 2, stream);
  struct ls_task_times times = {laws[scenario->law], 1, 0.3};
  enum ls_status status = ls_task_times_draw(&times, &random, scenario->work, UNITS, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < UNITS; i++) {
    total += scenario->work[i];
    largest = fmax(largest, scenario->work[i]);
  }
  for (size_t i = 0; i < scenario->workers; i++) {
    speed += scenario->weights[i];
    fastest = fmax(fastest, scenario->weights[i]);
  }
  draw_load(scenario, &random, total / speed);
  scenario->bound_s = fmax(bound_work(scenario, total, speed), largest / fastest);
  double mean_speed = speed / (double)scenario->workers;
  setup->platform = &scenario->platform;
  setup->units = UNITS;
  setup->task_work = scenario->work;
  setup->prefetch = scenario->prefetch;
  setup->config.weights = scenario->weights;
  setup->config.mean_seconds = 1 / mean_speed;
  setup->config.deviation_seconds = variation_of(scenario) / mean_speed;
  setup->config.overhead_seconds = 0.01 + 2 * scenario->latency_s;
  setup->config.seed = draw;
  if (scenario->dynamics > 0) {
    setup->availability = (const struct ls_availability *const *)scenario->availability;
    setup->availability_count = scenario->availability_count;
  }
  return LS_OK;
}

static void open_candidates(const struct scenario *scenario, struct ls_candidate *candidates) {
  struct ls_error err = {0};
  for (size_t i = 0; i < POLICIES; i++) {
    struct ls_candidate *candidate = &candidates[i];
    *candidate = (struct ls_candidate){.chunking = ls_chunking_find(entries[i].policy),
                                       .prefetch = scenario->prefetch};
    const struct ls_parameter *parameters = candidate->chunking->parameters;
    ls_arguments_init(&candidate->arguments, parameters);
    if (entries[i].name != NULL) {
      require(ls_arguments_set(&candidate->arguments, parameters, entries[i].name, entries[i].value,
                               &err),
              &err);
    }
    if (strcmp(entries[i].policy, "monitor") == 0) {
      require(ls_arguments_set(&candidate->arguments, parameters, "report_every", "4", &err), &err);
    }
    if (strcmp(entries[i].policy, "rumr") != 0) continue;
    char error[32];
    double uncertain = variation_of(scenario) + (scenario->dynamics > 0 ? 0.3 : 0);
    snprintf(error, sizeof error, "%.17g", fmin(0.9, fmax(0.1, uncertain)));
    require(ls_arguments_set(&candidate->arguments, parameters, "error", error, &err), &err);
    snprintf(error, sizeof error, "%.17g", 0.01 + scenario->latency_s);
    require(ls_arguments_set(&candidate->arguments, parameters, "transfer_latency_seconds", error,
                             &err),
            &err);
  }
}

/* Makespan / bound of every policy on the draws from `first` on; then the mean. */
static void play_all(struct scenario *scenario, const struct ls_candidate *candidates,
                     double *ratios) {
  struct ls_error err = {0};
  for (size_t draw = 0; draw < DRAWS; draw++) {
    struct ls_simulation world = {0};
    require(draw_world(scenario, draw, &world, &err), &err);
    for (size_t i = 0; i < POLICIES; i++) {
      struct ls_simulation setup = world;
      struct ls_simulated result;
      setup.config.chunking = candidates[i].chunking;
      setup.config.arguments = candidates[i].arguments;
      require(ls_simulate(&setup, &result, NULL, &err), &err);
      ratios[i] += result.makespan_s / scenario->bound_s / DRAWS;
    }
  }
}

/* The world of the choice: other draws than those that are judged. */
static enum ls_status draw_other(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  return draw_world(context, draw + 100, setup, err);
}

struct totals {
  double policies[POLICIES], automatic, best, rule, regret, decision_s, decision_most_s;
  size_t scenarios, decisions;
};

static size_t choose(struct scenario *scenario, const struct ls_candidate *candidates, size_t draws,
                     struct totals *totals) {
  struct ls_advice advice;
  struct ls_error err = {0};
  struct timespec from, to;
  struct ls_advice_setup setup = {.world = {scenario, draw_other},
                                  .candidates = candidates,
                                  .candidates_count = POLICIES,
                                  .current = SIZE_MAX,
                                  .draws = draws};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
  require(ls_advise(&setup, &advice, &err), &err);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  totals->decision_s += seconds;
  totals->decision_most_s = fmax(totals->decision_most_s, seconds);
  totals->decisions++;
  size_t chosen = advice.chosen;
  ls_advice_close(&advice);
  return chosen;
}

static size_t apply_rule(const struct scenario *scenario, const struct ls_candidate *candidates) {
  struct ls_situation situation = {.latency = scenario->latency_s,
                                   .variation = variation_of(scenario),
                                   .prefetch = scenario->prefetch,
                                   .is_static = scenario->dynamics == 0,
                                   .knows_speeds = true};
  const struct ls_chunking *chunking = ls_advise_by_rule(&situation, NULL);
  size_t i = 0;
  while (i + 1 < POLICIES && candidates[i].chunking != chunking) i++;
  return i;
}

static void judge(struct scenario *scenario, size_t draws, struct totals *totals) {
  double ratios[POLICIES] = {0}, automatic = 0, rule = 0, best = (double)INFINITY;
  struct ls_candidate candidates[POLICIES];
  open_candidates(scenario, candidates);
  for (uint64_t machine = 0; machine < MACHINES; machine++) {
    double mine[POLICIES] = {0};
    open_machine(scenario, machine);
    play_all(scenario, candidates, mine);
    automatic += mine[choose(scenario, candidates, draws, totals)] / MACHINES;
    rule += mine[apply_rule(scenario, candidates)] / MACHINES;
    for (size_t i = 0; i < POLICIES; i++) ratios[i] += mine[i] / MACHINES;
    release_load(scenario);
    ls_platform_close(&scenario->platform);
  }
  for (size_t i = 0; i < POLICIES; i++) {
    totals->policies[i] += ratios[i];
    best = fmin(best, ratios[i]);
  }
  totals->automatic += automatic;
  totals->rule += rule;
  totals->best += best;
  totals->regret += automatic / best - 1;
  totals->scenarios++;
}

static void print_totals(const struct totals *totals) {
  double count = (double)totals->scenarios;
  size_t best = 0;
  printf("{\"scenarios\": %zu, \"policies\": {", totals->scenarios);
  for (size_t i = 0; i < POLICIES; i++) {
    if (totals->policies[i] < totals->policies[best]) best = i;
    printf("%s\"%s%s%s\": %.4f", i > 0 ? ", " : "", entries[i].policy,
           entries[i].value != NULL ? ":" : "", entries[i].value != NULL ? entries[i].value : "",
           totals->policies[i] / count);
  }
  printf(
      "}, \"best_single\": \"%s\", \"best_single_mean\": %.4f, \"rule\": %.4f, "
      "\"auto\": %.4f, \"hindsight\": %.4f, \"auto_regret\": %.4f, \"decision_s\": %.4f, "
      "\"decision_most_s\": %.4f}\n",
      entries[best].policy, totals->policies[best] / count, totals->rule / count,
      totals->automatic / count, totals->best / count, totals->regret / count,
      totals->decision_s / (double)totals->decisions, totals->decision_most_s);
}

int main(int argc, char **argv) {
  static const double latencies[] = {0, 0.1, 1};
  static const uint64_t prefetches[] = {0, 1, 2, 16};
  size_t every = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1;
  size_t workers = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 8;
  size_t draws = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 4;
  struct totals totals = {0};
  if (every == 0 || workers == 0 || workers > WORKERS_MAX || draws == 0) {
    fprintf(stderr, "usage: advise_regret [EVERY >= 1 [WORKERS 1..%d [DRAWS >= 1]]]\n",
            (int)WORKERS_MAX);
    return 2;
  }
  for (size_t i = 0; i < SCENARIOS; i += every) {
    struct scenario scenario = {.workers = workers,
                                .index = i,
                                .speeds = (int)(i % 3),
                                .law = (int)(i / 3 % 5),
                                .latency_s = latencies[i / 15 % 3],
                                .prefetch = prefetches[i / 45 % 4],
                                .dynamics = (int)(i / 180)};
    judge(&scenario, draws, &totals);
  }
  print_totals(&totals);
  return 0;
}
