/* run_values.h: values of options of `run` that have a form of their own.
 */
#ifndef LS_CLI_RUN_VALUES_H
#define LS_CLI_RUN_VALUES_H

#include <stddef.h>

#include "base/status.h"
#include "theory/load_pattern.h"

/* "1,0.5,1": speeds above 0, at most 1. Replaces `*speeds`, which the caller frees. */
LS_CHECKED enum ls_status ls_run_speeds_read(const char *text, double **speeds, size_t *count,
                                             struct ls_error *err);

/* "seven", "high-low:20": sets kind and duration, 60 seconds unless said. */
LS_CHECKED enum ls_status ls_run_load_pattern_read(const char *text,
                                                   struct ls_load_pattern *pattern,
                                                   struct ls_error *err);

#endif
