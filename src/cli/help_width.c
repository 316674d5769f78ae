#include "cli/help_width.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 60, MOST = 120, USUAL = 80 };

static const char variable[] = "ARGP_HELP_FMT";
static bool is_ours; /* the variable */

size_t ls_terminal_columns(void) {
  struct winsize window;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return 0;
  return window.ws_col;
}

/* 0: the environment does not say. */
static size_t read_columns(void) {
  const char *text = getenv("COLUMNS");
  if (text == NULL || text[0] < '0' || text[0] > '9') return 0;
  char *end = NULL;
  errno = 0;
  unsigned long columns = strtoul(text, &end, 10);
  return errno == 0 && *end == '\0' ? columns : 0;
}

size_t ls_help_columns(void) {
  size_t columns = read_columns();
  if (columns == 0) columns = ls_terminal_columns();
  if (columns == 0) columns = USUAL;
  if (columns < LEAST) return LEAST;
  return columns < MOST ? columns : MOST;
}

void ls_help_width_begin(void) {
  char format[32];
  if (getenv(variable) != NULL) return;
  /* The last column stays empty: terminals wrap behind it. */
  (void)snprintf(format, sizeof format, "rmargin=%zu", ls_help_columns() - 1);
  is_ours = setenv(variable, format, 0) == 0;
}

void ls_help_width_end(void) {
  if (is_ours) (void)unsetenv(variable);
  is_ours = false;
}
