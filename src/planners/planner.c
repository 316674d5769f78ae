#include "planners/planner.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/nearest.h"
#include "base/statistics.h"
#include "model/load.h"
#include "model/plan_repeat.h"
#include "model/windows.h"
#include "planners/fit.h"
#include "planners/window_choices.h"

#define LS_PLANNER(id) extern const struct ls_planner ls_planner_##id;
#include "planners/list.h"
#undef LS_PLANNER

#define LS_PLANNER(id) &ls_planner_##id,
const struct ls_planner *const ls_planners[] = {
#include "planners/list.h"
    NULL};
#undef LS_PLANNER

const struct ls_planner *ls_planner_find(const char *name) {
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    if (strcmp(ls_planners[i]->name, name) == 0) return ls_planners[i];
  }
  return NULL;
}

static enum ls_status refuse_name(const char *name, struct ls_error *err) {
  struct ls_bytes known = {0};
  ls_nearest_answer(name, (const void *const *)ls_planners, NULL, &known);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "algorithm \"%s\" is unknown, %s", name, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

/* One argument: "VALUE" of the first parameter, or "NAME=VALUE". */
static enum ls_status set_argument(const struct ls_planner *planner, char *word,
                                   struct ls_arguments *arguments, struct ls_error *err) {
  char *value = strchr(word, '=');
  if (value != NULL) {
    *value++ = '\0';
    return ls_arguments_set(arguments, planner->parameters, word, value, err);
  }
  if (planner->parameters == NULL || planner->parameters[0].name == NULL) {
    return ls_fail(err, LS_EINVAL, "algorithm %s takes no argument, got \"%s\"", planner->name,
                   word);
  }
  return ls_arguments_set(arguments, planner->parameters, planner->parameters[0].name, word, err);
}

enum ls_status ls_planner_parse(const char *text, const struct ls_planner **planner,
                                struct ls_planner_setup *setup, struct ls_error *err) {
  char words[256];
  if (strlen(text) >= sizeof words) {
    return ls_fail(err, LS_EINVAL, "algorithm \"%.40s...\" has %zu characters, at most %zu fit",
                   text, strlen(text), sizeof words - 1);
  }
  (void)snprintf(words, sizeof words, "%s", text);
  char *rest = strchr(words, ':');
  if (rest != NULL) *rest++ = '\0';
  const struct ls_planner *found = ls_planner_find(words);
  if (found == NULL) return refuse_name(words, err);
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, found->parameters);
  enum ls_status status = LS_OK;
  while (rest != NULL && status == LS_OK) {
    char *next = strchr(rest, ',');
    if (next != NULL) *next++ = '\0';
    status = set_argument(found, rest, &arguments, err);
    rest = next;
  }
  if (status != LS_OK) {
    ls_arguments_close(&arguments);
    return ls_fail_while(err, status, "algorithm %s", found->name);
  }
  *planner = found;
  setup->arguments = arguments;
  return LS_OK;
}

bool ls_planner_refuse(struct ls_planner_reason *why, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(why->text, sizeof why->text, format, arguments);
  va_end(arguments);
  return false;
}

bool ls_planner_sees_no_stage(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  const struct ls_platform *platform = setup->platform;
  for (size_t i = 0; i < platform->workers_count; i++)
    if (ls_worker_has_cost(&platform->workers[i], LS_OPERATION_STAGE))
      return ls_planner_refuse(why,
                               "worker %zu: stage costs something, which no theory here covers", i);
  return true;
}

bool ls_planner_applies(const struct ls_planner *planner, const struct ls_planner_setup *setup,
                        struct ls_planner_reason *why) {
  return ls_planner_sees_no_stage(setup, why) &&
         (planner->applicable == NULL || planner->applicable(setup, why));
}

enum ls_status ls_planner_make(const struct ls_planner *planner,
                               const struct ls_planner_setup *setup, struct ls_plan *plan,
                               struct ls_error *err) {
  struct ls_planner_reason why = {{0}};
  if (!ls_planner_applies(planner, setup, &why)) {
    ls_plan_refuse(plan, "%s", why.text);
    return LS_OK;
  }
  struct ls_budget budget = ls_budget_part(&setup->budget, setup->budget.work_max);
  enum ls_status status = planner->plan(setup, &budget, plan, err);
  if (status == LS_OK && plan->outcome == LS_PLAN_OK && budget.is_stopped)
    ls_plan_set_flag(plan, "stopped", true);
  return status;
}

bool ls_planner_gave_all(const struct ls_plan *plan, double *total) {
  struct ls_sum sum = {0};
  double plain = 0;
  for (size_t i = 0; i < plan->chunks_count; i++)
    plain += (double)ls_plan_times(plan, i) * plan->chunks[i].units;
  *total = plain;
  /* Rounding is far below that for thousands of chunks; for millions the exact sum decides. */
  if (fabs(plain - plan->load) <= 1e-10 * plan->load) return true;
  for (size_t i = 0; i < plan->chunks_count; i++)
    ls_sum_add(&sum, (double)ls_plan_times(plan, i) * plan->chunks[i].units);
  *total = ls_sum_value(&sum);
  return fabs(*total - plan->load) <= 1e-9 * plan->load;
}

enum ls_status ls_planner_run(const struct ls_planner *planner,
                              const struct ls_planner_setup *setup, const char *label,
                              struct ls_plan *plan, struct ls_error *err) {
  ls_plan_init(plan, label != NULL ? label : planner->name, setup->load);
  if (!(setup->load >= 0) || !isfinite(setup->load)) {
    return ls_fail(err, LS_EINVAL, "load is %g, must be a finite number >= 0", setup->load);
  }
  enum ls_status status = ls_platform_check(setup->platform, err);
  if (status == LS_OK && setup->is_whole) status = ls_load_check_whole(setup->load, err);
  if (status == LS_OK && setup->load > 0 && ls_platform_has_windows(setup->platform))
    return ls_window_choices_run(planner, setup, plan, err);
  if (status == LS_OK && setup->load > 0) status = ls_planner_make(planner, setup, plan, err);
  if (status == LS_OK) status = ls_plan_finish(plan, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  double total;
  if (!ls_planner_gave_all(plan, &total)) {
    return ls_fail(err, LS_EINVAL,
                   "algorithm %s: the chunks are %g units together, the load is %g: the costs are "
                   "too far apart for its sums",
                   plan->algorithm, total, plan->load);
  }
  if (setup->is_whole && !planner->rounds_itself) {
    status = ls_plan_make_whole(plan, setup->platform, err);
  }
  if (status == LS_OK) status = ls_fit_replay(plan, setup->platform, setup->is_whole, err);
  return status;
}
