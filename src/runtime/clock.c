#include "runtime/clock.h"

#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double ls_clock_s(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double ls_clock_calendar_s(void) {
  return read_clock(CLOCK_REALTIME);
}
