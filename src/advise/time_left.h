/* time_left.h: how long a run still takes: the 10 %, the 50 % and the 90 % quantile.
 *
 * What is left is simulated many times from the present state: who runs what and since when, units
 * that have not begun, times drawn from those that have ended.  Each simulation believes something
 * else of what is not certain: the trend and the levels of workers (time_trend.h), the mean of the
 * times (they are drawn with repetition first), how long what runs takes, the tail of times that
 * are often much longer than others.  The work of a call is bounded: many units are simulated in
 * groups, and of many workers a part.
 */
#ifndef LS_ADVISE_TIME_LEFT_H
#define LS_ADVISE_TIME_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/time_record.h"
#include "base/status.h"

struct ls_time_left_worker {
  uint32_t worker;  /* as in the record */
  double running_s; /* what it runs has run so long; below 0: it runs nothing */
};

struct ls_time_left_state {
  const struct ls_time_record *record;
  double now_s;                              /* by the clock of the record */
  uint64_t units_left;                       /* without a result; those that run count */
  const struct ls_time_left_worker *workers; /* who is there */
  size_t workers_count;
  uint64_t seed;
};

struct ls_time_left {
  bool is_known; /* else too little has ended, or nobody is there */
  double least_s, median_s, most_s;
};

/* LS_ENOMEM. */
LS_CHECKED enum ls_status ls_time_left_find(const struct ls_time_left_state *state,
                                            struct ls_time_left *left, struct ls_error *err);

#endif
