/* best.c: best: the best of all planners, and of a local search over the send order.
 *
 * Reference:  yang2002, the model; the search is the project's own.
 * Assumes:    nothing of its own: every candidate is judged by the replay.
 * Answers:    NOT_APPLICABLE when no planner applies.
 * Cost:       that of all planners, then up to setup->work_max replays (20000 by default).
 * Symbols:    none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay.h"
#include "planners/best_private.h"

enum { WORK_MAX_DEFAULT = 20000, CANDIDATE_NAME_BYTES = 32, LP_WORKERS_MAX = 3 };

const double ls_best_least_gain = 1e-12;

/* A planner that must be told a number: every one of these is tried. */
struct range {
  const char *name;
  int first, last;
};

static const struct range ranges[] = {{"mi", 1, 8}};

/* What a planner reached. */
struct result {
  const char *name;
  double makespan_s; /* NAN: not applicable */
  char why[160];
};

struct report {
  struct result *results; /* room for every planner and the search */
  size_t count;
  bool needs_lp;
};

bool ls_best_goes_on(struct ls_best *best) {
  const struct ls_planner_setup *setup = best->setup;
  if (best->work >= best->work_max) return false;
  if (!best->is_stopped && setup->stop != NULL && setup->stop(setup->stop_context)) {
    best->is_stopped = true;
  }
  return !best->is_stopped;
}

static void keep(struct ls_best *best, struct ls_plan *candidate, const char *who,
                 double makespan_s) {
  ls_plan_take(&best->plan, candidate);
  best->makespan_s = makespan_s;
  (void)snprintf(best->winner, sizeof best->winner, "%s", who);
}

enum ls_status ls_best_offer(struct ls_best *best, struct ls_plan *candidate, const char *who,
                             double *makespan_s, struct ls_error *err) {
  enum ls_status status = LS_OK;
  double found_s = (double)INFINITY, total;
  best->work++;
  *makespan_s = found_s;
  if (!ls_planner_gave_all(candidate, &total)) return LS_OK;
  if (best->setup->is_whole) status = ls_plan_make_whole(candidate, err);
  if (status == LS_OK) {
    status = ls_replay_makespan(candidate, best->setup->platform, &found_s, err);
  }
  if (status != LS_OK) return status;
  if (found_s < best->makespan_s * (1 - ls_best_least_gain)) keep(best, candidate, who, found_s);
  *makespan_s = found_s;
  return LS_OK;
}

/* Runs one planner with these arguments. A planner that refuses its arguments does not apply. */
static enum ls_status run_once(struct ls_best *best, const struct ls_planner *planner,
                               const struct ls_arguments *arguments, struct result *result,
                               struct ls_error *err) {
  struct ls_planner_setup setup = *best->setup;
  struct ls_plan plan;
  struct ls_error refusal = {0};
  setup.arguments = *arguments;
  best->work++;
  enum ls_status status = ls_planner_run(planner, &setup, NULL, &plan, &refusal);
  if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
    if (!(plan.makespan_s >= result->makespan_s)) result->makespan_s = plan.makespan_s;
    if (plan.makespan_s < best->makespan_s) keep(best, &plan, planner->name, plan.makespan_s);
  } else if (isnan(result->makespan_s)) {
    (void)snprintf(result->why, sizeof result->why, "not applicable: %.130s",
                   status == LS_OK ? plan.why : refusal.text);
  }
  ls_plan_close(&plan);
  if (status == LS_OK || status == LS_EINVAL) return LS_OK;
  return ls_fail(err, status, "%s", refusal.text);
}

static enum ls_status run_planner(struct ls_best *best, const struct ls_planner *planner,
                                  struct result *result, struct ls_error *err) {
  struct ls_arguments arguments;
  enum ls_status status = LS_OK;
  const struct range *range = NULL;
  *result = (struct result){.name = planner->name, .makespan_s = (double)NAN};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (strcmp(ranges[i].name, planner->name) == 0) range = &ranges[i];
  }
  ls_arguments_init(&arguments, planner->parameters);
  if (range == NULL) {
    status = run_once(best, planner, &arguments, result, err);
  } else {
    for (int value = range->first; value <= range->last && status == LS_OK; value++) {
      if (value > range->first && !ls_best_goes_on(best)) break;
      arguments.values[0] = value;
      status = run_once(best, planner, &arguments, result, err);
    }
  }
  ls_arguments_close(&arguments);
  return status;
}

/* Planners of one round for loads whose results return. They look through many orders and sets. */
static const char *const for_returns[] = {
    "fifo", "lifo", "fifo-inc-c", "fifo-inc-w", "returns-lp", "returns-exact", "returns-search"};

static bool is_for_returns(const struct ls_planner *planner) {
  for (size_t i = 0; i < sizeof for_returns / sizeof *for_returns; i++) {
    if (strcmp(planner->name, for_returns[i]) == 0) return true;
  }
  return false;
}

