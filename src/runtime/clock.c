#include "runtime/clock.h"

#include <stdio.h>
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

/* Linux: nanoseconds on a processor, nanoseconds in a queue for one, turns. */
double ls_clock_delayed_s(void) {
  unsigned long long delayed_ns = 0;
  FILE *file = fopen("/proc/thread-self/schedstat", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%*u %llu", &delayed_ns) != 1) delayed_ns = 0;
  (void)fclose(file);
  return 1e-9 * (double)delayed_ns;
}
