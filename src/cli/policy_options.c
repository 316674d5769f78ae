/* policy_options.c: which policies, in which world, how often: the options and what they mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parameter.h"
#include "cli/console.h"
#include "cli/platform_source.h"
#include "cli/simulate_policies.h"
#include "runtime/os/parallel_map.h"

enum {
  KEY_POLICY = 0x600,
  KEY_ORDER,
  KEY_SIZING,
  KEY_REPLICATION,
  KEY_ARGUMENTS,
  KEY_SET,
  KEY_AND_PLATFORM,
  KEY_SEED,
  KEY_ERROR,
  KEY_SEEDS,
  KEY_JOBS,
  KEY_KNOWN
};

enum { SEEDS_MAX = 1000000, JOBS_MAX = 4096 };

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Policies in virtual time", 3},
    {"policy", KEY_POLICY, "LIST", 0, "Policies, such as gss,tss:4,auto (repeatable)", 3},
    {"policies", 0, NULL, OPTION_ALIAS, NULL, 3},
    {"order", KEY_ORDER, "LIST", 0, "Orders of the tasks, such as fifo,lptf (default: fifo)", 3},
    {"sizing", KEY_SIZING, "NAME", 0, "How many workers (default: fixed)", 3},
    {"replication", KEY_REPLICATION, "NAME", 0, "Which running tasks get a replica (default: none)",
     3},
    {"arguments", KEY_ARGUMENTS, "FILE", 0,
     "The world and the policies' parameters, as a JSON object", 3},
    {"set", KEY_SET, "NAME=VALUE", 0, "One of these arguments (repeatable); VALUE is JSON", 3},
    {"known", KEY_KNOWN, NULL, 0, "Policies know speeds, mean, deviation and overhead", 3},
    {"and-platform", KEY_AND_PLATFORM, "FILE", 0, "A further platform (repeatable)", 3},
    {"error", KEY_ERROR, "E", 0,
     "What is expected of a chunk's computing errs: a normal law of deviation E (default: 0)", 3},
    {"seed", KEY_SEED, "N", 0, "Seed of all chance (default: 1)", 3},
    {"seeds", KEY_SEEDS, "N", 0, "Simulate with N seeds, from --seed on (default: 1)", 3},
    {"jobs", KEY_JOBS, "N", 0, "Processes (default: one per core)", 3},
    {0}};

bool ls_word_list_add(struct ls_word_list *list, const char *word, size_t length) {
  char *copy = strndup(word, length);
  const char **items =
      copy == NULL ? NULL : realloc(list->items, (list->count + 1) * sizeof *items);
  if (items == NULL) {
    free(copy);
    return false;
  }
  list->items = items;
  list->items[list->count++] = copy;
  return true;
}

void ls_word_list_close(struct ls_word_list *list) {
  for (size_t i = 0; i < list->count; i++) free((char *)list->items[i]);
  free(list->items);
}

/* "gss,tss:4,rounding=real,ss": a piece NAME=VALUE belongs to the policy before it. */
static void add_list(struct ls_word_list *list, const char *text, struct argp_state *state) {
  while (true) {
    size_t length = ls_parameter_piece(text);
    while (text[length] == ',') {
      const char *next = text + length + 1;
      size_t piece = ls_parameter_piece(next);
      bool is_setting = memchr(next, '=', piece) != NULL && memchr(next, ':', piece) == NULL;
      if (!is_setting) break;
      length += 1 + piece;
    }
    if (length == 0)
      argp_error(state, "'%s' is an empty name, expected a list such as gss,ss", text);
    if (!ls_word_list_add(list, text, length))
      argp_failure(state, LS_EXIT_INFRASTRUCTURE, 0, "no memory");
    if (text[length] == '\0') return;
    text += length + 1;
  }
}

static void read_number(const char *name, const char *text, struct ls_whole_range range,
                        uint64_t *number, struct argp_state *state) {
  struct ls_error err = {0};
  if (ls_console_whole(name, text, range, number, &err) != LS_OK) argp_error(state, "%s", err.text);
}

