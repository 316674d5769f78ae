/* best.c: best: the best of all planners, and of a local search over the send order.
 *
 * Reference:  yang2002, the model; the search is the project's own.
 * Assumes:    nothing of its own: every candidate is judged by the replay.
 * Answers:    NOT_APPLICABLE when no planner applies.
 * Cost:       that of all planners, then up to work_max replays (20000 by default).
 * Symbols:    none.
 */
#include "planners/search/best.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planners/fit.h"
#include "planners/search/best_search.h"
#include "planners/star/reduced_star.h"

enum { WORK_MAX_DEFAULT = 20000, CANDIDATE_NAME_BYTES = 32, PROGRAM_WORKERS_MAX = 3 };
/* Where nothing returns a proof of the best orders of returns is of no use. */
enum { LATE_WORK_MAX = 2000 };

const double ls_best_least_gain = 1e-12;

/* The result of a planner. */
struct result {
  const char *name;
  double makespan_s; /* NAN: not applicable */
  char why[160];
  bool is_refused; /* it applied, and its plan was refused */
};

struct report {
  struct result *results; /* room for every planner and the search */
  size_t count;
  bool needs_programs;
};

static const char not_applicable[] = "not applicable: ";

static void tell_refusal(struct result *result, const char *why) {
  (void)snprintf(result->why, sizeof result->why, "%s%.130s", not_applicable, why);
}

/* Asks one planner for a plan with these arguments, which costs one work whatever it answers, as
 * long as there is some. */
static enum ls_status run_once(struct ls_best *best, const struct ls_planner *planner,
                               const struct ls_arguments *arguments, struct result *result,
                               struct ls_error *err) {
  struct ls_planner_setup setup = *best->setup;
  struct ls_planner_reason why = {{0}};
  struct ls_plan plan;
  struct ls_error refusal = {0};
  setup.arguments = *arguments;
  if (!ls_budget_is_spent(best->budget)) ls_budget_spend(best->budget, 1);
  if (!ls_planner_applies(planner, &setup, &why)) {
    if (isnan(result->makespan_s)) tell_refusal(result, why.text);
    return LS_OK;
  }
  enum ls_status status = ls_planner_run(planner, &setup, NULL, &plan, &refusal);
  if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
    if (!(plan.makespan_s >= result->makespan_s)) result->makespan_s = plan.makespan_s;
    if (plan.makespan_s < best->makespan_s)
      ls_best_keep(best, &plan, planner->name, plan.makespan_s);
  } else if (isnan(result->makespan_s)) {
    tell_refusal(result, status == LS_OK ? plan.why : refusal.text);
    result->is_refused = status == LS_OK;
  }
  ls_plan_close(&plan);
  /* A planner that finds its costs too far apart does not apply. */
  if (status == LS_OK || status == LS_EINVAL) return LS_OK;
  return ls_fail(err, status, "%s", refusal.text);
}

static enum ls_status run_planner(struct ls_best *best, const struct ls_planner *planner,
                                  struct result *result, struct ls_error *err) {
  struct ls_arguments arguments;
  *result = (struct result){.name = planner->name, .makespan_s = (double)NAN};
  ls_arguments_init(&arguments, planner->parameters);
  if (planner->trial_last > 0) arguments.values[0] = planner->trial_first;
  enum ls_status status = run_once(best, planner, &arguments, result, err);
  for (int value = planner->trial_first + 1; value <= planner->trial_last; value++) {
    if (status != LS_OK || ls_budget_is_spent(best->budget)) break;
    arguments.values[0] = value;
    status = run_once(best, planner, &arguments, result, err);
  }
  ls_arguments_close(&arguments);
  return status;
}

static bool has_returns(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *reply = &platform->workers[i].costs[LS_OPERATION_REPLY];
    if (reply->latency_s > 0 || reply->per_unit_s > 0) return true;
  }
  return false;
}

/* A planner that solves a hundred programs, and long ones when there are many workers, is left out
 * then, and the search ends with programs of its own.  But where a station stands outside the
 * search's theory, a worker computes in no time, or windows give every plan other sizes, nothing
 * else comes near it. */
