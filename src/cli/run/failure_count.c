#include "cli/run/failure_count.h"

#include <math.h>

static int limit(uint64_t failed) {
  return failed < LS_FAILURE_COUNT_MOST ? (int)failed : LS_FAILURE_COUNT_MOST;
}

int ls_failure_count_status(const struct ls_failure_count *count) {
  const struct ls_halt *halt = count->halt;
  if (!count->is_halted || halt->reason == LS_HALT_NEVER) return limit(count->failed);
  if (halt->reason == LS_HALT_SUCCESS) return 0;
  if (halt->percent > 0 && count->units > 0)
    return (int)ceil(100 * (double)count->failed / (double)count->units);
  if (halt->count != 1 || count->failures->count == 0) return limit(count->failed);
  const struct ls_failure_end *end = &count->failures->first[0].end;
  if (end->signal > 0) return 128 + end->signal;
  return end->exit_code > 0 ? end->exit_code : 1;
}