static error_t parse_number(int key, char *argument, struct ls_policy_options *options,
                            struct argp_state *state) {
  struct ls_error err = {0};
  switch (key) {
    case KEY_ERROR:
      options->has_error = true;
      if (ls_console_real("--error", argument, (struct ls_real_range){0, 1}, &options->error,
                          &err) != LS_OK)
        argp_error(state, "%s", err.text);
      return 0;
    case KEY_SEED:
      options->has_seed = true;
      read_number("--seed", argument, (struct ls_whole_range){0, (uint64_t)1 << 53}, &options->seed,
                  state);
      return 0;
    case KEY_SEEDS:
      read_number("--seeds", argument, (struct ls_whole_range){1, SEEDS_MAX}, &options->seeds,
                  state);
      return 0;
    case KEY_JOBS:
      read_number("--jobs", argument, (struct ls_whole_range){1, JOBS_MAX}, &options->processes,
                  state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_policy_options *options = state->input;
  switch (key) {
    case KEY_POLICY:
      add_list(&options->policies, argument, state);
      return 0;
    case KEY_ORDER:
      add_list(&options->orders, argument, state);
      return 0;
    case KEY_AND_PLATFORM:
      if (!ls_word_list_add(&options->platforms, argument, strlen(argument)))
        argp_failure(state, LS_EXIT_INFRASTRUCTURE, 0, "no memory");
      return 0;
    case KEY_SET:
      if (strchr(argument, '=') == NULL || argument[0] == '=')
        argp_error(state, "--set is '%s', expected NAME=VALUE", argument);
      if (!ls_word_list_add(&options->settings, argument, strlen(argument)))
        argp_failure(state, LS_EXIT_INFRASTRUCTURE, 0, "no memory");
      return 0;
    case KEY_SIZING:
      options->sizing = argument;
      return 0;
    case KEY_REPLICATION:
      options->replication = argument;
      return 0;
    case KEY_ARGUMENTS:
      options->arguments = argument;
      return 0;
    case KEY_KNOWN:
      options->knows_facts = true;
      return 0;
    default:
      return parse_number(key, argument, options, state);
  }
}

const struct argp ls_policy_options_argp = {.options = option_table, .parser = parse_option};

void ls_policy_options_close(struct ls_policy_options *options) {
  ls_word_list_close(&options->policies);
  ls_word_list_close(&options->orders);
  ls_word_list_close(&options->platforms);
  ls_word_list_close(&options->settings);
}

const char *ls_policy_options_of_policies(const struct ls_policy_options *options) {
  if (options->orders.count > 0) return "--order";
  if (options->platforms.count > 0) return "--and-platform";
  if (options->settings.count > 0) return "--set";
  if (options->sizing != NULL) return "--sizing";
  if (options->replication != NULL) return "--replication";
  if (options->arguments != NULL) return "--arguments";
  return options->knows_facts ? "--known" : NULL;
}

const char *ls_policy_options_of_chance(const struct ls_policy_options *options) {
  if (options->has_error) return "--error";
  if (options->has_seed) return "--seed";
  if (options->seeds > 0) return "--seeds";
  return options->processes > 0 ? "--jobs" : NULL;
}

const char *ls_policy_options_extra(const struct ls_policy_options *options) {
  const char *name = ls_policy_options_of_policies(options);
  return name != NULL ? name : ls_policy_options_of_chance(options);
}

/* VALUE is JSON; anything else is a word. */
static enum ls_status apply_setting(json_t *arguments, const char *setting, struct ls_error *err) {
  const char *text = strchr(setting, '=') + 1;
  char *name = strndup(setting, (size_t)(text - setting) - 1);
  json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  if (value == NULL) value = json_string(text);
  enum ls_status status = LS_OK;
  if (name == NULL || value == NULL || json_object_set(arguments, name, value) != 0)
    status = ls_fail(err, LS_EINVAL, "--set is '%s', expected NAME=VALUE in UTF-8", setting);
  json_decref(value);
  free(name);
  return status;
}

static enum ls_status read_arguments(struct ls_policy_run *run,
                                     const struct ls_policy_options *options,
                                     struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (options->arguments != NULL) {
    status = ls_console_read_json(options->arguments, &run->document, err);
  } else {
    run->document = json_object();
    if (run->document == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for the arguments");
  }
  if (status != LS_OK) return status;
  const char *source = options->arguments != NULL ? options->arguments : "--set";
  run->grid.arguments = ls_json_top(run->document, source);
  if (!json_is_object(run->document))
    return ls_json_refuse(&run->grid.arguments, "an object of arguments", err);
  for (size_t i = 0; i < options->settings.count && status == LS_OK; i++)
    status = apply_setting(run->document, options->settings.items[i], err);
  return status;
}

/* The first platform is the caller's: a shallow copy that is not closed. */
static enum ls_status read_platforms(struct ls_policy_run *run,
                                     const struct ls_policy_options *options,
                                     const struct ls_policy_place *place, struct ls_error *err) {
  size_t count = options->platforms.count + 1;
  run->platforms = calloc(count, sizeof *run->platforms);
  run->platform_names = calloc(count, sizeof *run->platform_names);
  if (run->platforms == NULL || run->platform_names == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", count);
  run->platforms[0] = *place->platform;
  run->platform_names[0] = place->name;
  run->grid.platforms = run->platforms;
  run->grid.platform_names = (struct ls_policy_words){run->platform_names, 1};
  for (size_t i = 1; i < count; i++) {
    struct ls_platform_source source = ls_platform_source_default();
    source.text = options->platforms.items[i - 1];
    source.stage_ahead = place->platform->stage_ahead;
    enum ls_status status = ls_platform_source_read(&source, &run->platforms[i], err);
    if (status != LS_OK) return status;
    run->platform_names[i] = source.text;
    run->grid.platform_names.count++;
  }
  return LS_OK;
}

enum ls_status ls_policy_run_open(struct ls_policy_run *run,
                                  const struct ls_policy_options *options,
                                  const struct ls_policy_place *place, struct ls_error *err) {
  static const char *const usual_order[] = {NULL}, *const usual_policy[] = {"ss"};
  *run = (struct ls_policy_run){0};
  if (!(place->load >= 0 && place->load <= 0x1p40 && place->load <= floor(place->load)))
    return ls_fail(err, LS_EINVAL, "--load is %g, must be a whole number of units for policies",
                   place->load);
  struct ls_policy_grid *grid = &run->grid;
  grid->map = ls_policy_table_map;
  grid->policies = (struct ls_policy_words){options->policies.items, options->policies.count};
  if (grid->policies.count == 0) grid->policies = (struct ls_policy_words){usual_policy, 1};
  grid->orders = (struct ls_policy_words){options->orders.items, options->orders.count};
  if (grid->orders.count == 0) grid->orders = (struct ls_policy_words){usual_order, 1};
  grid->units = (uint64_t)place->load;
  grid->sizing = options->sizing;
  grid->replication = options->replication;
  grid->knows_facts = options->knows_facts;
  grid->error = options->error;
  grid->seed = options->has_seed ? options->seed : 1;
  grid->seeds = options->seeds > 0 ? (size_t)options->seeds : 1;
  grid->processes = options->processes > 0 ? (size_t)options->processes : ls_parallel_processes();
  enum ls_status status = read_arguments(run, options, err);
  if (status == LS_OK) status = read_platforms(run, options, place, err);
  if (status == LS_OK && !options->has_seed) {
    /* A seed in the arguments is the user's as well. */
    struct ls_json seed = ls_json_member(&grid->arguments, "seed");
    if (seed.value != NULL) status = ls_json_whole(&seed, 0, (uint64_t)1 << 53, &grid->seed, err);
  }
  if (status != LS_OK) ls_policy_run_close(run);
  return status;
}

void ls_policy_run_close(struct ls_policy_run *run) {
  for (size_t i = 1; i < run->grid.platform_names.count; i++) ls_platform_close(&run->platforms[i]);
  free(run->platforms);
  free(run->platform_names);
  json_decref(run->document);
}
