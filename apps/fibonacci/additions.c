#include "additions.h"

#include <time.h>

/* Beyond F(93) they leave 64 bits. */
enum { TURN = 90, FIRST_COUNT = 1 << 16 };

static const double MEASURED_S = 0.1;

uint64_t additions_make(uint64_t count) {
  volatile uint64_t first = 0, second = 1;
  for (uint64_t i = 1; i <= count; i++) {
    uint64_t next = first + second;
    first = second;
    second = next;
    if (i % TURN == 0) {
      first = 0;
      second = 1;
    }
  }
  return first;
}

static double used_s(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double additions_measure(void) {
  for (uint64_t count = FIRST_COUNT;; count *= 2) {
    double begun_s = used_s();
    (void)additions_make(count);
    double taken_s = used_s() - begun_s;
    if (taken_s >= MEASURED_S) return (double)count / taken_s;
  }
}
