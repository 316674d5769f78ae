/* advise_regret: the worth of choosing by simulation, over the grid of scenarios.
 *
 * Usage: advise_regret [EVERY [WORKERS [DRAWS]]]
 *
 * Scenarios: 1024 units on 8 (or 32) workers; equal, mildly and strongly different speeds; five
 * laws of task times; one-way latencies of 0, 0.1 and 1 task; prefetch 0, 1, 2, 16; static load,
 * the seven patterns, fast random load.  Each is played on 2 platforms x 5 draws with every policy;
 * `auto` chooses on 4 other draws for each platform.  Figures are makespan / lower bound.  EVERY k:
 * each k-th scenario.  Prints one JSON line; regret is against the best policy of each scenario in
 * hindsight; `decision` is the time of one choice in seconds of the processor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advise/advise.h"
#include "lab/studies/trial.h"

enum { WORKERS_MAX = 1024, MACHINES = 2, DRAWS = 5 };

static const struct {
  const char *policy, *name, *value;
} entries[] = {
    {"wf2", NULL, NULL},         {"af", NULL, NULL},
    {"awf-b", NULL, NULL},       {"awf-c", NULL, NULL},
    {"awf-d", NULL, NULL},       {"awf-e", NULL, NULL},
    {"ss", NULL, NULL},          {"sc", NULL, NULL},
    {"mfsc", NULL, NULL},        {"fsc", "rounding", "multiple"},
    {"tss", NULL, NULL},         {"tfss", NULL, NULL},
    {"fac2", NULL, NULL},        {"bold", NULL, NULL},
    {"gss", NULL, NULL},         {"fac", NULL, NULL},
    {"rumr", NULL, NULL},        {"monitor", "benchmark_tasks", "5"},
    {"gss", "least_units", "4"}, {"fsc", NULL, NULL},
};
enum { POLICIES = sizeof entries / sizeof *entries };

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "advise_regret: %s\n", err->text);
  exit(1);
}

static enum ls_status draw_world(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  struct ls_trial *scenario = context;
  enum ls_status status = ls_trial_draw(scenario, draw, err);
  if (status != LS_OK) return status;
  ls_trial_world(scenario, setup);
  setup->config.seed = draw;
  return LS_OK;
}

static void open_candidates(const struct ls_trial *scenario, struct ls_candidate *candidates) {
  struct ls_error err = {0};
  for (size_t i = 0; i < POLICIES; i++) {
    struct ls_candidate *candidate = &candidates[i];
    *candidate = (struct ls_candidate){.chunking = ls_chunking_find(entries[i].policy),
                                       .prefetch = scenario->prefetch};
    require(ls_trial_arguments(scenario, candidate->chunking, &candidate->arguments, &err), &err);
    if (entries[i].name == NULL) continue;
    require(ls_arguments_set(&candidate->arguments, candidate->chunking->parameters,
                             entries[i].name, entries[i].value, &err),
            &err);
  }
}

/* Makespan / bound of every policy on the draws from `first` on; then the mean. */
static void play_all(struct ls_trial *scenario, const struct ls_candidate *candidates,
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

static size_t choose(struct ls_trial *scenario, const struct ls_candidate *candidates, size_t draws,
                     struct totals *totals) {
  struct ls_advice advice;
  struct ls_error err = {0};
  struct timespec from, to;
  struct ls_advice_setup setup = {.world = {.context = scenario, .draw = draw_other},
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

static size_t apply_rule(const struct ls_trial *scenario, const struct ls_candidate *candidates) {
  struct ls_situation situation = {.latency = scenario->latency_s,
                                   .variation = scenario->variation,
                                   .prefetch = scenario->prefetch,
                                   .is_static = scenario->cell.load == 0,
                                   .knows_speeds = true};
  const struct ls_chunking *chunking = ls_advise_by_rule(&situation, NULL);
  size_t i = 0;
  while (i + 1 < POLICIES && candidates[i].chunking != chunking) i++;
  return i;
}

static void judge(struct ls_trial_key key, size_t draws, struct totals *totals) {
  double ratios[POLICIES] = {0}, automatic = 0, rule = 0, best = (double)INFINITY;
  struct ls_candidate candidates[POLICIES];
  for (key.machine = 0; key.machine < MACHINES; key.machine++) {
    struct ls_trial scenario;
    struct ls_error err = {0};
    double mine[POLICIES] = {0};
    require(ls_trial_open(&scenario, &key, &err), &err);
    open_candidates(&scenario, candidates);
    play_all(&scenario, candidates, mine);
    automatic += mine[choose(&scenario, candidates, draws, totals)] / MACHINES;
    rule += mine[apply_rule(&scenario, candidates)] / MACHINES;
    for (size_t i = 0; i < POLICIES; i++) ratios[i] += mine[i] / MACHINES;
    ls_trial_close(&scenario);
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
  size_t every = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1;
  size_t workers = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 8;
  size_t draws = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 4;
  struct totals totals = {0};
  if (every == 0 || workers == 0 || workers > WORKERS_MAX || draws == 0) {
    fprintf(stderr, "usage: advise_regret [EVERY >= 1 [WORKERS 1..%d [DRAWS >= 1]]]\n",
            (int)WORKERS_MAX);
    return 2;
  }
  for (size_t i = 0; i < LS_TRIALS; i += every) {
    judge((struct ls_trial_key){.number = i, .workers = workers, .seed = 1}, draws, &totals);
  }
  print_totals(&totals);
  return 0;
}
