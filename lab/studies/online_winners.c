/* online_winners.c: which policy wins where: every policy on the grid of docs/theory/online.md, 9:
 * 540 scenarios with 8 workers, and again with 32.
 *
 * A figure is makespan over lower bound: work over the speeds as they change, or the longest task
 * on the fastest worker.  Each scenario is played on 2 platforms x 5 draws.
 *
 * Only `auto` has a tolerance there: 0.01 on the grid.  Policies that know the
 * speeds are held to it, too.  All others, and means over parts of the grid, are shown beside what
 * is specified, without a verdict: the platforms of those figures are not known, and a policy
 * that is not told the speeds hinges on which ones it is played on.  (Its largest regrets come out
 * when all scenarios share two platforms of each kind, and are smaller than ours, where every
 * scenario has platforms of its own.)
 */
#include "lab/studies/online_winners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/sample.h"
#include "runtime/os/parallel_map.h"

#define AUTO_TOLERANCE 0.01

enum { SPECIFIED_WORKERS = 8 };

const char ls_winners_unknown[] =
    "the platforms of docs/theory/online.md, 9, are not known, and this hinges on them";

const struct ls_winners_entry ls_winners_entries[LS_WINNERS_ENTRIES] = {
    {"wf2", "wf2", NULL, NULL, true, 1.076, 0.20},
    {"awf-b", "awf-b", NULL, NULL, true, 1.077, 0.21},
    {"awf-c", "awf-c", NULL, NULL, true, 1.077, 0.21},
    {"awf-d", "awf-d", NULL, NULL, true, 1.077, 0.21},
    {"awf-e", "awf-e", NULL, NULL, true, 1.077, 0.21},
    {"wf", "wf", NULL, NULL, true, (double)NAN, (double)NAN},
    {"awf", "awf", NULL, NULL, true, (double)NAN, (double)NAN},
    {"af", "af", NULL, NULL, false, 1.113, 0.38},
    {"mfsc", "mfsc", NULL, NULL, false, 1.147, (double)NAN},
    {"tfss", "tfss", NULL, NULL, false, 1.217, (double)NAN},
    {"fac2", "fac2", NULL, NULL, false, 1.218, 1.26},
    {"monitor", "monitor", NULL, NULL, false, 1.226, 0.95},
    {"rumr", "rumr", NULL, NULL, false, 1.230, (double)NAN},
    {"tss", "tss", NULL, NULL, false, 1.232, (double)NAN},
    {"sc-w", "sc", NULL, NULL, true, 1.269, (double)NAN},
    {"fsc", "fsc", NULL, NULL, false, 1.272, (double)NAN},
    {"rand", "rand", NULL, NULL, false, 1.31, (double)NAN},
    {"ss", "ss", NULL, NULL, false, 1.42, 2.47},
    {"bold", "bold", NULL, NULL, false, 1.56, (double)NAN},
    {"gss", "gss", NULL, NULL, false, 1.61, (double)NAN},
    {"fac", "fac", NULL, NULL, false, 1.65, (double)NAN},
    {"sc", "sc", NULL, NULL, false, 1.79, 3.02},
    {"awf-c-0", "awf-c", NULL, NULL, false, 1.187, (double)NAN},
    {"monitor-5", "monitor", "benchmark_tasks", "5", false, 1.154, (double)NAN},
};

bool ls_winners_has(const struct ls_winners *winners, size_t number) {
  return winners->is_wanted == NULL || winners->is_wanted[number];
}

double ls_winners_ratio(const struct ls_winners *winners, size_t number, size_t entry) {
  double sum = 0;
  for (size_t k = 0; k < LS_WINNERS_MACHINES; k++) sum += winners->parts[number].ratios[k][entry];
  return sum / LS_WINNERS_MACHINES;
}

size_t ls_winners_best(const struct ls_winners *winners, size_t number, bool knows_speeds) {
  size_t best = LS_WINNERS_ENTRIES;
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    if (ls_winners_entries[i].knows_speeds && !knows_speeds) continue;
    if (best == LS_WINNERS_ENTRIES ||
        ls_winners_ratio(winners, number, i) < ls_winners_ratio(winners, number, best)) {
      best = i;
    }
  }
  return best;
}

/* ---- playing ---- */

struct task {
  const struct ls_winners *winners;
  uint64_t seed;
};

