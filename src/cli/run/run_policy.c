#include "cli/run/run_policy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/console.h"
#include "cli/run/policy_name.h"
#include "cli/run/run_auto.h"
#include "cli/run/run_platform.h"
#include "cli/run/run_pools.h"
#include "cli/run/run_situation.h"
#include "cli/terms_options.h"
#include "formats/plan_json.h"
#include "model/plan.h"
#include "model/plan_repeat.h"

enum { SHOWN_ITEMS_MAX = 4 };

/* Workers tell at least so often that they live. */
static const double HEARTBEAT_S = 1;

/* "[1, 0.5]" or "nominal"; `seconds_per_task` are inverse weights. */
static enum ls_status set_weights(struct ls_run_policy *policy, const char *name, const char *text,
                                  struct ls_error *err) {
  bool is_inverse = strcmp(name, "seconds_per_task") == 0;
  /* The speeds, as without this setting. */
  if (!is_inverse && strcmp(text, "nominal") == 0) return LS_OK;
  json_t *document = NULL;
  enum ls_status status = ls_json_parse((struct ls_text){text, strlen(text), name}, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, name);
  size_t count = 0;
  status = ls_json_array(&top, &count, err);
  if (status == LS_OK && count != policy->config.workers)
    status = ls_fail(err, LS_EINVAL, "%s has %zu values, expected %zu: one per worker", name, count,
                     policy->config.workers);
  double *weights = calloc(count + 1, sizeof *weights);
  if (status == LS_OK && weights == NULL) status = ls_fail(err, LS_ENOMEM, "out of memory");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(&top, i);
    status = ls_json_real(&item, is_inverse ? DBL_MIN : 0, DBL_MAX, &weights[i], err);
    if (status == LS_OK && is_inverse) weights[i] = 1 / weights[i];
  }
  json_decref(document);
  if (status != LS_OK) {
    free(weights);
    return status;
  }
  free(policy->weights);
  policy->weights = weights;
  return LS_OK;
}

static enum ls_status set_recall(struct ls_run_policy *policy, const char *text,
                                 struct ls_error *err) {
  policy->config.recalls = strcmp(text, "true") == 0;
  if (policy->config.recalls || strcmp(text, "false") == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "recall is \"%s\", expected true or false", text);
}

static bool has_parameter(const struct ls_parameter *parameters, const char *name) {
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++)
    if (strcmp(parameters[i].name, name) == 0) return true;
  return false;
}

/* The parameter of an order stands behind its name. */
static enum ls_status check_owner(const struct ls_run_policy *policy, const char *name,
                                  const char *text, struct ls_error *err) {
  const struct ls_ordering *ordering = policy->config.ordering;
  if (ordering == NULL || has_parameter(policy->config.chunking->parameters, name) ||
      !has_parameter(ordering->parameters, name))
    return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s is the parameter of order %s, expected --order %s:%s", name,
                 ordering->name, ordering->name, text);
}

