/* online_winners_where.c: the fixed rule of `auto` on the grid, and the situations in which
 * docs/theory/online.md, 9, recommends a policy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise/advise.h"
#include "lab/studies/online_winners.h"
#include "lab/studies/sample.h"

enum { CONSTANT, EXPONENTIAL = 2, RAMP_DOWN = 4 }; /* laws */
enum { EQUAL, STRONG = 2 };                        /* speeds */
enum { SHOWN = 6 };

#define RULE_TOLERANCE 0.01

static size_t find_entry(const char *label) {
  size_t i = 0;
  while (strcmp(ls_winners_entries[i].label, label) != 0) i++;
  return i;
}

static double find_mean(const struct ls_winners *winners, const char *label,
                        ls_winners_is_in_fn is_in) {
  return ls_winners_mean(winners, find_entry(label), is_in).mean;
}

/* Statements are judged where all scenarios take part. */
static void judge_statement(struct ls_study_report *report, bool is_all, const char *name,
                            bool holds) {
  ls_study_compare(report, name,
                   ls_study_judged_if(is_all, ls_study_near(LS_STUDY_SPECIFIED, 1, 0)), holds);
}

/* ---- the rule ---- */

static size_t apply_rule(size_t number, bool knows_speeds) {
  static const double latencies[] = {0, 0.1, 1};
  static const uint64_t prefetches[] = {0, 1, 2, 16};
  static const double variations[] = {0, 0.3, 1, 1, 1};
  struct ls_trial_cell cell = ls_trial_cell(number);
  struct ls_situation situation = {.latency = latencies[cell.latency],
                                   .variation = variations[cell.law],
                                   .prefetch = prefetches[cell.prefetch],
                                   .is_static = cell.load == 0,
                                   .knows_speeds = knows_speeds};
  const char *name = ls_advise_by_rule(&situation, NULL)->name;
  return find_entry(strcmp(name, "sc") == 0 ? "sc-w" : name);
}

static struct ls_moments measure_rule(const struct ls_winners *winners, bool knows_speeds,
                                      ls_winners_is_in_fn is_in) {
  struct ls_moments moments = {0};
  for (size_t number = 0; number < LS_TRIALS; number++) {
    struct ls_trial_cell cell = ls_trial_cell(number);
    if (!ls_winners_has(winners, number) || (is_in != NULL && !is_in(&cell))) continue;
    size_t entry = apply_rule(number, knows_speeds);
    ls_moments_add(&moments, ls_winners_ratio(winners, number, entry));
  }
  if (moments.count == 0) moments.mean = (double)NAN;
  return moments;
}

static struct ls_moments measure_hindsight(const struct ls_winners *winners) {
  struct ls_moments moments = {0};
  for (size_t number = 0; number < LS_TRIALS; number++) {
    if (!ls_winners_has(winners, number)) continue;
    size_t best = ls_winners_best(winners, number, true);
    ls_moments_add(&moments, ls_winners_ratio(winners, number, best));
  }
  return moments;
}

/* docs/theory/online.md, 9, has 180 scenarios with 32 workers without saying which.  These are
 * taken to be they: prefetch 0 and 1 with static and fast load.  With a prefetch of 16, half of the
 * 32 units of a worker, no natural choice comes near its mean. */
static bool is_of_180(const struct ls_trial_cell *cell) {
  return cell->prefetch <= 1 && cell->load != 1;
}

static void judge_eight(const struct ls_winners *winners, const struct ls_study_options *options,
                        struct ls_study_report *report) {
  double sampling = ls_study_sampling_error(options, LS_TRIALS);
  struct ls_moments known = measure_rule(winners, true, NULL);
  struct ls_moments unknown = measure_rule(winners, false, NULL);
  ls_study_compare(report, "8 workers, fixed rule, speeds known",
                   ls_study_near(LS_STUDY_SPECIFIED, 1.0685,
                                 RULE_TOLERANCE + sampling * ls_moments_deviation(&known)),
                   known.mean);
  ls_study_compare(report, "8 workers, fixed rule, speeds not known",
                   ls_study_near(LS_STUDY_SPECIFIED, 1.092,
                                 RULE_TOLERANCE + sampling * ls_moments_deviation(&unknown)),
                   unknown.mean);
  judge_statement(report, winners->is_wanted == NULL,
                  "8 workers: the fixed rule is not above wf2 in the mean",
                  known.mean <= find_mean(winners, "wf2", NULL));
}