static enum ls_status play(const struct ls_trial *scenario, size_t draw,
                           const struct ls_winners_entry *entry, double *ratio,
                           struct ls_error *err) {
  struct ls_simulation setup;
  struct ls_simulated result;
  const struct ls_chunking *chunking = ls_chunking_find(entry->policy);
  ls_trial_world(scenario, &setup);
  setup.config.chunking = chunking;
  setup.config.seed = draw;
  if (!entry->knows_speeds) setup.config.weights = NULL;
  enum ls_status status = ls_trial_arguments(scenario, chunking, &setup.config.arguments, err);
  if (status == LS_OK && entry->parameter != NULL) {
    status = ls_arguments_set(&setup.config.arguments, chunking->parameters, entry->parameter,
                              entry->value, err);
  }
  if (status == LS_OK) status = ls_simulate(&setup, &result, NULL, err);
  if (status == LS_OK) *ratio += result.makespan_s / scenario->bound_s / LS_WINNERS_DRAWS;
  return status;
}

static enum ls_status play_machine(const struct ls_trial_key *key, double *ratios,
                                   struct ls_error *err) {
  struct ls_trial scenario;
  enum ls_status status = ls_trial_open(&scenario, key, err);
  if (status != LS_OK) return status;
  for (size_t draw = 0; draw < LS_WINNERS_DRAWS && status == LS_OK; draw++) {
    status = ls_trial_draw(&scenario, draw, err);
    for (size_t i = 0; i < LS_WINNERS_ENTRIES && status == LS_OK; i++) {
      status = play(&scenario, draw, &ls_winners_entries[i], &ratios[i], err);
    }
  }
  ls_trial_close(&scenario);
  return status;
}

static enum ls_status compute(void *context, size_t index, void *result, struct ls_error *err) {
  const struct task *task = context;
  struct ls_winners_part *part = result;
  if (!ls_winners_has(task->winners, index)) return LS_OK;
  struct ls_trial_key key = {
      .number = index, .workers = task->winners->workers, .seed = task->seed};
  enum ls_status status = LS_OK;
  for (key.machine = 0; key.machine < LS_WINNERS_MACHINES && status == LS_OK; key.machine++) {
    status = play_machine(&key, part->ratios[key.machine], err);
  }
  return status;
}

/* ---- reading the results ---- */

struct ls_moments ls_winners_mean(const struct ls_winners *winners, size_t entry,
                                  ls_winners_is_in_fn is_in) {
  struct ls_moments moments = {0};
  for (size_t number = 0; number < LS_TRIALS; number++) {
    struct ls_trial_cell cell = ls_trial_cell(number);
    if (!ls_winners_has(winners, number) || (is_in != NULL && !is_in(&cell))) continue;
    ls_moments_add(&moments, ls_winners_ratio(winners, number, entry));
  }
  if (moments.count == 0) moments.mean = (double)NAN;
  return moments;
}

struct standing {
  struct ls_moments moments;
  double regret;      /* the largest */
  size_t wins, close; /* scenarios in which it is the best, within 1 % of the best */
};

static struct standing find_standing(const struct ls_winners *winners, size_t entry) {
  struct standing standing = {.moments = ls_winners_mean(winners, entry, NULL)};
  for (size_t number = 0; number < LS_TRIALS; number++) {
    if (!ls_winners_has(winners, number)) continue;
    size_t best = ls_winners_best(winners, number, true);
    double least = ls_winners_ratio(winners, number, best);
    double regret = ls_winners_ratio(winners, number, entry) / least - 1;
    standing.regret = fmax(standing.regret, regret);
    standing.wins += best == entry;
    standing.close += regret <= 0.01;
  }
  return standing;
}

static void print_specified(struct ls_study_report *report, double value, double scale) {
  if (isnan(value))
    ls_study_print(report, " %9s", "");
  else
    ls_study_print(report, " %9.4g", value * scale);
}