/* Sets one parameter of the policy, or one fact that policies may know. */
static enum ls_status set_parameter(struct ls_run_policy *policy, const char *name,
                                    const char *text, struct ls_error *err) {
  struct {
    const char *name;
    double *value;
  } facts[] = {{"mean_seconds", &policy->config.mean_seconds},
               {"deviation_seconds", &policy->config.deviation_seconds},
               {"overhead_seconds", &policy->config.overhead_seconds}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (strcmp(facts[i].name, name) == 0)
      return ls_console_real(name, text, (struct ls_real_range){0, DBL_MAX}, facts[i].value, err);
  if (strcmp(name, "weights") == 0 || strcmp(name, "seconds_per_task") == 0)
    return set_weights(policy, name, text, err);
  if (strcmp(name, "recall") == 0) return set_recall(policy, text, err);
  bool is_known = false;
  enum ls_status status = ls_run_adaptive_set(&policy->adaptive, name, text, &is_known, err);
  if (is_known) return status;
  const struct ls_chunking *chunking = policy->config.chunking;
  status = check_owner(policy, name, text, err);
  if (status != LS_OK) return status;
  status = ls_arguments_set(&policy->config.arguments, chunking->parameters, name, text, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "policy %s", chunking->name);
}

/* --policy NAME[:VALUE]. */
static enum ls_status find_policy(struct ls_run_policy *policy,
                                  const struct ls_run_options *options, struct ls_error *err) {
  const char *text = options->plan != NULL     ? "follow-plan"
                     : options->policy != NULL ? options->policy
                                               : "fac2";
  char name[LS_POLICY_NAME_BYTES];
  const char *value = ls_policy_name_cut(text, name);
  const struct ls_chunking *chunking = ls_chunking_find(name);
  if (strcmp(name, "auto") == 0 && options->has_needs)
    return ls_fail(err, LS_EINVAL,
                   "--policy is 'auto', which knows only tasks that all workers can do, expected "
                   "another one where each has its needs");
  if (chunking == NULL && strcmp(name, "auto") == 0)
    return ls_fail(err, LS_EINVAL, "--policy is '%s', but auto takes no value", text);
  if (chunking == NULL)
    return ls_policy_name_refuse(&(struct ls_policy_name){"--policy", name, "auto"},
                                 (const void *const *)ls_chunkings, err);
  policy->config.chunking = chunking;
  ls_arguments_init(&policy->config.arguments, chunking->parameters);
  if (options->bundles.line_units.count > 0)
    return ls_arguments_set_list(&policy->config.arguments, chunking->parameters, "sizes",
                                 &options->bundles.line_units, err);
  if (value == NULL) return LS_OK;
  if (chunking->parameters == NULL || chunking->parameters[0].name == NULL)
    return ls_fail(err, LS_EINVAL, "--policy is '%s', but %s has no parameter", text, name);
  return set_parameter(policy, chunking->parameters[0].name, value, err);
}

/* --arguments FILE: an object of names and values. */
static enum ls_status read_arguments(struct ls_run_policy *policy, const char *path,
                                     struct ls_error *err) {
  json_t *document = NULL;
  enum ls_status status = ls_console_read_json(path, &document, err);
  if (status != LS_OK) return status;
  if (!json_is_object(document)) {
    struct ls_json top = ls_json_top(document, path);
    status = ls_json_refuse(&top, "an object of names and values", err);
  }
  const char *name = NULL;
  json_t *value = NULL;
  json_object_foreach(document, name, value) {
    if (status != LS_OK) break;
    char *word = json_is_string(value)
                     ? strdup(json_string_value(value))
                     : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    if (word == NULL) {
      status = ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
      break;
    }
    status = set_parameter(policy, name, word, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "%s", path);
    free(word);
  }
  json_decref(document);
  return status;
}

static enum ls_status apply_settings(struct ls_run_policy *policy,
                                     const struct ls_run_options *options, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->arguments != NULL) status = read_arguments(policy, options->arguments, err);
  /* The command line overrides the file. */
  for (size_t i = 0; i < options->settings_count && status == LS_OK; i++) {
    const char *equals = strchr(options->settings[i], '=');
    char *name = strndup(options->settings[i], (size_t)(equals - options->settings[i]));
    if (name == NULL) return ls_fail(err, LS_ENOMEM, "--set: out of memory");
    status = set_parameter(policy, name, equals + 1, err);
    free(name);
    if (status != LS_OK) status = ls_fail_while(err, status, "--set");
  }
  return status;
}

/* Their sum, which a double holds exactly up to 2^53; beyond, no run has so many tasks. */
static double sum_units(const struct ls_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < plan->chunks_count; i++)
    sum += plan->chunks[i].units * (double)ls_plan_times(plan, i);
  return sum;
}

