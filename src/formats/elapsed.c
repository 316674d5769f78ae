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

bool ls_elapsed_read(const char *text, size_t length, double *seconds) {
  const char *at = text, *end = text + length;
  double days = 0, part, total;
  if (memchr(at, '-', length) != NULL && (!read_digits(&at, end, &days) || *at++ != '-'))
    return false;
  total = days * 24;
  for (int i = 0; i < 3; i++) {
    if (i > 0 && (at == end || *at++ != ':')) return false;
    if (!read_digits(&at, end, &part) || (i > 0 && part >= 60)) return false;
    total = (i > 0 ? total * 60 : total) + part;
  }
  *seconds = total;
  return at == end;
}
