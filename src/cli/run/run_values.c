#include "cli/run/run_values.h"

#include <stdbool.h>
#include <stdint.h>
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

static bool is_port(const char *text) {
  uint64_t port = 0;
  return ls_console_whole("", text, (struct ls_whole_range){1, 65535}, &port, NULL) == LS_OK;
}

/* "5500-5599"? */
static bool is_port_range(const char *text) {
  char first[8];
  const char *dash = strchr(text, '-');
  if (dash == NULL || (size_t)(dash - text) >= sizeof first) return false;
  memcpy(first, text, (size_t)(dash - text));
  first[dash - text] = '\0';
  return is_port(first) && is_port(dash + 1) &&
         strtoul(first, NULL, 10) <= strtoul(dash + 1, NULL, 10);
}

enum ls_status ls_run_listen_check(const char *text, struct ls_error *err) {
  const char *host = strncmp(text, "tcp://", 6) == 0 ? text + 6 : NULL;
  const char *colon = host == NULL ? NULL : strrchr(host, ':');
  bool is_good = colon != NULL && colon > host &&
                 (strcmp(colon + 1, "*") == 0 || is_port(colon + 1) || is_port_range(colon + 1));
  if (is_good) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--listen is '%s', expected tcp://HOST:PORT such as tcp://127.0.0.1:5555 (PORT * "
                 "chooses one, FIRST-LAST the first that is free)",
                 text);
}