static bool has_returns(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *reply = &platform->workers[i].reply;
    if (reply->latency_s > 0 || reply->per_unit_s > 0) return true;
  }
  return false;
}

/* `lp` solves a hundred programs, and long ones when there are many workers: it is left out then,
 * and the search ends with programs of its own.  But where a station stands outside the search's
 * theory, or a worker computes in no time, nothing else comes near it. */
static enum ls_status find_need_of_lp(const struct ls_platform *platform, bool *needs_lp,
                                      struct ls_error *err) {
  struct ls_umr_workers workers;
  enum ls_status status = ls_umr_workers_init(&workers, platform, err);
  if (status != LS_OK) return status;
  *needs_lp = !workers.is_exact || workers.count <= LP_WORKERS_MAX;
  for (size_t i = 0; i < workers.count; i++) {
    if (!isfinite(1 / workers.items[i].compute_per_unit_s)) *needs_lp = true;
  }
  ls_umr_workers_close(&workers);
  return LS_OK;
}

/* Notes why, when it is the user who may wonder. */
static bool is_candidate(const struct ls_planner *planner, struct report *report) {
  if (strcmp(planner->name, "best") == 0) return false;
  if (strcmp(planner->name, "lp") != 0 || report->needs_lp) return true;
  struct result *result = &report->results[report->count++];
  *result = (struct result){.name = planner->name, .makespan_s = (double)NAN};
  (void)snprintf(result->why, sizeof result->why,
                 "left out: more than %d workers, which the search covers", LP_WORKERS_MAX);
  return false;
}

/* Runs the planners that come early (before the search) or those that come late. */
static enum ls_status run_planners(struct ls_best *best, struct report *report, bool is_late,
                                   struct ls_error *err) {
  const struct ls_platform *platform = best->setup->platform;
  bool are_returns_late = !has_returns(platform);
  enum ls_status status = LS_OK;
  for (size_t i = 0; ls_planners[i] != NULL && status == LS_OK; i++) {
    if ((are_returns_late && is_for_returns(ls_planners[i])) != is_late) continue;
    if (!is_candidate(ls_planners[i], report)) continue;
    /* At least one plan is made, however little time there is. */
    if (best->makespan_s < (double)INFINITY && !ls_best_goes_on(best)) break;
    status = run_planner(best, ls_planners[i], &report->results[report->count++], err);
  }
  return status;
}

/* Where nothing returns, the planners for returns plan one round in some order, which the search
 * has tried, too: they are worth their time only when one round is what it found (or nothing), and
 * the order matters. */
static enum ls_status run_late_planners(struct ls_best *best, struct report *report,
                                        struct ls_error *err) {
  const struct ls_platform *platform = best->setup->platform;
  struct ls_umr_workers workers;
  enum ls_status status = ls_umr_workers_init(&workers, platform, err);
  if (status != LS_OK) return status;
  bool is_worth_it = !ls_umr_is_identical(workers.items, workers.count);
  for (size_t i = 0; i < best->plan.chunks_count; i++) {
    if (best->plan.chunks[i].round > 0) is_worth_it = false;
  }
  ls_umr_workers_close(&workers);
  return is_worth_it ? run_planners(best, report, true, err) : LS_OK;
}

/* What each candidate reached, beside the parameters of the winner. */
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
  ls_plan_set(plan, "work", (double)best->work);
  if (best->is_stopped) ls_plan_set_flag(plan, "stopped", true);
}

static enum ls_status run_all(struct ls_best *best, struct report *report, struct ls_error *err) {
  enum ls_status status = find_need_of_lp(best->setup->platform, &report->needs_lp, err);
  if (status == LS_OK) status = run_planners(best, report, false, err);
  double planners_s = best->makespan_s;
  /* The search spends all that it may: what comes after it has its own share. */
  uint64_t work_max = best->work_max, reserve = sizeof for_returns / sizeof *for_returns;
  if (work_max > reserve) best->work_max -= reserve;
  if (status == LS_OK) status = ls_best_search(best, err);
  best->work_max = work_max;
  if (status == LS_OK && best->makespan_s < planners_s) {
    report->results[report->count++] =
        (struct result){.name = "search", .makespan_s = best->makespan_s};
  }
  if (status == LS_OK) status = run_late_planners(best, report, err);
  return status;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                struct ls_error *err) {
  size_t planners = 0;
  while (ls_planners[planners] != NULL) planners++;
  struct ls_best best = {.setup = setup,
                         .makespan_s = (double)INFINITY,
                         .work_max = setup->work_max > 0 ? setup->work_max : WORK_MAX_DEFAULT};
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
    ls_plan_refuse(plan, "no planner applies to this platform");
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
    .plan = make_plan,
};
