/* processor_time.h: seconds that this process has computed: on a busy machine steadier than the
 * clock. */
#ifndef LS_BENCH_PROCESSOR_TIME_H
#define LS_BENCH_PROCESSOR_TIME_H

#include <time.h>

static inline double read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
