#include "cli/drawn_plans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "formats/plan_json.h"
#include "model/validate.h"
#include "planners/planner.h"

static enum ls_status fail_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "no memory for the plans");
}

/* Takes the plan over; a failure closes it. */
static enum ls_status add(struct ls_drawn_plans *plans, const char *name, struct ls_plan *plan,
                          struct ls_error *err) {
  size_t count = plans->count + 1;
  struct ls_plan *items = realloc(plans->plans, count * sizeof *items);
  if (items != NULL) plans->plans = items;
  const char **names = realloc(plans->names, count * sizeof *names);
  if (names != NULL) plans->names = names;
  char *own = strdup(name);
  if (items == NULL || names == NULL || own == NULL) {
    free(own);
    ls_plan_close(plan);
    return fail_memory(err);
  }
  plans->plans[plans->count] = *plan;
  plans->names[plans->count++] = own;
  return LS_OK;
}

static enum ls_status check(const struct ls_plan *plan, const char *source, double load,
                            struct ls_error *err) {
  if (plan->outcome != LS_PLAN_OK)
    return ls_fail(err, LS_EINVAL,
                   "%s: outcome is not_applicable (%s), expected a plan with chunks", source,
                   plan->why);
  for (size_t i = 0; i < plan->chunks_count; i++)
    if (plan->chunks[i].units > floor(plan->chunks[i].units))
      return ls_fail(err, LS_EINVAL,
                     "%s: chunks[%zu].units is %g, but times are drawn of whole units: expected a "
                     "plan made with --whole-units",
                     source, i, plan->chunks[i].units);
  bool is_other = load >= 0 && (plan->load < load || plan->load > load);
  if (!is_other) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s: the plan is for %.10g units, expected %.10g, as --load says",
                 source, plan->load, load);
}

enum ls_status ls_drawn_plans_add(struct ls_drawn_plans *plans, const char *name,
                                  struct ls_plan *plan, double load, struct ls_error *err) {
  enum ls_status status = check(plan, name, load, err);
  if (status == LS_OK) return add(plans, name, plan, err);
  ls_plan_close(plan);
  return status;
}

enum ls_status ls_drawn_plans_add_file(struct ls_drawn_plans *plans, const char *path,
                                       const struct ls_platform *platform, double load,
                                       struct ls_error *err) {
  struct ls_plan plan;
  struct ls_bytes text = {0};
  const char *source = strcmp(path, "-") == 0 ? "standard input" : path;
  enum ls_status status = ls_console_read(path, &text, err);
  if (status == LS_OK)
    status = ls_plan_read(&plan, (struct ls_text){ls_bytes_text(&text), text.length, source},
                          platform, err);
  ls_bytes_close(&text);
  if (status != LS_OK) return status;
  status = ls_validate_limits(&plan, platform, err);
  if (status != LS_OK) status = ls_fail_while(err, status, "%s", source);
  if (status == LS_OK) return ls_drawn_plans_add(plans, source, &plan, load, err);
  ls_plan_close(&plan);
  return status;
}

static void refuse(struct ls_drawn_plans *plans, const char *label, const char *why) {
  ls_bytes_printf(&plans->refusals, "%s: not applicable: %s\n", label, why);
}

enum ls_status ls_drawn_plans_add_planner(struct ls_drawn_plans *plans, const char *label,
                                          const struct ls_platform *platform,
                                          const struct ls_planner_limits *limits,
                                          struct ls_error *err) {
  const struct ls_planner *planner = NULL;
  struct ls_planner_setup setup = {.platform = platform};
  struct ls_planner_clock clock;
  struct ls_planner_limits own = *limits;
  struct ls_error reason = {0};
  struct ls_plan plan;
  own.is_whole = true;
  enum ls_status status = ls_planner_parse(label, &planner, &setup, err);
  if (status != LS_OK) return status;
  ls_planner_limits_apply(&own, planner, &clock, &setup);
  status = ls_planner_run(planner, &setup, label, &plan, &reason);
  ls_arguments_close(&setup.arguments);
  if (status == LS_OK && plan.outcome == LS_PLAN_OK) return add(plans, label, &plan, err);
  if (status == LS_OK || status == LS_EINVAL)
    refuse(plans, label, status == LS_OK ? plan.why : reason.text);
  ls_plan_close(&plan);
  return status == LS_OK || status == LS_EINVAL ? LS_OK : ls_fail(err, status, "%s", reason.text);
}

enum ls_status ls_drawn_plans_join(struct ls_drawn_plans *plans, bool has_policies,
                                   struct ls_policy_run *run, struct ls_error *err) {
  struct ls_policy_grid *grid = &run->grid;
  size_t policies = has_policies ? grid->policies.count : 0, count = policies + plans->count;
  if (grid->platform_names.count > 1)
    return ls_fail(err, LS_EINVAL,
                   "--and-platform is given with plans, which are for one platform");
  plans->all_names = calloc(count + 1, sizeof *plans->all_names);
  plans->all_plans = calloc(count + 1, sizeof(const struct ls_plan *));
  if (plans->all_names == NULL || plans->all_plans == NULL) return fail_memory(err);
  for (size_t i = 0; i < policies; i++) plans->all_names[i] = grid->policies.items[i];
  for (size_t i = 0; i < plans->count; i++) {
    plans->all_names[policies + i] = plans->names[i];
    plans->all_plans[policies + i] = &plans->plans[i];
  }
  grid->policies = (struct ls_policy_words){plans->all_names, count};
  grid->plans = plans->all_plans;
  return LS_OK;
}

void ls_drawn_plans_close(struct ls_drawn_plans *plans) {
  for (size_t i = 0; i < plans->count; i++) {
    ls_plan_close(&plans->plans[i]);
    free((char *)plans->names[i]);
  }
  free(plans->plans);
  free(plans->names);
  free(plans->all_names);
  free(plans->all_plans);
  ls_bytes_close(&plans->refusals);
  *plans = (struct ls_drawn_plans){0};
}
