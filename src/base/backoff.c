#include "base/backoff.h"

#include <math.h>

enum { TRIES_MAX = 1000 }; /* no wait doubles more often */

double ls_backoff_fail(struct ls_backoff *backoff, double now_s) {
  double wait_s = fmin(backoff->most_s, ldexp(backoff->first_s, (int)backoff->tries));
  if (backoff->tries < TRIES_MAX) ++backoff->tries;
  return now_s + wait_s;
}
