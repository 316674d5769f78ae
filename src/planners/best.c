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
  double found_s = (double)INFINITY;
  best->work++;
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

/* `lp` solves a hundred programs, and long ones when there are many workers: it is left out then,
 * and the search ends with programs of its own. */
static bool is_candidate(const struct ls_planner *planner, const struct ls_planner_setup *setup) {
  if (strcmp(planner->name, "lp") == 0) return setup->platform->workers_count <= LP_WORKERS_MAX;
  return strcmp(planner->name, "best") != 0;
}

static enum ls_status run_planners(struct ls_best *best, struct result *results, size_t *count,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; ls_planners[i] != NULL && status == LS_OK; i++) {
    if (!is_candidate(ls_planners[i], best->setup)) continue;
    /* At least one plan is made, however little time there is. */
    if (best->makespan_s < (double)INFINITY && !ls_best_goes_on(best)) break;
    status = run_planner(best, ls_planners[i], &results[(*count)++], err);
  }
  return status;
}

/* What each candidate reached, beside the parameters of the winner. */
static void report(const struct ls_best *best, const struct result *results, size_t count,
                   struct ls_plan *plan) {
  char name[CANDIDATE_NAME_BYTES];
  ls_plan_set_text(plan, "winner", best->winner);
  for (size_t i = 0; i < count; i++) {
    (void)snprintf(name, sizeof name, "candidate.%.21s", results[i].name);
    if (isnan(results[i].makespan_s)) {
      ls_plan_set_text(plan, name, results[i].why);
    } else {
      ls_plan_set(plan, name, results[i].makespan_s);
    }
  }
  ls_plan_set(plan, "work", (double)best->work);
  if (best->is_stopped) ls_plan_set_flag(plan, "stopped", true);
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                struct ls_error *err) {
  size_t planners = 0, count = 0;
  while (ls_planners[planners] != NULL) planners++;
  struct ls_best best = {.setup = setup,
                         .makespan_s = (double)INFINITY,
                         .work_max = setup->work_max > 0 ? setup->work_max : WORK_MAX_DEFAULT};
  struct result *results = calloc(planners + 1, sizeof *results);
  if (results == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu results", planners);
  ls_plan_init(&best.plan, "best", setup->load);
  enum ls_status status = run_planners(&best, results, &count, err);
  double planners_s = best.makespan_s;
  if (status == LS_OK) status = ls_best_search(&best, err);
  if (status != LS_OK) goto done;
  if (best.makespan_s < planners_s) {
    results[count++] = (struct result){.name = "search", .makespan_s = best.makespan_s};
  }
  if (best.makespan_s < (double)INFINITY) {
    ls_plan_take(plan, &best.plan);
    report(&best, results, count, plan);
  } else {
    ls_plan_refuse(plan, "no planner applies to this platform");
  }
done:
  ls_plan_close(&best.plan);
  free(results);
  return status;
}

const struct ls_planner ls_planner_best = {
    .name = "best",
    .summary = "the best of all planners, and of a local search over the send order",
    .reference = "yang2002",
    .rounds_itself = true,
    .plan = make_plan,
};
