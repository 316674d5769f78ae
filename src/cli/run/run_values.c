#include "cli/run/run_values.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/run_options.h"

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
  char *next = copy;
  for (size_t i = 0; i < read_count && status == LS_OK; i++) {
    char *word = strsep(&next, ",");
    status = ls_console_real("--speeds", word, (struct ls_real_range){0, 1}, &read[i], err);
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