static enum ls_status find_need_of_programs(const struct ls_platform *platform,
                                            bool *needs_programs, struct ls_error *err) {
  struct ls_reduced_star workers;
  enum ls_status status = ls_reduced_star_init(&workers, platform, err);
  if (status != LS_OK) return status;
  *needs_programs =
      !workers.is_exact || workers.count <= PROGRAM_WORKERS_MAX || ls_fit_is_needed(platform);
  for (size_t i = 0; i < workers.count; i++) {
    if (!isfinite(1 / workers.items[i].compute_per_unit_s)) *needs_programs = true;
  }
  ls_reduced_star_close(&workers);
  return LS_OK;
}

/* Notes why, when it is the user who may wonder. */
static bool is_candidate(const struct ls_planner *planner, struct report *report) {
  if (planner->asks_others) return false;
  if (planner->cost != LS_PLANNER_PROGRAMS || report->needs_programs) return true;
  struct result *result = &report->results[report->count++];
  *result = (struct result){.name = planner->name, .makespan_s = (double)NAN};
  (void)snprintf(result->why, sizeof result->why,
                 "left out: more than %d workers, which the search covers", PROGRAM_WORKERS_MAX);
  return false;
}

static const struct ls_planner *const *list_planners(const struct ls_best *best) {
  return best->setup->others != NULL ? best->setup->others : ls_planners;
}

/* The order in which planners are asked: what takes hardly time, searches, programs. */
enum effort { NO_EFFORT, SEARCHING, PROGRAMS, EFFORTS };

static enum effort find_effort(const struct ls_planner *planner) {
  if (planner->cost != LS_PLANNER_FORMULAS) return PROGRAMS;
  return planner->is_search ? SEARCHING : NO_EFFORT;
}

/* Runs the planners of one effort that come early (before the search) or those that come late. */
static enum ls_status run_effort(struct ls_best *best, struct report *report, bool is_late,
                                 enum effort effort, struct ls_error *err) {
  const struct ls_planner *const *planners = list_planners(best);
  bool are_returns_late = !has_returns(best->setup->platform);
  enum ls_status status = LS_OK;
  for (size_t i = 0; planners[i] != NULL && status == LS_OK; i++) {
    if ((are_returns_late && planners[i]->plans_returns) != is_late) continue;
    if (find_effort(planners[i]) != effort || !is_candidate(planners[i], report)) continue;
    /* Plans without effort are made however little time there is, and one at least. */
    bool has_one = best->makespan_s < (double)INFINITY;
    if (effort != NO_EFFORT && has_one && ls_budget_is_spent(best->budget)) break;
    status = run_planner(best, planners[i], &report->results[report->count++], err);
  }
  return status;
}

/* The cheap ones first: when time is short, it is not spent before they were asked. */
static enum ls_status run_planners(struct ls_best *best, struct report *report, bool is_late,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (int effort = NO_EFFORT; effort < EFFORTS && status == LS_OK; effort++)
    status = run_effort(best, report, is_late, (enum effort)effort, err);
  return status;
}

/* Each with its own limit of work, or a low one. */
static enum ls_status run_shortly(struct ls_best *best, struct report *report,
                                  struct ls_error *err) {
  const struct ls_planner_setup *asked = best->setup;
  struct ls_planner_setup setup = *asked;
  uint64_t *work_max = &setup.budget.work_max;
  if (*work_max == 0 || *work_max > LATE_WORK_MAX) *work_max = LATE_WORK_MAX;
  best->setup = &setup;
  enum ls_status status = run_planners(best, report, true, err);
  best->setup = asked;
  return status;
}

/* Where nothing returns, the planners for returns plan one round in some order, which the search
 * has tried, too: they are worth their time only when the search found one round (or nothing), and
 * the order matters; or, but not much of it, where windows decide what becomes of either. */
