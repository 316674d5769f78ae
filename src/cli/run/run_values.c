#include "cli/run/run_values.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/console.h"
#include "cli/duration.h"
#include "cli/run/run_options.h"

/* What relative speeds, such as 1,2,4, are as shares: " (0.25,0.5,1?)". Nothing where there are too
 * many to show, or one is no speed. */
static const char *advise_shares(const char *text, char *out, size_t out_bytes) {
  struct ls_bytes shares = {0};
  double fastest = 0;
  bool is_good = true;
  for (int pass = 0; pass < 2; pass++) {
    const char *next = text;
    for (bool is_last = false; !is_last && is_good; next++) {
      char *end = NULL;
      double speed = strtod(next, &end);
      is_good = end != next && speed > 0 && speed <= DBL_MAX && (*end == ',' || *end == '\0');
      if (speed > fastest) fastest = speed;
      if (pass > 0 && is_good)
        ls_bytes_printf(&shares, "%s%.4g", shares.length > 0 ? "," : "", speed / fastest);
      is_last = *end == '\0';
      next = end;
    }
  }
  const bool is_shown = is_good && !shares.failed && shares.length + 8 < out_bytes;
  (void)snprintf(out, out_bytes, is_shown ? " (%s?)" : "%s",
                 is_shown ? ls_bytes_text(&shares) : "");
  ls_bytes_close(&shares);
  return out;
}

enum ls_status ls_run_speeds_read(const char *text, double **speeds, size_t *count,
                                  struct ls_error *err) {
  size_t read_count = 1;
  for (const char *c = text; *c != '\0'; c++) read_count += *c == ',';
  if (read_count > LS_RUN_WORKERS_MAX)
    return ls_fail(err, LS_EINVAL, "--speeds has %zu values, expected at most %d", read_count,
                   LS_RUN_WORKERS_MAX);
  char *copy = strdup(text);
  double *read = calloc(read_count, sizeof *read);
  enum ls_status status =
      copy == NULL || read == NULL ? ls_fail(err, LS_ENOMEM, "--speeds: out of memory") : LS_OK;
  char *next = copy, shares[160];
  for (size_t i = 0; i < read_count && status == LS_OK; i++) {
    char *word = strsep(&next, ",");
    status = ls_console_real("--speeds", word, (struct ls_real_range){0, 1}, &read[i], err);
    double speed = 0;
    if (ls_console_real("", word, (struct ls_real_range){1, DBL_MAX}, &speed, NULL) == LS_OK &&
        speed > 1)
      status = ls_fail(err, LS_EINVAL,
                       "--speeds is '%s', expected a number from 0 to 1: shares of full speed, the "
                       "fastest is 1%s",
                       word, advise_shares(text, shares, sizeof shares));
    if (status == LS_OK && !(read[i] >= 1e-6))
      status = ls_fail(err, LS_EINVAL,
                       "--speeds: worker %zu has %s, expected more than 0, at most 1", i + 1, word);
  }
  free(copy);
  if (status != LS_OK) {
    free(read);
    return status;
  }
  free(*speeds);
  *speeds = read;
  *count = read_count;
  return LS_OK;
}

static enum ls_status refuse_pattern(const char *text, struct ls_error *err) {
  struct ls_bytes names = {0};
  for (size_t i = 0; ls_pattern_names[i] != NULL; i++)
    ls_bytes_printf(&names, "%s%s", i > 0 ? ", " : "", ls_pattern_names[i]);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "--load-pattern is '%.60s', expected one of %s, and perhaps :SECONDS",
              text, ls_bytes_text(&names));
  ls_bytes_close(&names);
  return status;
}

enum ls_status ls_run_load_pattern_read(const char *text, struct ls_load_pattern *pattern,
                                        struct ls_error *err) {
  const char *colon = strchr(text, ':');
  size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text), kind = 0;
  while (ls_pattern_names[kind] != NULL && (strncmp(ls_pattern_names[kind], text, length) != 0 ||
                                            ls_pattern_names[kind][length] != '\0'))
    kind++;
  if (ls_pattern_names[kind] == NULL) return refuse_pattern(text, err);
  double duration_s = 60;
  enum ls_status status = LS_OK;
  if (colon != NULL)
    status = ls_duration_read("--load-pattern", colon + 1, (struct ls_real_range){1e-3, 1e9},
                              &duration_s, err);
  if (status != LS_OK) return status;
  pattern->kind = (enum ls_pattern_kind)kind;
  pattern->duration_s = duration_s;
  return LS_OK;
}
