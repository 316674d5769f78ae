#include "cli/planner_options.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cli/console.h"
#include "runtime/os/clock.h"

static const uint64_t WORK_MOST = UINT64_C(1) << 53;

static bool is_own(const struct ls_planner *planner, const char *name) {
  const struct ls_parameter *parameter = planner->parameters;
  for (; parameter != NULL && parameter->name != NULL; parameter++)
    if (strcmp(parameter->name, name) == 0) return true;
  return false;
}

static bool is_whole_units(const char *name) {
  return strcmp(name, "whole_units") == 0 || strcmp(name, "integer") == 0;
}

enum ls_status ls_planner_options_set(const struct ls_planner *planner,
                                      struct ls_planner_setup *setup, const char *name,
                                      const char *text, struct ls_error *err) {
  if (is_own(planner, name) || !(is_whole_units(name) || strcmp(name, "work") == 0)) {
    enum ls_status status =
        ls_arguments_set(&setup->arguments, planner->parameters, name, text, err);
    return status == LS_OK ? LS_OK : ls_fail_while(err, status, "algorithm %s", planner->name);
  }
  if (!is_whole_units(name))
    return ls_console_whole("argument work", text, (struct ls_whole_range){1, WORK_MOST},
                            &setup->budget.work_max, err);
  bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
  if (!is_true && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
    return ls_fail(err, LS_EINVAL, "argument %s is \"%s\", expected true or false", name, text);
  setup->is_whole = is_true;
  return LS_OK;
}

static enum ls_status read_member(const struct ls_planner *planner, struct ls_planner_setup *setup,
                                  const struct ls_json *member, const char *name,
                                  struct ls_error *err) {
  if (is_own(planner, name) || !(is_whole_units(name) || strcmp(name, "work") == 0))
    return ls_arguments_read(&setup->arguments, planner->parameters, member, name, err);
  return is_whole_units(name) ? ls_json_bool(member, &setup->is_whole, err)
                              : ls_json_whole(member, 1, WORK_MOST, &setup->budget.work_max, err);
}

enum ls_status ls_planner_options_read(const struct ls_planner *planner,
                                       struct ls_planner_setup *setup, const struct ls_json *object,
                                       struct ls_error *err) {
  if (!json_is_object(object->value))
    return ls_json_refuse(object, "an object of names and values", err);
  const char *name = NULL;
  json_t *value = NULL;
  json_object_foreach((json_t *)object->value, name, value) {
    struct ls_json member = ls_json_member(object, name);
    enum ls_status status = read_member(planner, setup, &member, name, err);
    if (status != LS_OK)
      return ls_fail_while(err, status, "%s: algorithm %s", object->source, planner->name);
  }
  return LS_OK;
}

enum { KEY_LOAD = 'l', KEY_WORK = 0x500, KEY_BUDGET, KEY_WHOLE };

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "What is planned", 2},
    {"load", KEY_LOAD, "W", 0, "Units of work to divide", 2},
    {"whole-units", KEY_WHOLE, NULL, 0, "Chunks are whole units", 2},
    {"integer", 0, NULL, OPTION_ALIAS, NULL, 2},
    {"work", KEY_WORK, "N", 0, "Work that a search may spend (default: 20000 replays for best)", 2},
    {"budget", KEY_BUDGET, "S", 0, "Stop searches after S seconds, with the best plan so far", 2},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_planner_limits *limits = state->input;
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  switch (key) {
    case KEY_LOAD:
      limits->has_load = true;
      status = ls_console_real("--load", argument, (struct ls_real_range){0, DBL_MAX},
                               &limits->load, &err);
      break;
    case KEY_WHOLE:
      limits->is_whole = true;
      break;
    case KEY_WORK:
      status = ls_console_whole("--work", argument, (struct ls_whole_range){1, WORK_MOST},
                                &limits->work_max, &err);
      break;
    case KEY_BUDGET:
      status = ls_console_real("--budget", argument, (struct ls_real_range){DBL_MIN, DBL_MAX},
                               &limits->budget_s, &err);
      break;
    default:
      return ARGP_ERR_UNKNOWN;
  }
  if (status != LS_OK) argp_error(state, "%s", err.text);
  return 0;
}

const struct argp ls_planner_limits_argp = {.options = option_table, .parser = parse_option};

const char *ls_planner_limits_extra(const struct ls_planner_limits *limits) {
  if (limits->is_whole) return "--whole-units";
  if (limits->work_max > 0) return "--work";
  return limits->budget_s > 0 ? "--budget" : NULL;
}

static bool is_spent(void *context) {
  const struct ls_planner_clock *clock = context;
  return !(ls_clock_s() < clock->until_s);
}

/* The shorter of --budget and `time_limit`, in seconds; NAN: neither is given. */
static double choose_budget(const struct ls_planner_limits *limits,
                            const struct ls_planner *planner,
                            const struct ls_planner_setup *setup) {
  double budget_s = limits->budget_s > 0 ? limits->budget_s : (double)NAN;
  if (is_own(planner, "time_limit"))
    budget_s =
        fmin(budget_s, ls_arguments_get(&setup->arguments, planner->parameters, "time_limit"));
  return budget_s;
}

void ls_planner_limits_apply(const struct ls_planner_limits *limits,
                             const struct ls_planner *planner, struct ls_planner_clock *clock,
                             struct ls_planner_setup *setup) {
  setup->load = limits->load;
  if (limits->is_whole) setup->is_whole = true;
  if (limits->work_max > 0) setup->budget.work_max = limits->work_max;
  double budget_s = choose_budget(limits, planner, setup);
  if (isnan(budget_s)) return;
  clock->until_s = ls_clock_s() + budget_s;
  setup->budget.stop = is_spent;
  setup->budget.stop_context = clock;
}
