/* usage.h: what a process has used of its machine.
 *
 * The kernel counts it for a process and all those that it waited for: seconds of processors, and
 * the most memory that one of them had at a time.  A process that is started by another one counts
 * that one's memory at the start as its own, so no peak is below that of a worker (some megabytes).
 */
#ifndef LS_MODEL_USAGE_H
#define LS_MODEL_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct ls_usage {
  double user_s, system_s; /* of processors: in the program, and in the kernel for it */
  uint64_t peak_bytes;     /* resident at a time; 0: nothing is known of it all */
};

static inline bool ls_usage_is_known(const struct ls_usage *usage) {
  return usage->peak_bytes > 0;
}
/* Seconds add up, the larger peak stays. */
static inline void ls_usage_add(struct ls_usage *sum, const struct ls_usage *usage) {
  sum->user_s += usage->user_s;
  sum->system_s += usage->system_s;
  if (usage->peak_bytes > sum->peak_bytes) sum->peak_bytes = usage->peak_bytes;
}

#endif
