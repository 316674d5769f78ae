#include "cli/duration.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_s = 1e9;

/* Digits with at most one point: what strtod takes beyond that is no number with a unit. */
static bool parse_part(const char **text, double *seconds) {
  static const char units[] = "smhd";
  static const double lengths[] = {1, 60, 3600, 86400};
  size_t length = strspn(*text, "0123456789.");
  char *end = NULL;
  double number = strtod(*text, &end);
  if (length == 0 || end != *text + length) return false;
  const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
  if (unit == NULL) return false;
  *seconds += number * lengths[unit - units];
  *text = end + 1;
  return true;
}

bool ls_duration_parse(const char *text, double *seconds) {
  double sum = 0;
  if (ls_console_real("", text, (struct ls_real_range){-DBL_MAX, DBL_MAX}, seconds, NULL) == LS_OK)
    return true;
  do {
    if (!parse_part(&text, &sum)) return false;
  } while (*text != '\0');
  *seconds = sum;
  return true;
}

enum ls_status ls_duration_read(const char *field, const char *text, struct ls_real_range range,
                                double *seconds, struct ls_error *err) {
  char shown[64];
  double read_s = 0;
  bool is_read = ls_duration_parse(text, &read_s) && isfinite(read_s);
  if (is_read && read_s >= range.least && read_s <= range.most) {
    *seconds = read_s;
    return LS_OK;
  }
  ls_console_show(text, shown, sizeof shown);
  if (range.most >= DBL_MAX)
    return ls_fail(err, LS_EINVAL,
                   "%s is '%s', expected seconds >= %g, or a duration such as 2m or 1h30m", field,
                   shown, range.least);
  return ls_fail(err, LS_EINVAL,
                 "%s is '%s', expected seconds from %g to %g, or a duration such as 2m or 1h30m",
                 field, shown, range.least, range.most);
}

enum ls_status ls_duration_read_positive(const char *field, const char *text, double *seconds,
                                         struct ls_error *err) {
  char shown[64];
  double read_s = 0;
  bool is_read = ls_duration_parse(text, &read_s);
  if (is_read && read_s > 0 && read_s <= most_s) {
    *seconds = read_s;
    return LS_OK;
  }
  ls_console_show(text, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "%s is '%s', expected seconds > 0, or a duration such as 2m or 1h30m", field,
                 shown);
}