/* A sample has too few of the 180 to say what chance may do. */
static void judge_thirty_two(const struct ls_winners *winners, struct ls_study_report *report) {
  ls_study_compare(report, "32 workers, fixed rule, speeds known, 180 scenarios",
                   ls_study_judged_if(winners->is_wanted == NULL,
                                      ls_study_near(LS_STUDY_SPECIFIED, 1.204, RULE_TOLERANCE)),
                   measure_rule(winners, true, is_of_180).mean);
  ls_study_show(report, "32 workers, fixed rule, speeds known, all 540",
                measure_rule(winners, true, NULL).mean);
  ls_study_show(report, "32 workers, fixed rule, speeds not known, all 540",
                measure_rule(winners, false, NULL).mean);
}

void ls_winners_judge_rule(const struct ls_winners *winners, const struct ls_study_options *options,
                           struct ls_study_report *report) {
  char name[96];
  if (winners->workers == 8)
    judge_eight(winners, options, report);
  else
    judge_thirty_two(winners, report);
  (void)snprintf(name, sizeof name, "%zu workers, best of each scenario in hindsight",
                 winners->workers);
  ls_study_show(report, name, measure_hindsight(winners).mean);
}

/* ---- situations ---- */

static bool is_cheap(const struct ls_trial_cell *cell) {
  return cell->latency == 0 || (cell->latency == 1 && (cell->prefetch == 1 || cell->prefetch == 2));
}
static bool is_predictable(const struct ls_trial_cell *cell) {
  return cell->law == CONSTANT && cell->load == 0;
}
static bool is_slow(const struct ls_trial_cell *cell) {
  return cell->latency == 2 && cell->prefetch == 0;
}
static bool is_slow_and_equal(const struct ls_trial_cell *cell) {
  return is_slow(cell) && cell->speeds == EQUAL;
}
static bool is_falling(const struct ls_trial_cell *cell) {
  return cell->law == RAMP_DOWN;
}
static bool is_strong(const struct ls_trial_cell *cell) {
  return cell->speeds == STRONG;
}
static bool is_early(const struct ls_trial_cell *cell) {
  return cell->prefetch == 1 || cell->prefetch == 2;
}
static bool is_hoarding(const struct ls_trial_cell *cell) {
  return cell->prefetch == 3;
}
static bool is_exponential(const struct ls_trial_cell *cell) {
  return cell->law == EXPONENTIAL;
}
static bool is_constant(const struct ls_trial_cell *cell) {
  return cell->law == CONSTANT;
}

static const struct situation {
  const char *name;
  ls_winners_is_in_fn is_in;
  bool knows_speeds;
  const char *winners; /* one of these is to be the best: " ss awf-c "; NULL: not said */
} situations[] = {
    {"no latency, or 0.1 hidden by a prefetch of 1 or 2", is_cheap, true, " ss "},
    {"static and constant times, speeds known", is_predictable, true, " sc-w "},
    {"latency of a task, prefetch 0", is_slow, true, " wf2 awf-b awf-d "},
    {"latency of a task, prefetch 0, equal speeds", is_slow_and_equal, true, NULL},
    {"times fall along the list", is_falling, true, NULL},
    {"times fall along the list, speeds not known", is_falling, false, " mfsc fsc ss "},
    {"strongly unequal speeds", is_strong, true, " wf2 awf-b awf-d "},
    {"speeds not known", NULL, false, " af "},
    {"all scenarios", NULL, true, " wf2 awf awf-b awf-c awf-d awf-e "},
};
enum { SITUATIONS = sizeof situations / sizeof *situations };

/* The best entry that is not taken yet; its mean. */
static size_t find_next(const double *means, const bool *is_taken) {
  size_t best = LS_WINNERS_ENTRIES;
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    if (is_taken[i]) continue;
    if (best == LS_WINNERS_ENTRIES || means[i] < means[best]) best = i;
  }
  return best;
}

