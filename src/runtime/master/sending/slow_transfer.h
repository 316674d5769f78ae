/* slow_transfer.h: when a user is told that something has been on its way for long. */
#ifndef LS_RUNTIME_MASTER_SENDING_SLOW_TRANSFER_H
#define LS_RUNTIME_MASTER_SENDING_SLOW_TRANSFER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* What to tell of one. */
struct ls_slow {
  const char *what; /* "an input", "a file" */
  uint64_t arrived, total;
  double seconds; /* since it began */
};

/* For the first time after 5 s, then whenever it has lasted twice as long, and each minute. */
static inline double ls_slow_next_s(double seconds) {
  return seconds < 5 ? 5 : fmin(2 * seconds, seconds + 60);
}

#endif