/* Can tasks be handed out by the plan of policy->plan? If so, by as many workers as it needs. */
static enum ls_status take_plan(struct ls_run_policy *policy, const struct ls_run_options *options,
                                uint64_t units, struct ls_error *err) {
  const struct ls_plan *plan = &policy->plan;
  const char *path = options->plan;
  if (plan->outcome != LS_PLAN_OK)
    return ls_fail(err, LS_EINVAL,
                   "%s: outcome is not_applicable (%s), expected a plan with chunks", path,
                   plan->why);
  if (!ls_plan_is_whole(plan))
    return ls_fail(err, LS_EINVAL,
                   "%s: the chunks are not whole units, which a run needs (plan with whole_units)",
                   path);
  double sum = sum_units(plan);
  if (sum < (double)units || sum > (double)units)
    return ls_fail(err, LS_EINVAL, "%s: the chunks hold %.0f units, but there are %llu tasks", path,
                   sum, (unsigned long long)units);
  size_t workers = 1;
  for (size_t i = 0; i < plan->chunks_count; i++)
    if (plan->chunks[i].worker >= workers) workers = (size_t)plan->chunks[i].worker + 1;
  if (!ls_run_pools_is_sized(options)) policy->config.workers = workers;
  return LS_OK;
}

static enum ls_status read_plan(struct ls_run_policy *policy, const struct ls_run_options *options,
                                uint64_t units, struct ls_error *err) {
  bool is_sized = ls_run_pools_is_sized(options);
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read(options->plan, &text, err);
  if (status == LS_OK)
    status = ls_plan_read_chunks(&policy->plan,
                                 (struct ls_text){ls_bytes_text(&text), text.length, options->plan},
                                 is_sized ? policy->config.workers : LS_RUN_WORKERS_MAX, err);
  if (status == LS_OK) status = take_plan(policy, options, units, err);
  ls_bytes_close(&text);
  return status;
}

/* --order NAME[:VALUE]. */
static enum ls_status find_order(struct ls_run_policy *policy, const char *text,
                                 struct ls_error *err) {
  char name[LS_POLICY_NAME_BYTES];
  (void)ls_policy_name_cut(text, name);
  const struct ls_ordering *ordering = ls_ordering_find(name);
  policy->config.ordering = ordering;
  if (ordering == NULL)
    return ls_policy_name_refuse(&(struct ls_policy_name){"--order", name, NULL},
                                 (const void *const *)ls_orderings, err);
  return ls_policy_name_arguments("--order", text, ordering->parameters, &policy->order_arguments,
                                  err);
}

static enum ls_status read_history(struct ls_run_policy *policy,
                                   const struct ls_run_options *options, struct ls_error *err) {
  if (options->history == NULL) return LS_OK;
  enum ls_status status = ls_run_history_read(&policy->history, options->history, err);
  if (status != LS_OK) return status;
  policy->config.lessons = policy->history.lessons;
  policy->config.lessons_count = policy->history.lessons_count;
  policy->config.hosts = policy->history.hosts;
  policy->config.hosts_count = policy->history.hosts_count;
  return LS_OK;
}

