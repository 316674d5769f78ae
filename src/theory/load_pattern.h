/* load_pattern.h: how the speed of a worker changes because others use its machine.
 *
 * The seven patterns of the thesis on Monitor (rosenvinge2004, 5.1.2): the segments of a pattern
 * share its duration equally; low load leaves the whole speed, high load the share `busy`, random
 * load is high or low by chance in every slot. After the duration the machine is free.
 */
#ifndef LS_THEORY_LOAD_PATTERN_H
#define LS_THEORY_LOAD_PATTERN_H

#include <stddef.h>

#include "base/random.h"
#include "base/status.h"

struct ls_availability { /* from this time on the worker runs at `share` of its speed */
  double from_s, share;
};

enum ls_pattern_kind {
  LS_PATTERN_HIGH_LOW,
  LS_PATTERN_RANDOM,
  LS_PATTERN_LOW_HIGH_LOW,
  LS_PATTERN_HIGH_LOW_HIGH,
  LS_PATTERN_LOW_RANDOM_LOW,
  LS_PATTERN_LOW_HIGH,
  LS_PATTERN_RANDOM_LOW_RANDOM,
  LS_PATTERNS,
  LS_PATTERN_SEVEN = LS_PATTERNS /* worker i runs number (first + i) mod 7 */
};

struct ls_load_pattern {
  enum ls_pattern_kind kind;
  size_t first;      /* of LS_PATTERN_SEVEN */
  double duration_s; /* > 0 */
  double busy;       /* share of the speed that high load leaves, >= 0 */
  double slot_s;     /* of random load, > 0 */
};

/* "high-low", ..., "seven", NULL. */
extern const char *const ls_pattern_names[];

/* The availability of one worker. */
struct ls_load_course {
  struct ls_availability *pieces; /* the caller frees them */
  size_t count;
};

/* The course of worker number `worker`. Random load takes its chance from `random` only. LS_EINVAL:
 * a number that cannot be. */
LS_CHECKED enum ls_status ls_load_pattern_make(const struct ls_load_pattern *pattern, size_t worker,
                                               struct ls_random *random,
                                               struct ls_load_course *course, struct ls_error *err);

#endif
