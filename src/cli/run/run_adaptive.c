#include "cli/run/run_adaptive.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/policy_name.h"
#include "cli/run/run_pools.h"

/* More seconds than any task takes: a larger number is a slip. */
static const double SECONDS_MOST = 1e12;

static enum ls_status choose_sizing(struct ls_run_adaptive *adaptive, const char *text,
                                    struct ls_error *err) {
  char name[LS_POLICY_NAME_BYTES];
  (void)ls_policy_name_cut(text, name);
  adaptive->sizing = ls_sizing_find(name);
  if (adaptive->sizing == NULL)
    return ls_policy_name_refuse(&(struct ls_policy_name){"--sizing", name, NULL},
                                 (const void *const *)ls_sizings, err);
  return ls_policy_name_arguments("--sizing", text, adaptive->sizing->parameters,
                                  &adaptive->sizing_arguments, err);
}

static bool has_parameter(const struct ls_parameter *parameters, const char *name) {
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++)
    if (strcmp(parameters[i].name, name) == 0) return true;
  return false;
}

static enum ls_status weigh_efficiency(struct ls_run_adaptive *adaptive, const char *text,
                                       struct ls_error *err) {
  const struct ls_replication *replication = adaptive->replication;
  if (text == NULL) return LS_OK;
  if (replication == NULL || !has_parameter(replication->parameters, "efficiency_weight"))
    return ls_fail(err, LS_EINVAL, "--efficiency-weight needs --replication auto");
  enum ls_status status = ls_arguments_set(&adaptive->replication_arguments,
                                           replication->parameters, "efficiency_weight", text, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--efficiency-weight");
}

static enum ls_status find_replication(const char *text, const struct ls_replication **out,
                                       struct ls_error *err) {
  char name[LS_POLICY_NAME_BYTES];
  (void)ls_policy_name_cut(text, name);
  *out = ls_replication_find(name);
  if (*out != NULL) return LS_OK;
  return ls_policy_name_refuse(&(struct ls_policy_name){"--replication", name, NULL},
                               (const void *const *)ls_replications, err);
}

/* `none` costs nothing, as no replication at all. */
static enum ls_status choose_replication(struct ls_run_adaptive *adaptive,
                                         const struct ls_run_options *options, size_t workers,
                                         struct ls_error *err) {
  const struct ls_replication *found = NULL;
  enum ls_status status = find_replication(options->replication, &found, err);
  if (status == LS_OK)
    status = ls_policy_name_arguments("--replication", options->replication, found->parameters,
                                      &adaptive->replication_arguments, err);
  if (status != LS_OK) return status;
  const char *name = found->name;
  bool needs_extra = strcmp(name, "single") == 0 || strcmp(name, "complete") == 0;
  if (needs_extra && options->extra == 0 && !ls_run_pools_is_remote(options))
    return ls_fail(err, LS_EINVAL,
                   "--replication %s needs --extra N: N of the workers are kept for replicas",
                   name);
  if (strcmp(name, "none") != 0) adaptive->replication = found;
  if (found->extra != NULL && !options->has_extra)
    adaptive->extra = workers > LS_EXTRA_MOST ? LS_EXTRA_MOST : workers - 1;
  return weigh_efficiency(adaptive, options->efficiency_weight, err);
}

enum ls_status ls_run_adaptive_check(const struct ls_run_options *options, struct ls_error *err) {
  struct ls_run_adaptive found = {0};
  const struct ls_replication *replication = NULL;
  enum ls_status status = LS_OK;
  if (options->sizing != NULL) status = choose_sizing(&found, options->sizing, err);
  if (status != LS_OK || options->replication == NULL) return status;
  return find_replication(options->replication, &replication, err);
}

/* A line that holds a number only, blanks around it allowed. */
static enum ls_status read_line(const char *field, char *line, double *seconds,
                                struct ls_error *err) {
  while (isspace((unsigned char)*line)) line++;
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
  return ls_console_real(field, line, (struct ls_real_range){0, SECONDS_MOST}, seconds, err);
}

static enum ls_status read_lines(struct ls_run_adaptive *adaptive, const char *path, char *text,
                                 uint64_t units, struct ls_error *err) {
  enum ls_status status = LS_OK;
  char *next = text;
  adaptive->times = calloc(units + 1, sizeof *adaptive->times);
  if (adaptive->times == NULL) return ls_fail(err, LS_ENOMEM, "--times %s: out of memory", path);
  while (next != NULL && *next != '\0' && status == LS_OK) {
    char *line = strsep(&next, "\n");
    char field[256];
    double seconds = 0;
    (void)snprintf(field, sizeof field, "--times %.200s: line %llu", path,
                   (unsigned long long)adaptive->times_count + 1);
    status = read_line(field, line, &seconds, err);
    if (status == LS_OK && adaptive->times_count < units)
      adaptive->times[adaptive->times_count] = seconds;
    if (status == LS_OK) adaptive->times_count++;
  }
  if (status == LS_OK && adaptive->times_count != units)
    status = ls_fail(err, LS_EINVAL, "--times %s has %llu lines, expected %llu: one for each task",
                     path, (unsigned long long)adaptive->times_count, (unsigned long long)units);
  return status;
}

static enum ls_status read_times(struct ls_run_adaptive *adaptive, const char *path, uint64_t units,
                                 struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read(path, &text, err);
  if (status == LS_OK && memchr(ls_bytes_text(&text), '\0', text.length) != NULL)
    status = ls_fail(err, LS_EINVAL, "--times %s: holds a zero byte, expected numbers", path);
  char *copy = status == LS_OK ? strdup(ls_bytes_text(&text)) : NULL;
  if (status == LS_OK && copy == NULL)
    status = ls_fail(err, LS_ENOMEM, "--times %s: out of memory", path);
  if (status == LS_OK) status = read_lines(adaptive, path, copy, units, err);
  free(copy);
  ls_bytes_close(&text);
  return status;
}

enum ls_status ls_run_adaptive_choose(struct ls_run_adaptive *adaptive,
                                      const struct ls_run_options *options, uint64_t units,
                                      size_t workers, struct ls_error *err) {
  struct ls_run_adaptive made = {.extra = options->extra};
  enum ls_status status = LS_OK;
  if (options->extra >= workers)
    status = ls_fail(err, LS_EINVAL, "--extra is %zu, expected fewer than the %zu workers",
                     options->extra, workers);
  if (status == LS_OK && options->sizing != NULL)
    status = choose_sizing(&made, options->sizing, err);
  if (status == LS_OK && options->replication != NULL)
    status = choose_replication(&made, options, workers, err);
  else if (status == LS_OK)
    status = weigh_efficiency(&made, options->efficiency_weight, err);
  if (status == LS_OK && options->times != NULL)
    status = read_times(&made, options->times, units, err);
  if (status != LS_OK) {
    ls_run_adaptive_close(&made);
    return status;
  }
  *adaptive = made;
  return LS_OK;
}

void ls_run_adaptive_close(struct ls_run_adaptive *adaptive) {
  free(adaptive->times);
  *adaptive = (struct ls_run_adaptive){0};
}

enum ls_status ls_run_adaptive_set(struct ls_run_adaptive *adaptive, const char *name,
                                   const char *text, bool *is_known, struct ls_error *err) {
  const struct ls_sizing *sizing = adaptive->sizing;
  const struct ls_replication *replication = adaptive->replication;
  *is_known = true;
  if (sizing != NULL && has_parameter(sizing->parameters, name)) {
    enum ls_status status =
        ls_arguments_set(&adaptive->sizing_arguments, sizing->parameters, name, text, err);
    return status == LS_OK ? LS_OK : ls_fail_while(err, status, "sizing %s", sizing->name);
  }
  if (replication != NULL && has_parameter(replication->parameters, name)) {
    enum ls_status status = ls_arguments_set(&adaptive->replication_arguments,
                                             replication->parameters, name, text, err);
    return status == LS_OK ? LS_OK
                           : ls_fail_while(err, status, "replication %s", replication->name);
  }
  *is_known = false;
  return LS_OK;
}

void ls_run_adaptive_apply(const struct ls_run_adaptive *adaptive,
                           const struct ls_run_options *options,
                           struct ls_coordinator_config *config) {
  config->sizing = adaptive->sizing;
  config->sizing_arguments = adaptive->sizing != NULL ? &adaptive->sizing_arguments : NULL;
  config->replication = adaptive->replication;
  config->replication_arguments =
      adaptive->replication != NULL ? &adaptive->replication_arguments : NULL;
  config->extra = adaptive->extra;
  config->loss_rate = options->loss_rate;
}
