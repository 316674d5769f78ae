/* speed.c: how fast a worker is at which time. */
#include "theory/speed.h"

#include <assert.h>
#include <math.h>

/* The number of pieces that have begun at `time_s`. */
static size_t count_begun(const struct ls_speed *speed, double time_s) {
  size_t low = 0, high = speed->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (speed->pieces[middle].from_s <= time_s)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static double read_share(const struct ls_speed *speed, size_t begun) {
  return speed->factor * (begun == 0 ? 1.0 : speed->pieces[begun - 1].share);
}

double ls_speed_end(const struct ls_speed *speed, double from_s, double work_s) {
  assert(speed->factor > 0);
  if (!(work_s > 0)) return from_s;
  for (size_t begun = count_begun(speed, from_s);; begun++) {
    double share = read_share(speed, begun);
    double until_s = begun < speed->count ? speed->pieces[begun].from_s : (double)INFINITY;
    double needed_s = share > 0 ? work_s / share : (double)INFINITY;
    if (begun == speed->count || needed_s <= until_s - from_s) return from_s + needed_s;
    work_s -= share * (until_s - from_s);
    from_s = until_s;
    if (!(work_s > 0)) return from_s;
  }
}

double ls_speed_work(const struct ls_speed *speed, double from_s, double to_s) {
  assert(speed->factor > 0);
  double work_s = 0;
  for (size_t begun = count_begun(speed, from_s); from_s < to_s; begun++) {
    double until_s = begun < speed->count ? fmin(speed->pieces[begun].from_s, to_s) : to_s;
    work_s += read_share(speed, begun) * (until_s - from_s);
    from_s = until_s;
  }
  return work_s;
}