static void print_standings(const struct ls_winners *winners, bool is_specified,
                            struct ls_study_report *report) {
  ls_study_print(report,
                 "%zu workers: makespan over lower bound, mean; largest regret against the best of "
                 "a scenario, %%;\nscenarios that it wins, and in which it is within 1 %% of the "
                 "winner (of equals, the first one wins)\n"
                 "sc-w: sc with the speeds as weights; awf-c-0: awf-c that is not told them; "
                 "monitor-5: 5 benchmark tasks\n",
                 winners->workers);
  ls_study_print(report, "%-10s %-6s %9s %9s %9s %9s %6s %6s\n", "policy", "speeds", "mean",
                 "specified", "regret", "specified", "wins", "close");
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    const struct ls_winners_entry *entry = &ls_winners_entries[i];
    struct standing standing = find_standing(winners, i);
    ls_study_print(report, "%-10s %-6s %9.4f", entry->label, entry->knows_speeds ? "told" : "-",
                   standing.moments.mean);
    print_specified(report, is_specified ? entry->specified : (double)NAN, 1);
    ls_study_print(report, " %9.1f", 100 * standing.regret);
    print_specified(report, is_specified ? entry->regret : (double)NAN, 100);
    ls_study_print(report, " %6zu %6zu\n", standing.wins, standing.close);
  }
  ls_study_print(report, "\n");
}

static void judge_means(const struct ls_winners *winners, const struct ls_study_options *options,
                        struct ls_study_report *report) {
  double sampling = ls_study_sampling_error(options, LS_TRIALS);
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    const struct ls_winners_entry *entry = &ls_winners_entries[i];
    struct standing standing = find_standing(winners, i);
    char name[96];
    if (isnan(entry->specified)) continue;
    double tolerance = AUTO_TOLERANCE + sampling * ls_moments_deviation(&standing.moments);
    (void)snprintf(name, sizeof name, "%s: makespan over bound, mean", entry->label);
    ls_study_compare(
        report, name,
        entry->knows_speeds
            ? ls_study_near(LS_STUDY_SPECIFIED, entry->specified, tolerance)
            : ls_study_unjudged(LS_STUDY_SPECIFIED, entry->specified, ls_winners_unknown),
        standing.moments.mean);
    if (isnan(entry->regret)) continue;
    (void)snprintf(name, sizeof name, "%s: largest regret", entry->label);
    ls_study_compare(report, name,
                     ls_study_unjudged(LS_STUDY_SPECIFIED, entry->regret, ls_winners_unknown),
                     standing.regret);
  }
}

/* ---- the study ---- */

static enum ls_status fill(struct ls_winners *winners, const struct ls_study_options *options,
                           struct ls_error *err) {
  struct task task = {.winners = winners, .seed = options->seed};
  struct ls_parallel_map map = {.count = LS_TRIALS,
                                .result_bytes = sizeof *winners->parts,
                                .processes = options->processes,
                                .compute = compute,
                                .context = &task};
  return ls_parallel_map(&map, winners->parts, err);
}

static void report_all(const struct ls_winners *winners, const struct ls_study_options *options,
                       struct ls_study_report *report) {
  bool is_specified = winners->workers == SPECIFIED_WORKERS;
  print_standings(winners, is_specified, report);
  if (is_specified) judge_means(winners, options, report);
  ls_winners_judge_rule(winners, options, report);
  if (is_specified) ls_winners_judge_situations(winners, report);
  ls_winners_map(winners, true, is_specified ? "online-winners.svg" : "online-winners-32.svg",
                 report);
  if (is_specified) ls_winners_map(winners, false, "online-winners-unknown.svg", report);
}

static enum ls_status run_winners(const struct ls_study_options *options,
                                  struct ls_study_report *report, struct ls_error *err) {
  bool *is_wanted = NULL;
  struct ls_winners *winners = calloc(1, sizeof *winners);
  if (winners == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the scenarios");
  enum ls_status status = ls_study_sample(options, LS_TRIALS, &is_wanted, err);
  winners->is_wanted = is_wanted;
  for (size_t i = 0; i < 2 && status == LS_OK; i++) {
    winners->workers = i == 0 ? SPECIFIED_WORKERS : 32;
    memset(winners->parts, 0, sizeof winners->parts);
    status = fill(winners, options, err);
    if (status == LS_OK) report_all(winners, options, report);
  }
  free(is_wanted);
  free(winners);
  return status;
}

const struct ls_study ls_study_online_winners = {
    .name = "online-winners",
    .summary = "which policy wins where: every policy on a grid of 540 scenarios",
    .reference = "docs/theory/online.md, 9",
    .run = run_winners,
};
