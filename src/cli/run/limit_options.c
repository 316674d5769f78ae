#include "cli/run/limit_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/duration.h"
#include "cli/run/run_options.h"

enum {
  KEY_ENV = 4096,
  KEY_DELAY,
  KEY_NICE,
  KEY_LOAD,
  KEY_MEMFREE,
  KEY_NOSWAP,
  KEY_SLOT_VARIABLE,
  KEY_END
};

const struct argp_option ls_limit_options_table[] = {
    {NULL, 0, NULL, 0, "What tasks find, and take of their machine", 16},
    {"env", KEY_ENV, "NAMES", 0,
     "Give tasks on other machines these variables, too, as they are here (NAME,NAME,...; "
     "repeatable)",
     16},
    {"delay", KEY_DELAY, "S", 0,
     "Begin tasks at least S seconds one after another, over all workers, such as 0.5 or 1m", 16},
    {"nice", KEY_NICE, "N", 0, "Run tasks with niceness N, 0 to 19 above that of their worker", 16},
    {"load", KEY_LOAD, "N", 0, "Begin no task on a machine whose load is above N (100%: its cores)",
     16},
    {"memfree", KEY_MEMFREE, "SIZE", 0,
     "Begin no task on a machine with less free memory, such as 2G", 16},
    {0}};

const struct argp_option ls_limit_dialect_table[] = {
    {"noswap", KEY_NOSWAP, NULL, 0, NULL, 16},
    {"process-slot-var", KEY_SLOT_VARIABLE, "NAME", 0, NULL, 16},
    {0}};

bool ls_limit_options_has(int key) {
  return key >= KEY_ENV && key < KEY_END;
}

static enum ls_status add_variable(struct ls_command_manners *manners, const char *name,
                                   struct ls_error *err) {
  enum ls_status status = ls_command_manners_check_name("--env", name, err);
  const char *value = status == LS_OK ? getenv(name) : NULL;
  if (status != LS_OK) return status;
  if (value == NULL)
    return ls_fail(err, LS_EINVAL, "--env is '%s', expected a variable that is set here", name);
  if (manners->assignments_count == LS_ASSIGNMENTS_MAX)
    return ls_fail(err, LS_EINVAL, "--env is '%s', expected at most %d variables", name,
                   LS_ASSIGNMENTS_MAX);
  char **list = realloc(manners->assignments,
                        (manners->assignments_count + 1) * sizeof *manners->assignments);
  if (list != NULL) manners->assignments = list;
  char *text = NULL;
  if (list == NULL || asprintf(&text, "%s=%s", name, value) < 0)
    return ls_fail(err, LS_ENOMEM, "out of memory for the variable %s", name);
  list[manners->assignments_count++] = text;
  return LS_OK;
}

static enum ls_status read_names(struct ls_command_manners *manners, const char *text,
                                 struct ls_error *err) {
  char *names = strdup(text), *rest = names;
  if (names == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for --env");
  enum ls_status status = LS_OK;
  while (rest != NULL && status == LS_OK) status = add_variable(manners, strsep(&rest, ","), err);
  free(names);
  return status;
}

/* A number, or a share of this machine's cores: of all of them, as the load is. */
static enum ls_status read_load(const char *text, double *load, struct ls_error *err) {
  size_t length = strlen(text);
  bool is_share = length > 1 && text[length - 1] == '%';
  char number[64];
  (void)snprintf(number, sizeof number, "%.*s",
                 (int)(is_share && length < sizeof number ? length - 1 : length), text);
  enum ls_status status =
      ls_console_real("--load", number, (struct ls_real_range){0, 1e9}, load, NULL);
  if (is_share) *load *= (double)sysconf(_SC_NPROCESSORS_ONLN) / 100;
  if (status == LS_OK && *load > 0) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--load is '%.60s', expected a load above 0, or a share of the cores such as 80%%",
                 text);
}

static enum ls_status keep_name(char **name, const char *text, struct ls_error *err) {
  enum ls_status status = ls_command_manners_check_name("--process-slot-var", text, err);
  if (status != LS_OK) return status;
  if (strlen(text) > 250)
    return ls_fail(err, LS_EINVAL, "--process-slot-var is '%.40s...', expected 250 letters at most",
                   text);
  free(*name);
  *name = strdup(text);
  return *name != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "out of memory for '%s'", text);
}

enum ls_status ls_limit_options_read(struct ls_limit_options *options, int key, const char *text,
                                     struct ls_error *err) {
  struct ls_command_manners *manners = &options->manners;
  uint64_t number = 0;
  enum ls_status status = LS_OK;
  if (key == KEY_DELAY) return ls_duration_read_positive("--delay", text, &options->delay_s, err);
  options->is_given = true;
  switch (key) {
    case KEY_ENV:
      return read_names(manners, text, err);
    case KEY_NICE:
      status = ls_console_whole("--nice", text, (struct ls_whole_range){0, LS_NICENESS_MAX},
                                &number, err);
      manners->niceness = (int)number;
      return status;
    case KEY_LOAD:
      return read_load(text, &manners->load_most, err);
    case KEY_MEMFREE:
      return ls_console_size("--memfree", text, &manners->memory_least_bytes, err);
    case KEY_NOSWAP:
      manners->avoids_swap = true;
      return LS_OK;
    default:
      return keep_name(&manners->slot_variable, text, err);
  }
}

enum ls_status ls_limit_options_check(const struct ls_run_options *run, struct ls_error *err) {
  if (run->limits.delay_s > 0 && run->plan != NULL)
    return ls_fail(err, LS_EINVAL,
                   "--delay and --plan exclude each other: the plan says when chunks leave");
  return LS_OK;
}

void ls_limit_options_close(struct ls_limit_options *options) {
  ls_command_manners_close(&options->manners);
}
