/* failure_end.h: how a unit failed, in words that summaries and reports share. */
#ifndef LS_CLI_FAILURE_END_H
#define LS_CLI_FAILURE_END_H

#include <stdbool.h>

#include "base/bytes.h"
#include "model/outcome.h"

struct ls_failure_end {
  enum ls_outcome outcome;
  bool has_timed_out;
  int exit_code, signal;     /* 0: none */
  double seconds;            /* that it had a worker */
  double compute_s, stage_s; /* to compute, if it came to that, and to stage its input */
};

/* Appends "abandoned", "timed out after 2 s", "killed by signal 9 (SIGKILL)", "exit code 1" or
 * "failed". */
void ls_failure_end_write(const struct ls_failure_end *end, struct ls_bytes *out);

#endif