static enum ls_status check_pushed(const struct ls_run_policy *policy,
                                   const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_chunking *chunking = policy->config.chunking;
  if (!chunking->is_pushed || options->plan != NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--policy %s needs --plan FILE", chunking->name);
}

enum ls_status ls_run_policy_check(const struct ls_run_options *options, bool has_times,
                                   struct ls_error *err) {
  struct ls_run_policy found = {0};
  enum ls_status status = find_order(&found, options->order, err);
  if (status == LS_OK && found.config.ordering->needs_times && !has_times)
    status = ls_fail(err, LS_EINVAL,
                     "--order is '%s', which needs the times of the tasks beforehand, expected "
                     "--times FILE with it",
                     options->order);
  if (status == LS_OK && !ls_run_auto_is_asked(options)) {
    status = find_policy(&found, options, err);
    if (status == LS_OK) status = check_pushed(&found, options, err);
  }
  if (status == LS_OK) status = ls_run_adaptive_check(options, err);
  ls_run_policy_close(&found);
  return status;
}

/* A rule that halts the run after one task must have the verdict of that task before its worker
 * begins another one, and with a delay each start is to be one chunk: nothing is sent ahead,
 * whoever joins.  A plan's chunks leave as planned, and a verdict recalls what of them has not
 * begun: one that does not fit would be waited for for ever. */
static enum ls_status hold_back(struct ls_run_policy *policy, const struct ls_run_options *options,
                                struct ls_error *err) {
  bool is_asked = options->halt.reason != LS_HALT_NEVER || options->limits.delay_s > 0;
  if (!is_asked || options->plan != NULL) return LS_OK;
  /* A task of several units is one chunk, and the next one is not asked for before its end. */
  uint64_t units_max = options->bundles.tasks.units_max;
  if (units_max > 0) policy->prefetch = 0;
  bool is_one_chunk = options->limits.delay_s > 0 ? units_max == UINT32_MAX : units_max > 0;
  if (is_one_chunk) return LS_OK;
  uint64_t most = units_max > 0 ? units_max : 1;
  struct ls_room *rooms = calloc(LS_RUN_WORKERS_MAX, sizeof *rooms);
  if (rooms == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the rooms of workers");
  for (size_t i = 0; i < LS_RUN_WORKERS_MAX; i++) {
    if (i < policy->config.rooms_count) rooms[i] = policy->config.rooms[i];
    if (rooms[i].units == 0 || rooms[i].units > most) rooms[i].units = most;
  }
  free(policy->rooms);
  policy->rooms = rooms;
  policy->config.rooms = rooms;
  policy->config.rooms_count = LS_RUN_WORKERS_MAX;
  return LS_OK;
}

/* Guests may come in any number; all others are known. */
static enum ls_status check_least(const struct ls_run_options *options, size_t workers,
                                  struct ls_error *err) {
  if (options->workers_min > 0 && options->sizing != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--workers-min is %zu with --sizing %s, which says how many are there",
                   options->workers_min, options->sizing);
  if (options->workers_min <= workers || options->listen != NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--workers-min is %zu, expected at most %zu, the workers of this run (others "
                 "join with --listen)",
                 options->workers_min, workers);
}

/* A policy or plan that is given leaves nothing to choose. */
static enum ls_status check_terms(const struct ls_run_options *options, struct ls_error *err) {
  if (!ls_terms_are_given(&options->terms) || ls_run_auto_is_asked(options)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "%s needs --policy auto, but %s is given",
                 options->terms.deadline_s > 0 ? "--deadline" : "--price-max",
                 options->plan != NULL          ? "--plan"
                 : options->bundles.fills_lines ? options->bundles.fills
                                                : "another policy");
}

enum ls_status ls_run_policy_choose(struct ls_run_policy *policy,
                                    const struct ls_run_options *options, uint64_t units,
                                    struct ls_error *err) {
  struct ls_run_policy made = {
      .config = {.mean_seconds = (double)NAN,
                 .deviation_seconds = (double)NAN,
                 .overhead_seconds = (double)NAN,
                 .seed = options->seed,
                 .retries = options->retries,
                 .retry_delay_s = options->retry_delay_s,
                 .start_delay_s = options->limits.delay_s,
                 .is_once = options->blocks.is_dealt,
                 .kills_max = options->losses,
                 .silence_s = options->silence_s,
                 .patience_s = options->patience_s,
                 .workers_min = options->workers_min,
                 .replacing = options->replacing,
                 .heartbeat_s = options->heartbeat_s > 0 ? options->heartbeat_s : HEARTBEAT_S,
                 .spares_newcomers = true,
                 .learns_weights = true,
                 .learns_speeds = true,
                 .recalls = options->logins.homes == 0 && !options->has_needs &&
                            !options->bundles.fills_lines,
                 .has_needs = options->has_needs,
                 .homes = options->logins.homes}};
  struct ls_coordinator_config *config = &made.config;
  config->workers = ls_run_pools_workers(options);
  made.prefetch = options->prefetch;
  bool is_free = ls_run_auto_is_asked(options);
  enum ls_status status = check_least(options, config->workers, err);
  if (status == LS_OK) status = check_terms(options, err);
  if (status == LS_OK) status = find_order(&made, options->order, err);
  if (status == LS_OK) status = read_history(&made, options, err);
  if (status == LS_OK) status = ls_run_platform_read(&made, options, err);
  if (status == LS_OK && !is_free) status = find_policy(&made, options, err);
  if (status == LS_OK && options->plan != NULL) status = read_plan(&made, options, units, err);
  if (status == LS_OK)
    status = ls_run_adaptive_choose(&made.adaptive, options, units, config->workers, err);
  if (status == LS_OK) status = ls_run_situation_keep_left(&made, options, units, err);
  if (status == LS_OK) status = ls_run_platform_weigh(&made, options, err);
  if (status == LS_OK && is_free) status = ls_run_auto_choose(&made, options, units, err);
  if (status == LS_OK) status = ls_run_platform_take(&made, err);
  if (status == LS_OK) status = hold_back(&made, options, err);
  if (status == LS_OK) status = check_pushed(&made, options, err);
  if (status == LS_OK) status = apply_settings(&made, options, err);
  if (status == LS_OK) status = ls_run_situation_prefetch(&made, options, units, err);
  if (made.places < config->workers) made.places = config->workers;
  config->workers_max = config->workers;
  config->weights = made.weights;
  if (status != LS_OK) {
    ls_run_policy_close(&made);
    return status;
  }
  *policy = made;
  policy->config.ordering_arguments = &policy->order_arguments;
  if (options->history != NULL) policy->config.slowness = &policy->history.slowness;
  if (options->plan != NULL) policy->config.plan = &policy->plan;
  if (policy->platform.workers_count > 0) policy->config.platform = &policy->platform;
  if (is_free) {
    policy->config.choices = policy->choices;
    policy->config.choices_count = ls_run_advise_choices(policy->choices);
  }
  ls_run_adaptive_apply(&policy->adaptive, options, &policy->config);
  return LS_OK;
}

void ls_run_policy_close(struct ls_run_policy *policy) {
  ls_arguments_close(&policy->config.arguments);
  ls_run_history_close(&policy->history);
  ls_run_adaptive_close(&policy->adaptive);
  ls_run_advised_close(&policy->advised);
  free(policy->times_left);
  ls_bytes_close(&policy->prefetch_reason);
  ls_bytes_close(&policy->terms_words);
  ls_platform_close(&policy->platform);
  ls_plan_close(&policy->plan);
  free(policy->speeds);
  free(policy->weights);
  free(policy->rooms);
  free(policy->prices);
  *policy = (struct ls_run_policy){0};
}

/* Long lists are for programs. */
static void describe_list(const struct ls_parameter *parameter, const struct ls_argument_list *list,
                          struct ls_bytes *out) {
  size_t shown = list->count < SHOWN_ITEMS_MAX ? list->count : SHOWN_ITEMS_MAX;
  if (shown == 0) return;
  ls_bytes_printf(out, " %s=[", parameter->name);
  for (size_t i = 0; i < shown; i++)
    ls_bytes_printf(out, "%s%.6g", i > 0 ? "," : "", list->items[i]);
  ls_bytes_append_text(out, shown < list->count ? ",...]" : "]");
}

void ls_run_policy_describe(const struct ls_run_policy *policy, struct ls_bytes *out) {
  const struct ls_chunking *chunking = policy->config.chunking;
  const struct ls_arguments *arguments = &policy->config.arguments;
  ls_bytes_append_text(out, chunking->name);
  const struct ls_parameter *parameter = chunking->parameters;
  for (size_t i = 0; parameter != NULL && parameter[i].name != NULL; i++) {
    double value = arguments->values[i];
    if (ls_parameter_has_list(parameter[i].kind)) {
      describe_list(&parameter[i], &arguments->lists[i], out);
      continue;
    }
    /* Values that no computation makes: equal means untouched. NAN stands for "not given". */
    if (memcmp(&value, &parameter[i].otherwise, sizeof value) == 0 || isnan(value)) continue;
    if (parameter[i].kind == LS_PARAMETER_CHOICE)
      ls_bytes_printf(out, " %s=%s", parameter[i].name, parameter[i].choices[(size_t)value]);
    else if (parameter[i].kind == LS_PARAMETER_WHOLE_OR_AUTO && value < 0)
      ls_bytes_printf(out, " %s=auto", parameter[i].name);
    else
      ls_bytes_printf(out, " %s=%.6g", parameter[i].name, value);
  }
}
