#include "formats/elapsed.h"

#include <string.h>

/* A number of at most nine digits, all of them; false: it is none. */
static bool read_digits(const char **at, const char *end, double *number) {
  size_t digits = 0;
  *number = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at, digits++)
    *number = *number * 10 + (**at - '0');
  return digits >= 1 && digits <= 9;
}

/* .250; false: what stands there is none. */
static bool read_fraction(const char *at, const char *end, double *seconds) {
  double digit = 1;
  if (at == end) return true;
  if (*at++ != '.' || at == end) return false;
  for (; at < end && *at >= '0' && *at <= '9'; at++) *seconds += (*at - '0') * (digit /= 10);
  return at == end;
}

bool ls_elapsed_read(const char *text, size_t length, double *seconds) {
  const char *at = text, *end = text + length;
  double days = 0, part, total;
  bool has_days = memchr(at, '-', length) != NULL;
  if (has_days && (!read_digits(&at, end, &days) || *at++ != '-')) return false;
  total = days * 24;
  int parts = 0;
  for (; parts < 3 && (parts == 0 || (at < end && *at == ':')); parts++) {
    if (parts > 0) at++;
    if (!read_digits(&at, end, &part) || (parts > 0 && part >= 60)) return false;
    total = (parts > 0 ? total * 60 : total) + part;
  }
  *seconds = total;
  return parts >= (has_days ? 3 : 2) && read_fraction(at, end, seconds);
}
