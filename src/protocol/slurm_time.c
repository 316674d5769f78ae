#include "protocol/slurm_time.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* More days than any job has. */
enum { DIGITS_MAX = 7, PARTS_MAX = 3 };

/* A whole number at `*at`, which moves behind it. */
static bool read_number(const char **at, double *number) {
  int digits = 0;
  for (*number = 0; isdigit((unsigned char)**at); ++*at, ++digits)
    *number = 10 * *number + (**at - '0');
  return digits >= 1 && digits <= DIGITS_MAX;
}

/* The numbers between colons; 0: there is something else. */
static size_t read_parts(const char *text, double parts[PARTS_MAX]) {
  size_t count = 0;
  for (;;) {
    if (count == PARTS_MAX || !read_number(&text, &parts[count])) return 0;
    ++count;
    if (*text == '\0') return count;
    if (*text++ != ':') return 0;
  }
}

bool ls_slurm_time_read(const char *text, double *seconds) {
  /* What the parts are worth: without days the last one is seconds, unless it is alone. */
  static const double hours_first[PARTS_MAX] = {3600, 60, 1};
  double days = 0, parts[PARTS_MAX] = {0};
  const char *dash = strchr(text, '-');
  if (dash != NULL && (!read_number(&text, &days) || text != dash)) return false;
  size_t count = read_parts(dash != NULL ? dash + 1 : text, parts);
  if (count == 0) return false;
  size_t first = dash != NULL || count == 3 ? 0 : 1; /* hours, or minutes */
  double sum = 86400 * days;
  for (size_t i = 0; i < count; i++) {
    bool is_free = i == 0 && dash == NULL;
    if (!is_free && !(parts[i] < (first + i == 0 ? 24 : 60))) return false;
    sum += hours_first[first + i] * parts[i];
  }
  *seconds = sum;
  return true;
}

void ls_slurm_time_write(double seconds, struct ls_bytes *out) {
  unsigned long long whole = seconds > 0 && seconds < 1e15 ? (unsigned long long)ceil(seconds) : 0;
  unsigned long long days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
  if (days > 0)
    ls_bytes_printf(out, "%llu-%02llu:%02llu:", days, hours, minutes);
  else if (hours > 0)
    ls_bytes_printf(out, "%llu:%02llu:", hours, minutes);
  else
    ls_bytes_printf(out, "%llu:", minutes);
  ls_bytes_printf(out, "%02llu", whole % 60);
}
