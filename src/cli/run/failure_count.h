/* failure_count.h: the exit status of a run as GNU parallel has it: how many tasks failed.
 */
#ifndef LS_CLI_RUN_FAILURE_COUNT_H
#define LS_CLI_RUN_FAILURE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/failures.h"
#include "cli/run/halt.h"

enum { LS_FAILURE_COUNT_MOST = 101 };

struct ls_failure_count {
  uint64_t failed, units; /* tasks of this session, and all */
  const struct ls_halt *halt;
  bool is_halted;                     /* by that rule */
  const struct ls_failures *failures; /* of them one may have ended the run */
};

/* 0: none; 1 to 100: that number; 101: more. Of a run that a rule has ended: 0 at a success; a rule
 * of one task: the status of that task, or 128 and its signal; a rule of a share: the percentage.
 */
int ls_failure_count_status(const struct ls_failure_count *count);

#endif
