#include "cli/crew_judges.h"

#include <math.h>
#include <stdlib.h>

#include "model/plan_share.h"
#include "planners/planner.h"

enum ls_status ls_plan_for_crew(const struct ls_planner_judge *judge,
                                const struct ls_platform *crew, struct ls_plan *plan,
                                struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = crew};
  struct ls_planner_clock clock;
  ls_plan_init(plan, judge->label, judge->limits->load);
  enum ls_status status = ls_planner_parse(judge->label, &planner, &setup, err);
  if (status != LS_OK) return status;
  if (judge->settings != NULL)
    status = ls_plan_settings_apply(judge->settings, planner, &setup, err);
  if (status == LS_OK) {
    ls_planner_limits_apply(judge->limits, planner, &clock, &setup);
    ls_plan_close(plan);
    status = ls_planner_run(planner, &setup, judge->label, plan, err);
  }
  ls_arguments_close(&setup.arguments);
  return status;
}

static enum ls_status judge_plan(const struct ls_planner_judge *judge, struct ls_crew *crew,
                                 struct ls_worker_model *workers, struct ls_plan_share *shares,
                                 struct ls_error *err) {
  struct ls_plan plan;
  struct ls_error reason = {0};
  struct ls_platform own = ls_crew_platform(judge->platform, crew, workers);
  enum ls_status status = ls_plan_for_crew(judge, &own, &plan, &reason);
  if (status == LS_OK && plan.outcome == LS_PLAN_OK) {
    ls_plan_shares(&plan, &own, shares);
    crew->offer = (struct ls_offer){plan.makespan_s, ls_plan_price(&plan, &own, shares)};
  }
  ls_plan_close(&plan);
  if (status == LS_OK || status == LS_EINVAL) return LS_OK;
  return ls_fail(err, status, "%s", reason.text);
}

enum ls_status ls_judge_by_planner(void *judge, struct ls_crew *crews, size_t count,
                                   struct ls_error *err) {
  const struct ls_planner_judge *own = judge;
  size_t workers_count = own->platform->workers_count;
  struct ls_worker_model *workers = calloc(workers_count, sizeof *workers);
  struct ls_plan_share *shares = calloc(workers_count, sizeof *shares);
  enum ls_status status = workers == NULL || shares == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers_count)
                              : LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++)
    status = judge_plan(own, &crews[i], workers, shares, err);
  free(workers);
  free(shares);
  return status;
}

enum ls_status ls_judge_by_policy(void *judge, struct ls_crew *crews, size_t count,
                                  struct ls_error *err) {
  const struct ls_policy_judge *own = judge;
  struct ls_policy_grid grid = *own->grid;
  size_t workers = 0;
  for (size_t i = 0; i < count; i++) workers += crews[i].count;
  struct ls_worker_model *models = calloc(workers, sizeof *models);
  struct ls_platform *platforms = calloc(count, sizeof *platforms);
  struct ls_policy_case *cases = calloc(count, sizeof *cases);
  const char **names = calloc(count, sizeof(const char *));
  enum ls_status status = LS_OK;
  if (models == NULL || platforms == NULL || cases == NULL || names == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", count);
    goto done;
  }
  struct ls_worker_model *next = models;
  for (size_t i = 0; i < count; i++) {
    platforms[i] = ls_crew_platform(&own->grid->platforms[0], &crews[i], next);
    next += crews[i].count;
    names[i] = "";
  }
  grid.platforms = platforms;
  grid.platform_names = (struct ls_policy_words){names, count};
  status = ls_policy_grid_run(&grid, cases, err);
  for (size_t i = 0; i < count && status == LS_OK; i++)
    crews[i].offer = (struct ls_offer){cases[i].makespan_s.mean, cases[i].price.mean};
done:
  free(models);
  free(platforms);
  free(cases);
  free(names);
  return status;
}
