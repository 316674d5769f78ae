#include "runtime/master/time_limit.h"

#include <math.h>

enum { UNITS_LEAST = 3 };
static const double change_least = 0.05;
/* Commands that take no time at all are not to be ended for taking some. */
static const double least_s = 0.01;

/* Without memory for one more the limit stays as it is. */
bool ls_time_limit_learn(struct ls_time_limit *limit, double seconds) {
  if (!(limit->percent > 0) || !(seconds >= 0)) return false;
  if (ls_median_add(&limit->median, seconds) != LS_OK) return false;
  if (ls_median_count(&limit->median) < UNITS_LEAST) return false;
  double now_s = fmax(least_s, ls_median_value(&limit->median) * limit->percent / 100);
  if (fabs(now_s - limit->told_s) <= change_least * limit->told_s) return false;
  limit->told_s = now_s;
  return true;
}

void ls_time_limit_close(struct ls_time_limit *limit) {
  ls_median_close(&limit->median);
}