static enum ls_status run_late_planners(struct ls_best *best, struct report *report,
                                        struct ls_error *err) {
  const struct ls_platform *platform = best->setup->platform;
  struct ls_reduced_star workers;
  enum ls_status status = ls_reduced_star_init(&workers, platform, err);
  if (status != LS_OK) return status;
  bool is_worth_it = !ls_star_is_identical(workers.items, workers.count);
  for (size_t i = 0; i < best->plan.chunks_count; i++) {
    if (best->plan.chunks[i].round > 0) is_worth_it = false;
  }
  ls_reduced_star_close(&workers);
  if (ls_fit_is_needed(platform)) return run_shortly(best, report, err);
  return is_worth_it ? run_planners(best, report, true, err) : LS_OK;
}

/* The result of each candidate, beside the parameters of the winner. */
static void tell_results(const struct ls_best *best, const struct report *report,
                         struct ls_plan *plan) {
  char name[CANDIDATE_NAME_BYTES];
  ls_plan_set_text(plan, "winner", best->winner);
  for (size_t i = 0; i < report->count; i++) {
    const struct result *result = &report->results[i];
    (void)snprintf(name, sizeof name, "candidate.%.21s", result->name);
    if (isnan(result->makespan_s)) {
      ls_plan_set_text(plan, name, result->why);
    } else {
      ls_plan_set(plan, name, result->makespan_s);
    }
  }
  ls_plan_set(plan, "work", (double)best->budget->work);
}

/* The search spends all that it may: the planners that come after it have their own share. */
static enum ls_status run_search(struct ls_best *best, struct report *report,
                                 struct ls_error *err) {
  const struct ls_planner *const *planners = list_planners(best);
  struct ls_budget *budget = best->budget, part = *budget;
  uint64_t reserve = 0;
  double planners_s = best->makespan_s;
  for (size_t i = 0; planners[i] != NULL; i++) reserve += planners[i]->plans_returns;
  if (part.work_max > reserve) part.work_max -= reserve;
  best->budget = &part;
  enum ls_status status = ls_best_search(best, err);
  best->budget = budget;
  budget->work = part.work;
  if (status == LS_OK && best->makespan_s < planners_s) {
    report->results[report->count++] =
        (struct result){.name = "search", .makespan_s = best->makespan_s};
  }
  if (status == LS_OK) status = run_late_planners(best, report, err);
  budget->is_stopped = budget->is_stopped || part.is_stopped;
  return status;
}

static enum ls_status run_all(struct ls_best *best, struct report *report, struct ls_error *err) {
  enum ls_status status =
      find_need_of_programs(best->setup->platform, &report->needs_programs, err);
  if (status == LS_OK) status = run_planners(best, report, false, err);
  if (status == LS_OK) status = run_search(best, report, err);
  return status;
}

/* Of windows and rooms that no plan keeps to, the first planner that made one says which. */
static void refuse(const struct ls_platform *platform, const struct report *report,
                   struct ls_plan *plan) {
  for (size_t i = 0; ls_fit_is_needed(platform) && i < report->count; i++) {
    if (!report->results[i].is_refused) continue;
    ls_plan_refuse(plan, "no planner applies to this platform; %s: %s", report->results[i].name,
                   report->results[i].why + strlen(not_applicable));
    return;
  }
  ls_plan_refuse(plan, "no planner applies to this platform");
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  size_t planners = 0;
  if (budget->work_max == 0) budget->work_max = WORK_MAX_DEFAULT;
  struct ls_best best = {.setup = setup, .budget = budget, .makespan_s = (double)INFINITY};
  while (list_planners(&best)[planners] != NULL) planners++;
  struct report report = {.results = calloc(planners + 1, sizeof *report.results)};
  if (report.results == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu results", planners);
  }
  ls_plan_init(&best.plan, "best", setup->load);
  enum ls_status status = run_all(&best, &report, err);
  if (status == LS_OK && best.makespan_s < (double)INFINITY) {
    ls_plan_take(plan, &best.plan);
    tell_results(&best, &report, plan);
  } else if (status == LS_OK) {
    refuse(setup->platform, &report, plan);
  }
  ls_plan_close(&best.plan);
  free(report.results);
  return status;
}

const struct ls_planner ls_planner_best = {
    .name = "best",
    .summary = "the best of all planners, and of a local search over the send order",
    .reference = "yang2002",
    .rounds_itself = true,
    .is_search = true,
    .asks_others = true,
    .plan = make_plan,
};