/* Prints the best of a situation; the very best is returned. */
static size_t print_situation(const struct ls_winners *winners, const struct situation *situation,
                              struct ls_study_report *report) {
  double means[LS_WINNERS_ENTRIES];
  bool is_taken[LS_WINNERS_ENTRIES];
  size_t first = LS_WINNERS_ENTRIES;
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    means[i] = ls_winners_mean(winners, i, situation->is_in).mean;
    is_taken[i] = ls_winners_entries[i].knows_speeds && !situation->knows_speeds;
  }
  ls_study_print(report, "  %-51s", situation->name);
  for (size_t k = 0; k < SHOWN; k++) {
    size_t i = find_next(means, is_taken);
    if (k == 0) first = i;
    ls_study_print(report, " %s %.3f", ls_winners_entries[i].label, means[i]);
    is_taken[i] = true;
  }
  ls_study_print(report, "\n");
  return first;
}

static void judge_orders(const struct ls_winners *winners, bool is_all,
                         struct ls_study_report *report) {
  static const char *const reckless[] = {"fac", "bold", "gss", "sc"};
  double af = find_mean(winners, "af", NULL), mfsc = find_mean(winners, "mfsc", NULL);
  double five = find_mean(winners, "monitor-5", NULL), one = find_mean(winners, "monitor", NULL);
  double awf = find_mean(winners, "awf-c-0", NULL), ss = find_mean(winners, "ss", is_strong);
  bool is_reckless = true;
  judge_statement(report, is_all, "not known: af, then mfsc and monitor-5, then awf-c, monitor",
                  af < fmin(mfsc, five) && fmax(mfsc, five) < awf && awf < one);
  for (size_t i = 0; i < sizeof reckless / sizeof *reckless; i++) {
    is_reckless &= find_mean(winners, reckless[i], is_strong) > ss;
  }
  judge_statement(report, is_all, "strongly unequal: fac, bold, gss, sc all worse than ss",
                  is_reckless);
}

static double find_least(const struct ls_winners *winners, ls_winners_is_in_fn is_in) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < LS_WINNERS_ENTRIES; i++) {
    least = fmin(least, ls_winners_mean(winners, i, is_in).mean);
  }
  return least;
}

static void report_values(const struct ls_winners *winners, bool is_all,
                          struct ls_study_report *report) {
  double hoarding = find_least(winners, is_hoarding), early = find_least(winners, is_early);
  judge_statement(report, is_all, "the best policy loses with a prefetch of 16 against 1 or 2",
                  hoarding > early);
  const struct {
    const char *name;
    double specified, ours;
  } values[] = {
      {"prefetch 16: the best policy", 1.130, hoarding},
      {"prefetch 1 or 2: the best policy", 1.053, early},
      {"static, constant: sc with weights", 1.010, find_mean(winners, "sc-w", is_predictable)},
      {"exponential, benchmark of 1 task", 1.454, find_mean(winners, "monitor", is_exponential)},
      {"exponential, benchmark of 5 tasks", 1.139, find_mean(winners, "monitor-5", is_exponential)},
      {"constant, benchmark of 1 task", 1.067, find_mean(winners, "monitor", is_constant)},
      {"constant, benchmark of 5 tasks", 1.072, find_mean(winners, "monitor-5", is_constant)}};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    ls_study_compare(report, values[i].name,
                     ls_study_unjudged(LS_STUDY_SPECIFIED, values[i].specified, ls_winners_unknown),
                     values[i].ours);
  }
}

void ls_winners_judge_situations(const struct ls_winners *winners, struct ls_study_report *report) {
  bool is_all = winners->is_wanted == NULL;
  ls_study_print(report, "The best by situation\n");
  for (size_t i = 0; i < SITUATIONS; i++) {
    const struct situation *situation = &situations[i];
    size_t best = print_situation(winners, situation, report);
    char name[128], word[32];
    if (situation->winners == NULL) continue;
    (void)snprintf(word, sizeof word, " %s ", ls_winners_entries[best].label);
    (void)snprintf(name, sizeof name, "%s:%sis best", situation->name, situation->winners);
    judge_statement(report, is_all, name, strstr(situation->winners, word) != NULL);
  }
  ls_study_print(report, "\n");
  judge_orders(winners, is_all, report);
  report_values(winners, is_all, report);
}
